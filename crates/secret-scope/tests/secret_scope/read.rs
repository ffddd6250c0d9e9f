//! Every public way to read, in every state that a task can be in, against the table.

use std::ffi::OsStr;

use watertight_context::{Context, detached};
use watertight_secret_scope::decision::{
    Answer, Binding, BoundHome, Denial, Held, HostedBy, Question, Standing, decide,
};
use watertight_secret_scope::{
    BoundSecrets, SecretScope, Verdict, explain, explain_from, read, read_from, with_secret, with_secret_from,
};
use watertight_vocabulary::{Bound, Hosting, NameClass, Refusal, Refused, RefusedReason, Secret};

use crate::source::Broken;
use crate::world::{World, files_of, home, policy, secrets_of, text};

const LAUNCH: [(&str, &str); 7] = [
    ("HELD", "canary-env-held"),
    ("MISSING", "canary-env-missing"),
    ("DECLARED", "canary-env-declared"),
    ("PATH", "/canary/bin"),
    ("TERMINAL_SSH_KEY", "canary-env-terminal"),
    ("OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN", "canary-env-token"),
    ("UNSET_ELSEWHERE", "canary-env-other"),
];

/// What a read gave: the shape that all ways to read must share.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Value(String),
    Absent,
    Refused(&'static str),
}

fn outcome(result: Result<Option<Secret>, Refused>) -> Outcome {
    match result {
        Ok(Some(secret)) => Outcome::Value(text(Some(&secret)).unwrap_or_default().to_owned()),
        Ok(None) => Outcome::Absent,
        Err(refused) => Outcome::Refused(refused.code()),
    }
}

/// What a closure keeps of a value that was lent to it.
fn kept(lent: Option<&Secret>) -> Option<Secret> {
    lent.cloned()
}

/// All ambient ways, which must agree.
fn ambient(world: &World, name: &str) -> Outcome {
    let read_owned = outcome(read(world, name));
    let lent = outcome(with_secret(world, name, kept));
    assert_eq!(read_owned, lent, "`read` and `with_secret` of {name:?}");
    assert_eq!(explained(&explain(world, name)), kind(&read_owned), "`read` and `explain` of {name:?}");
    read_owned
}

/// All ways through a handle, which must agree.
fn through(context: &Context, hosting: Option<&dyn Hosting>, name: &str) -> Outcome {
    let owned = outcome(read_from(context, hosting, name));
    let lent = outcome(with_secret_from(context, hosting, name, kept));
    assert_eq!(owned, lent, "`read_from` and `with_secret_from` of {name:?}");
    assert_eq!(explained(&explain_from(context, hosting, name)), kind(&owned), "`explain_from` of {name:?}");
    owned
}

fn explained(explanation: &watertight_secret_scope::Explanation) -> &'static str {
    match explanation.verdict() {
        Verdict::Scope(_) | Verdict::Environment => "value",
        Verdict::Absent => "absent",
        Verdict::Refused(refused) => refused.code(),
    }
}

fn kind(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Value(_) => "value",
        Outcome::Absent => "absent",
        Outcome::Refused(code) => code,
    }
}

/// What the table says, with the values put in.
fn expected(question: Question, name: &str) -> Outcome {
    match decide(question).answer {
        Answer::Scope => Outcome::Value("canary-own".to_owned()),
        Answer::Environment => LAUNCH
            .iter()
            .find(|(own, _)| *own == name)
            .map_or(Outcome::Absent, |(_, value)| Outcome::Value((*value).to_owned())),
        Answer::Absent => Outcome::Absent,
        Answer::Refused(denial) => Outcome::Refused(match denial {
            Denial::NoHost => "no-host",
            Denial::ControlPlane => "control-plane",
            Denial::NotASecret => "not-a-secret",
            Denial::Closed => "closed",
            Denial::OtherHost => "other-host",
            Denial::Unavailable => "unavailable",
            Denial::Unscoped => "unscoped",
        }),
    }
}

