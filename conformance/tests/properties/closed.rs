//! Failing closed: with many profiles and no scope no name gives a value, except the global ones (CONF-21).

use proptest::prelude::*;
use watertight_conformance::case::{Outcome, Step};
use watertight_conformance::layout::Layout;
use watertight_conformance::subject::{Assignment, InProcess, Subject};

use crate::model::is_global;
use crate::script::{Action, case, worlds};
use crate::tries;

/// Names at random, and names at the edges between the classes: neighbours of global ones, families, the control
/// plane.
fn names() -> impl Strategy<Value = String> {
    let edges = [
        "API_SERVER_KEY",
        "API_SERVER_PORT",
        "GATEWAY_RELAY_SECRET",
        "GATEWAY_RELAY_ID",
        "GATEWAY_RELAY_URL",
        "GATEWAY_RELAY_DELIVERY_KEY",
        "HERMES_KANBAN_DB",
        "HERMES_KANBAN_TOKEN",
        "HERMES_TELEGRAM_BOT_TOKEN",
        "HERMES_TELEGRAM_CHAT",
        "HERMES_PROFILE_NAME",
        "OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN",
        "OMNIGENT_RUNNER_INITIAL_AUTH_TOKEN",
        "OMNIGENT_RUNNER_ID",
        "TERMINAL_ENV",
        "LC_ALL",
        "LC_TIME",
        "TZ",
        "",
    ];
    prop_oneof![
        4 => "[A-Za-z_=.][A-Za-z0-9_]{0,12}",
        4 => prop::sample::select(edges.to_vec()).prop_map(str::to_owned),
        1 => "API_SERVER_[A-Z]{1,5}",
        1 => "GATEWAY_RELAY_[A-Z]{1,5}",
        2 => "HERMES_(KANBAN|TELEGRAM)_[A-Z]{0,3}(_(TOKEN|KEY|AUTH|PASS|BOARD|DSN))?",
        1 => "TERMINAL_[A-Z]{0,5}",
        1 => "OMNIGENT_[A-Z]{0,5}",
    ]
}

/// A name that settles where the world lies is left to the world.
fn is_the_worlds(name: &str) -> bool {
    matches!(name, "HOME" | "HERMES_HOME" | "HERMES_MANAGED_DIR" | "USERPROFILE")
}

proptest! {
    #![proptest_config(tries(256))]

    #[test]
    fn conf_21_without_a_scope_no_name_gives_a_value_but_a_global_one(world in worlds(), name in names()) {
        prop_assume!(!is_the_worlds(&name));
        let mut case = case(&world, &[Action::Activate]);
        // A name that no variable can have is absent; a default is applied to that.
        let impossible = name.is_empty() || name.contains('=');
        if !impossible {
            case.given.env.insert(name.clone(), "canary-named".to_owned());
        }
        for (label, default) in [("plain", None), ("with a default", Some("canary-default".to_owned()))] {
            let label = label.to_owned();
            case.script.push(Step::ReadSecret { label, name: name.clone(), handle: None, default });
        }
        let layout = Layout::of(&case).expect("a tree");
        let answer = InProcess::new().run(&Assignment::of(&case, &layout).expect("an assignment"));
        let outcomes = answer.expect("it runs").outcomes;
        let value = |text: &str| Outcome::Value(text.into());
        for (label, default) in [("plain", Outcome::Absent), ("with a default", value("canary-default"))] {
            let outcome = outcomes.get(label);
            let holds = if impossible {
                outcome == Some(&default)
            } else if is_global(&name) {
                outcome == Some(&value("canary-named"))
            } else {
                matches!(outcome, Some(Outcome::Refused(_)))
            };
            prop_assert!(holds, "{label}: {name:?} came to {outcome:?}");
        }
    }
}
