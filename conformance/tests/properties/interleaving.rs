//! Isolation under real interleaving: threads enter, read, panic, activate and write the environment at once
//! (CONF-20).

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Barrier};
use std::thread;

use watertight::Host;
use watertight_env_snapshot::MapEnv;
use watertight_profile_home::ManagedDirectory;

const PROFILES: [&str; 3] = ["one", "two", "three"];

#[test]
fn conf_20_no_interleaving_shows_a_body_another_profiles_value() {
    let folder = tempfile::tempdir().expect("a folder");
    for profile in PROFILES {
        let home = folder.path().join(".hermes/profiles").join(profile);
        fs::create_dir_all(&home).expect("a home");
        fs::write(home.join(".env"), format!("KEY=canary-{profile}\n")).expect("a file");
    }
    let env = Arc::new(MapEnv::new());
    env.set("HOME", folder.path());
    env.set("KEY", "canary-env");
    let host =
        Host::builder().env(Arc::clone(&env)).managed(ManagedDirectory::none()).build().expect("a host");
    let start = Barrier::new(2 * PROFILES.len() + 2);
    thread::scope(|scope| {
        for round in 0..2 * PROFILES.len() {
            let (host, start) = (&host, &start);
            scope.spawn(move || {
                start.wait();
                for turn in 0..40 {
                    one_turn(host, PROFILES[(round + turn) % PROFILES.len()], turn % 5 == 0);
                }
            });
        }
        scope.spawn(|| {
            start.wait();
            for turn in 0..200 {
                env.set("KEY", format!("canary-env-{turn}"));
            }
        });
        scope.spawn(|| {
            start.wait();
            host.activate();
            for _ in 0..200 {
                let launch = host.launch_scope().expect("a launch scope");
                launch.run(|| assert!(value(&host).expect("bound").starts_with("canary-env")));
                assert_eq!(value(&host), Err("unscoped"), "nothing is bound between two turns");
            }
        });
    });
}

/// What is read here, or why not.
fn value(host: &Host) -> Result<String, &'static str> {
    let secret = host.secret("KEY").map_err(|refused| refused.code())?;
    Ok(secret.expect("every profile has one").expose().expect("it is text").to_owned())
}

fn one_turn(host: &Host, profile: &str, panics: bool) {
    let own = format!("canary-{profile}");
    let scope = host.profile_scope(profile).expect("a scope");
    let turn = catch_unwind(AssertUnwindSafe(|| {
        scope.run(|| {
            assert_eq!(value(host).as_deref(), Ok(own.as_str()));
            let inner = host.profile_scope(PROFILES[0]).expect("a scope");
            inner.run(|| assert_eq!(value(host).as_deref(), Ok("canary-one")));
            assert_eq!(value(host).as_deref(), Ok(own.as_str()), "leaving restores");
            if panics {
                resume_unwind(Box::new(()));
            }
        });
    }));
    assert_eq!(turn.is_err(), panics, "only the panic that is meant");
    assert_eq!(value(host), Err("unscoped"), "a turn leaves nothing behind");
}