/// A state of a task, and how the table sees it.
struct State {
    about: &'static str,
    context: Option<Context>,
    bound: Binding,
    home: BoundHome,
    standing: Standing,
    /// Whether a failed source makes absence unknowable.
    broken: bool,
}

fn states(world: &World) -> Vec<State> {
    use Binding::{Nothing, Refusal as Refused, Scope};
    use BoundHome::{Foreign, Nothing as NoHome, Own};
    use Standing::{Closed, Open, OtherHost};
    let broken_source = Broken::declaring(["DECLARED"]);
    let foreign_home = home("coder");
    let files = files_of(&foreign_home, "HELD=canary-own\nDECLARED=canary-stale\n");
    let scope = || {
        watertight_secret_scope::SecretScope::builder(&foreign_home)
            .files(&files_of(&foreign_home, "HELD=canary-own\n"))
            .build()
    };
    let broken = || {
        watertight_secret_scope::SecretScope::builder(&foreign_home)
            .files(&files)
            .source(&broken_source)
            .build()
    };
    let own = || {
        let launch = world.launch_home();
        watertight_secret_scope::SecretScope::builder(&launch)
            .files(&files_of(&launch, "HELD=canary-own\n"))
            .build()
    };
    let refusal = || BoundSecrets::Refusal(Refusal::new("unreadable", "it cannot be read"));
    let launch_id = || world.launch_home().id().clone();
    let in_own = || world.context().home(launch_id());
    let in_foreign = || world.context().home(foreign_home.id().clone()).foreign_home(true);
    let elsewhere = World::new(&[]);
    let closed = |context: Context| {
        context.close();
        context
    };
    let state = |about, context: Option<Context>, bound, home, standing| State {
        about,
        context,
        bound,
        home,
        standing,
        broken: false,
    };
    vec![
        state("nothing bound", None, Nothing, NoHome, Open),
        state("an empty context", Some(world.context().build()), Nothing, NoHome, Open),
        state("the own home, no scope", Some(in_own().build()), Nothing, Own, Open),
        state("a foreign home, no scope", Some(in_foreign().build()), Nothing, Foreign, Open),
        state("an own scope", Some(in_own().with(own()).build()), Scope, Own, Open),
        state("a foreign scope", Some(in_foreign().with(scope()).build()), Scope, Foreign, Open),
        State {
            broken: true,
            ..state("a failed source", Some(in_foreign().with(broken()).build()), Scope, Foreign, Open)
        },
        state("an own refusal", Some(in_own().with(refusal()).build()), Refused, Own, Open),
        state("a foreign refusal", Some(in_foreign().with(refusal()).build()), Refused, Foreign, Open),
        state("a closed own scope", Some(closed(in_own().with(own()).build())), Scope, Own, Closed),
        state("a closed scope", Some(closed(in_foreign().with(scope()).build())), Scope, Foreign, Closed),
        state("a closed context", Some(closed(in_own().build())), Nothing, Own, Closed),
        state("another host's scope", Some(elsewhere.foreign("b", scope())), Scope, Foreign, OtherHost),
        state(
            "another host's own scope",
            Some(elsewhere.context().home(launch_id()).with(own()).build()),
            Scope,
            Foreign,
            OtherHost,
        ),
        state(
            "a scope that calls itself own and is not",
            Some(world.context().home(foreign_home.id().clone()).with(scope()).build()),
            Scope,
            Foreign,
            Open,
        ),
        state("a scope of no host", Some(Context::builder().with(own()).build()), Scope, Foreign, Open),
    ]
}

const NAMES: [(&str, NameClass); 9] = [
    ("HELD", NameClass::Secret),
    ("MISSING", NameClass::Secret),
    ("DECLARED", NameClass::Secret),
    ("NOWHERE", NameClass::Secret),
    ("PATH", NameClass::Global),
    ("LANG", NameClass::Global),
    ("TERMINAL_SSH_KEY", NameClass::Terminal),
    ("OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN", NameClass::ControlPlane),
    ("OMNIGENT_RUNNER_INITIAL_AUTH_TOKEN", NameClass::ControlPlane),
];

fn question(state: &State, name: &str, class: NameClass, hosting: HostedBy) -> Question {
    let held = match (state.bound, name) {
        (Binding::Scope, "HELD") => Held::Yes,
        (Binding::Scope, _) if state.broken => Held::Unknowable,
        _ => Held::No,
    };
    let State { bound, home, standing, .. } = *state;
    Question { possible: true, class, hosting, bound, home, standing, held }
}

#[test]
fn every_way_to_read_answers_by_the_table_in_every_state() {
    for (world, hosting) in
        [(World::new(&LAUNCH), HostedBy::OneProfile), (World::activated(&LAUNCH), HostedBy::ManyProfiles)]
    {
        for state in states(&world) {
            for (name, class) in NAMES {
                let wanted = expected(question(&state, name, class, hosting), name);
                let about = format!("{name} with {} and {hosting:?}", state.about);
                let Some(context) = &state.context else {
                    assert_eq!(ambient(&world, name), wanted, "{about}");
                    assert_eq!(detached(|| ambient(&world, name)), wanted, "{about}, detached");
                    continue;
                };
                assert_eq!(context.run(|| ambient(&world, name)), wanted, "{about}, ambient");
                let outer = world.profile_context("outer", "HELD=canary-outer\nMISSING=canary-outer\n");
                let nested = outer.run(|| context.run(|| ambient(&world, name)));
                assert_eq!(nested, wanted, "{about}, inside another scope");
                assert_eq!(through(context, Some(&world), name), wanted, "{about}, through a handle");
                let elsewhere = outer.run(|| through(context, Some(&world), name));
                assert_eq!(elsewhere, wanted, "{about}, through a handle inside another scope");
            }
        }
    }
}

#[test]
fn a_name_that_no_variable_can_have_is_absent_everywhere() {
    let world = World::activated(&LAUNCH);
    for state in states(&world) {
        for name in ["", "A=B", "=", "A\0", "PATH=", "TERMINAL_\0"] {
            match &state.context {
                None => assert_eq!(ambient(&world, name), Outcome::Absent, "{name:?}"),
                Some(context) => {
                    assert_eq!(through(context, Some(&world), name), Outcome::Absent, "{name:?}");
                }
            }
        }
    }
    assert_eq!(world.answers(), 0, "no environment is asked for such a name");
}

#[test]
fn sec_01_a_global_name_comes_from_the_environment_whatever_is_bound() {
    let world = World::new(&LAUNCH);
    let scope = world.profile_context("coder", "PATH=canary-file\n");
    assert_eq!(scope.run(|| ambient(&world, "PATH")), Outcome::Value("/canary/bin".to_owned()));
    scope.close();
    assert_eq!(scope.run(|| ambient(&world, "PATH")), Outcome::Value("/canary/bin".to_owned()));
    world.activate();
    world.live.set("PATH", "/written/later");
    assert_eq!(ambient(&world, "PATH"), Outcome::Value("/canary/bin".to_owned()), "frozen after activation");
    assert_eq!(ambient(&world, "LANG"), Outcome::Absent);
}

#[test]
fn sec_02_a_scope_answers_with_its_own_value_the_empty_one_included() {
    let world = World::activated(&LAUNCH);
    let scope = world.profile_context("coder", "HELD=canary-own\nMISSING=\n");
    assert_eq!(scope.run(|| ambient(&world, "HELD")), Outcome::Value("canary-own".to_owned()));
    assert_eq!(scope.run(|| ambient(&world, "MISSING")), Outcome::Value(String::new()));
    assert_eq!(world.answers(), 0, "a hit asks no environment");
}

#[test]
fn sec_05_the_launch_profile_alone_sees_what_the_environment_was_given_later() {
    let world = World::new(&LAUNCH);
    let own = world.launch_context("HELD=canary-own\n");
    let foreign = world.profile_context("coder", "HELD=canary-own\n");
    world.live.set("INJECTED", "canary-injected");
    assert_eq!(own.run(|| ambient(&world, "INJECTED")), Outcome::Value("canary-injected".to_owned()));
    assert_eq!(foreign.run(|| ambient(&world, "INJECTED")), Outcome::Absent);
    world.activate();
    assert_eq!(own.run(|| ambient(&world, "INJECTED")), Outcome::Absent, "not after activation");
}

#[test]
fn sec_05_a_home_that_is_not_the_launch_home_is_never_taken_for_it() {
    let world = World::new(&LAUNCH);
    let scope = secrets_of("coder", "");
    let mistaken = world.context().home(world.launch_home().id().clone()).with(scope).build();
    assert_eq!(mistaken.run(|| ambient(&world, "MISSING")), Outcome::Absent, "the scope's own stamp counts");
}

#[test]
fn sec_05_own_is_what_host_home_and_scope_all_prove() {
    let world = World::new(&LAUNCH);
    let launch = world.launch_home();
    let own_scope = || SecretScope::builder(&launch).files(&files_of(&launch, "")).build();
    let read = |context: &Context| context.run(|| ambient(&world, "MISSING"));
    let (own, other) = (launch.id().clone(), home("coder").id().clone());
    let proved = world.context().home(own.clone()).with(own_scope()).build();
    assert_eq!(read(&proved), Outcome::Value("canary-env-missing".to_owned()));
    for (context, what) in [
        (Context::builder().home(own.clone()).with(own_scope()).build(), "a frame of no host"),
        (world.context().home(other).with(own_scope()).build(), "another home"),
        (world.context().home(own).with(secrets_of("coder", "")).build(), "another profile's scope"),
    ] {
        assert_eq!(read(&context), Outcome::Absent, "{what}");
    }
}

#[test]
fn sec_06_an_unscoped_read_is_refused_whatever_the_environment_holds_and_a_caller_offers() {
    let world = World::activated(&LAUNCH);
    assert_eq!(ambient(&world, "MISSING"), Outcome::Refused("unscoped"));
    assert_eq!(ambient(&world, "NOWHERE"), Outcome::Refused("unscoped"));
    let offered = read(&world, "MISSING").map(|key| key.unwrap_or_else(|| Secret::from("a default")));
    assert_eq!(offered.expect_err("a default is no answer to a refusal").code(), "unscoped");
    assert_eq!(world.answers(), 0, "a refusal asks no environment");
}

#[test]
fn sec_07_one_profile_and_no_scope_reads_the_environment() {
    let world = World::new(&LAUNCH);
    assert_eq!(ambient(&world, "MISSING"), Outcome::Value("canary-env-missing".to_owned()));
    assert_eq!(ambient(&world, "NOWHERE"), Outcome::Absent);
}

#[test]
fn sec_10_a_terminal_name_is_no_secret_unless_one_profile_reads_it_unscoped() {
    let world = World::new(&LAUNCH);
    let name = "TERMINAL_SSH_KEY";
    assert_eq!(ambient(&world, name), Outcome::Value("canary-env-terminal".to_owned()));
    for scope in [world.launch_context(""), world.profile_context("coder", "")] {
        assert_eq!(scope.run(|| ambient(&world, name)), Outcome::Refused("not-a-secret"));
    }
    world.activate();
    assert_eq!(ambient(&world, name), Outcome::Refused("not-a-secret"));
}

#[test]
fn sec_11_without_a_host_nothing_but_a_handle_s_own_scope_answers() {
    let bare = Context::builder().with(secrets_of("coder", "HELD=canary-own\n")).build();
    assert_eq!(through(&bare, None, "HELD"), Outcome::Value("canary-own".to_owned()));
    assert_eq!(through(&bare, None, "MISSING"), Outcome::Absent);
    assert_eq!(through(&bare, None, "PATH"), Outcome::Absent);
    assert_eq!(through(&bare, None, "TERMINAL_CWD"), Outcome::Refused("not-a-secret"));
    bare.close();
    assert_eq!(through(&bare, None, "HELD"), Outcome::Refused("closed"));

    let empty = Context::builder().build();
    for name in ["HELD", "TERMINAL_CWD"] {
        assert_eq!(through(&empty, None, name), Outcome::Refused("no-host"));
    }
    let hosted = World::new(&LAUNCH).profile_context("coder", "HELD=canary-own\n");
    for name in ["HELD", "MISSING", "PATH"] {
        assert_eq!(through(&hosted, None, name), Outcome::Refused("no-host"), "{name}, without its host");
    }
    assert_eq!(through(&hosted, None, "OMNIGENT_RUNNER_INITIAL_AUTH_TOKEN").code(), "control-plane");
}

impl Outcome {
    fn code(&self) -> &'static str {
        kind(self)
    }
}

#[test]
fn sec_17_a_closed_scope_and_another_hosts_frame_refuse_hits_and_misses_alike() {
    let (world, other) = (World::new(&LAUNCH), World::new(&LAUNCH));
    let scope = world.profile_context("coder", "HELD=canary-own\n");
    for name in ["HELD", "MISSING", "NOWHERE"] {
        assert_eq!(scope.run(|| ambient(&other, name)), Outcome::Refused("other-host"));
        assert_eq!(through(&scope, Some(&other), name), Outcome::Refused("other-host"));
    }
    scope.run(|| {
        assert_eq!(ambient(&world, "HELD"), Outcome::Value("canary-own".to_owned()));
        scope.close();
        for name in ["HELD", "MISSING", "NOWHERE"] {
            assert_eq!(ambient(&world, name), Outcome::Refused("closed"), "in a body that is still inside");
        }
    });
}

#[test]
fn sec_17_the_classes_of_another_hosts_scope_decide_nothing_here() {
    let generous = generous_classes();
    let (world, other) = (World::new(&LAUNCH), World::new(&[]));
    let launch = other.launch_home();
    let scope = watertight_secret_scope::SecretScope::builder(&launch).classes(generous).build();
    let frame = other.context().with(scope).build();
    assert_eq!(frame.run(|| ambient(&world, "MISSING")), Outcome::Refused("other-host"));
}

#[test]
fn classes_travel_with_the_scope_that_was_built_with_them() {
    let world = World::activated(&LAUNCH);
    let own = home("coder");
    let scope = watertight_secret_scope::SecretScope::builder(&own)
        .files(&files_of(&own, "MISSING=canary-file\n"))
        .classes(generous_classes())
        .build();
    assert!(policy(&scope).names().is_empty(), "a global name enters no layer, whoever calls it global");
    let task = world.foreign("coder", scope);
    assert_eq!(
        task.run(|| ambient(&world, "MISSING")),
        Outcome::Value("canary-env-missing".to_owned()),
        "a setting of the process by the scope's own classes"
    );
    assert_eq!(ambient(&world, "MISSING"), Outcome::Refused("unscoped"), "and a secret by the host's");
}

/// Classes under which everything is a global name, but for what the control plane holds.
fn generous_classes() -> watertight_vocabulary::Classes {
    #[derive(Debug)]
    struct Generous;
    impl watertight_vocabulary::NameClasses for Generous {
        fn class_of(&self, _: &OsStr, _: watertight_vocabulary::CaseRule) -> NameClass {
            NameClass::Global
        }
    }
    watertight_vocabulary::Classes::new(
        std::sync::Arc::new(Generous),
        watertight_vocabulary::ControlPlane::new(),
        watertight_vocabulary::CaseRule::Sensitive,
    )
}

#[test]
fn sec_16_no_classes_of_a_host_make_the_control_plane_readable() {
    let world = World::new(&LAUNCH).with_classes(generous_classes());
    let name = "OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN";
    assert_eq!(ambient(&world, name), Outcome::Refused("control-plane"));
    world.activate();
    assert_eq!(ambient(&world, name), Outcome::Refused("control-plane"));
}

#[test]
fn a_reader_may_read_again_and_enter_other_scopes_while_a_value_is_lent_to_it() {
    let world = World::activated(&LAUNCH);
    let outer = world.profile_context("outer", "HELD=canary-outer\n");
    let inner = world.profile_context("inner", "HELD=canary-inner\n");
    let seen = outer.run(|| {
        with_secret(&world, "HELD", |lent| {
            let nested = inner.run(|| ambient(&world, "HELD"));
            let again = ambient(&world, "HELD");
            (text(lent).map(str::to_owned), nested, again)
        })
    });
    let value = |text: &str| Outcome::Value(text.to_owned());
    assert_eq!(seen, Ok((Some("canary-outer".to_owned()), value("canary-inner"), value("canary-outer"))));
}

#[cfg(feature = "tokio")]
#[tokio::test]
async fn sec_08_a_foreign_frame_of_another_task_still_keeps_the_environment_shut() {
    use watertight_context::InScope as _;

    let world = std::sync::Arc::new(World::new(&LAUNCH));
    let own = world.launch_context("HELD=canary-own\n");
    let foreign = world.profile_context("coder", "HELD=canary-own\n");
    // A local set that is polled inside a scope runs its tasks on this thread, inside that frame.
    let reads = async |context: Context| {
        let local = tokio::task::LocalSet::new();
        let world = std::sync::Arc::clone(&world);
        let task = local.spawn_local(async move {
            [ambient(&world, "HELD"), ambient(&world, "MISSING"), ambient(&world, "TERMINAL_SSH_KEY")]
        });
        local.in_scope(context).await;
        task.await.expect("the task ends")
    };
    let value = |text: &str| Outcome::Value(text.to_owned());
    assert_eq!(
        reads(foreign.clone()).await,
        [Outcome::Refused("unscoped"), Outcome::Refused("unscoped"), Outcome::Refused("not-a-secret")],
        "nothing of the frame is handed out, and the environment is not asked beside it"
    );
    assert_eq!(
        reads(own.clone()).await,
        [value("canary-env-held"), value("canary-env-missing"), value("canary-env-terminal")],
        "beside a frame of the own home one profile reads the environment, as ever"
    );
    world.activate();
    for context in [own, foreign] {
        assert_eq!(
            reads(context).await,
            [Outcome::Refused("unscoped"), Outcome::Refused("unscoped"), Outcome::Refused("not-a-secret")]
        );
    }
}

#[test]
fn sec_08_no_scope_under_a_foreign_home_is_refused_though_one_profile_is_hosted() {
    let world = World::new(&LAUNCH);
    let foreign = world.context().home(home("coder").id().clone()).foreign_home(true).build();
    for name in ["HELD", "MISSING", "NOWHERE"] {
        assert_eq!(foreign.run(|| ambient(&world, name)), Outcome::Refused("unscoped"), "{name}");
    }
    assert_eq!(world.answers(), 0);
}

#[test]
fn sec_09_a_refusal_scope_gives_its_reason() {
    let world = World::new(&LAUNCH);
    let refusal = Refusal::new("unreadable", "it is a directory");
    let task = world.foreign("coder", Bound::Refusal(refusal.clone()));
    for name in ["HELD", "NOWHERE"] {
        let refused = task.run(|| read(&world, name)).expect_err("a refusal is bound");
        assert_eq!(refused.reason(), &RefusedReason::Unavailable(refusal.clone()));
        assert_eq!(refused.name().and_then(|name| name.as_str()), Some(name));
    }
    assert_eq!(task.run(|| ambient(&world, "PATH")), Outcome::Value("/canary/bin".to_owned()));
}
