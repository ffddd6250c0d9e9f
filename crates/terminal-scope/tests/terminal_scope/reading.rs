//! Who answers, for what is bound and what is hosted (TERM-20 to TERM-26).

use std::cell::Cell;
use std::future::Future;

use watertight_context::{Context, InScope, detached};
use watertight_env_snapshot::MapEnv;
use watertight_terminal_scope::{BoundTerminal, TerminalError, TerminalReader};
use watertight_vocabulary::{HostId, Hosting, Refusal, RefusedReason};

use crate::support::{Profile, TestHost};

/// What the environment of every host here holds: none of it may be seen under a bound scope.
fn ambient_env() -> MapEnv {
    MapEnv::from([
        ("TERMINAL_ENV", "ssh"),
        ("TERMINAL_DOCKER_IMAGE", "canary-ambient"),
        ("TERMINAL_NEWKNOB", "canary-ambient"),
        ("API_KEY", "canary-ambient"),
        ("OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN", "canary-ambient"),
    ])
}

fn docker() -> BoundTerminal {
    Profile::empty().terminal("{backend: docker}").builder().build()
}

fn broken() -> BoundTerminal {
    Profile::empty().terminal("docker").builder().build()
}

fn scope(host: &TestHost, foreign: bool, bound: BoundTerminal) -> Context {
    Context::builder().host(host.host()).foreign_home(foreign).with(bound).build()
}

fn no_launch() -> BoundTerminal {
    panic!("nobody may ask for the launch policy here")
}

/// A read's answer: its value, or the code of its error.
fn read(
    reader: TerminalReader<'_>,
    name: &str,
    default: Option<&str>,
) -> Result<Option<String>, &'static str> {
    let answer = reader.read(name, default).map_err(|error| error.code())?;
    Ok(answer.map(|value| value.expose().expect("text").to_owned()))
}

#[expect(clippy::unnecessary_wraps, reason = "it is what a read is compared with")]
fn value(text: &str) -> Result<Option<String>, &'static str> {
    Ok(Some(text.to_owned()))
}

#[test]
fn term_20_a_bound_policy_alone_answers_and_the_environment_never() {
    let host = TestHost::new(ambient_env());
    for many in [false, true] {
        if many {
            host.activate();
        }
        for foreign in [false, true] {
            let scope = scope(&host, foreign, docker());
            let check = |reader: TerminalReader<'_>| {
                assert_eq!(read(reader, "TERMINAL_ENV", Some("local")), value("docker"));
                assert_eq!(
                    read(reader, "TERMINAL_DOCKER_IMAGE", None),
                    value("nousresearch/hermes-sandbox:desktop")
                );
                assert_eq!(read(reader, "TERMINAL_NEWKNOB", None), Ok(None));
                assert_eq!(
                    read(reader, "TERMINAL_NEWKNOB", Some("own")),
                    value("own"),
                    "the caller's default"
                );
                assert_eq!(read(reader, "API_KEY", None), Ok(None), "no setting, so in no policy");
                assert_eq!(read(reader, "", Some("own")), value("own"));
                assert_eq!(reader.backend().expect("it is set").as_str(), "docker");
                reader.ensure_allowed().expect("it may start");
            };
            scope.run(|| check(TerminalReader::ambient(&host, &no_launch)));
            check(TerminalReader::handle(&scope, Some(&host)));
            let hostless = Context::builder().foreign_home(foreign).with(docker()).build();
            check(TerminalReader::handle(&hostless, None));
        }
    }
}

#[test]
fn term_20_a_default_is_applied_to_absence_alone_and_an_empty_value_is_no_absence() {
    let bound =
        Profile::empty().dotenv("TERMINAL_SSH_HOST=\n").terminal("{docker_image: 1.10}").builder().build();
    let host = TestHost::new(ambient_env());
    scope(&host, false, bound).run(|| {
        let reader = TerminalReader::ambient(&host, &no_launch);
        assert_eq!(read(reader, "TERMINAL_SSH_HOST", Some("canary-default")), value(""));
        assert_eq!(read(reader, "TERMINAL_DOCKER_IMAGE", Some("canary-default")), Err("spelling-lost"));
    });
}

#[test]
fn term_21_under_a_refusal_every_read_is_refused_with_its_reason() {
    let host = TestHost::new(ambient_env());
    for many in [false, true] {
        if many {
            host.activate();
        }
        let scope = scope(&host, false, broken());
        let check = |reader: TerminalReader<'_>| {
            for name in ["TERMINAL_ENV", "TERMINAL_NEWKNOB", "TERMINAL_DOCKER_IMAGE_PINNED"] {
                for default in [None, Some("local")] {
                    let TerminalError::Refused(refused) = reader.read(name, default).expect_err("refused")
                    else {
                        panic!("a refusal is no matter of one key")
                    };
                    assert_eq!(refused.code(), "unavailable");
                    assert_eq!(refused.name().and_then(|own| own.as_str()), Some(name));
                    let text = refused.to_string();
                    assert!(text.contains("config.yaml:1") && text.contains("must be a mapping"), "{text}");
                    assert!(!text.contains("canary"));
                }
            }
            assert_eq!(reader.backend().map_err(|e| e.code()), Err("unavailable"));
            assert_eq!(reader.ensure_allowed().map_err(|e| e.code()), Err("unavailable"));
            assert_eq!(reader.child_entries().map(drop).map_err(|e| e.code()), Err("unavailable"));
            assert_eq!(
                reader.with_policy(|_| panic!("there is none")).map_err(|e| e.code()),
                Err("unavailable")
            );
        };
        scope.run(|| check(TerminalReader::ambient(&host, &no_launch)));
        check(TerminalReader::handle(&scope, Some(&host)));
        check(TerminalReader::handle(&Context::builder().with(broken()).build(), None));
    }
}

#[test]
fn term_22_with_nothing_bound_and_one_profile_hosted_the_live_environment_answers() {
    let host = TestHost::new(ambient_env());
    let reader = TerminalReader::ambient(&host, &no_launch);
    assert_eq!(read(reader, "TERMINAL_ENV", Some("local")), value("ssh"));
    assert_eq!(read(reader, "TERMINAL_TIMEOUT", None), Ok(None), "no default of ours");
    assert_eq!(read(reader, "TERMINAL_TIMEOUT", Some("60")), value("60"));
    host.env.set("TERMINAL_ENV", "modal");
    host.env.set("TERMINAL_TIMEOUT", "");
    assert_eq!(read(reader, "TERMINAL_ENV", None), value("modal"), "it is the live one");
    assert_eq!(read(reader, "TERMINAL_TIMEOUT", Some("60")), value(""), "present and empty");
}

#[test]
fn term_22_only_terminal_settings_are_looked_for_in_an_environment() {
    let host = TestHost::new(ambient_env());
    let reader = TerminalReader::ambient(&host, &no_launch);
    assert_eq!(read(reader, "API_KEY", None), Ok(None), "a secret is no terminal setting");
    assert_eq!(read(reader, "PATH", Some("own")), value("own"));
    for name in ["", "TERMINAL_=", "TERMINAL_\0X"] {
        assert_eq!(read(reader, name, None), Ok(None));
    }
    let token = "OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN";
    assert_eq!(read(reader, token, Some("own")), Err("control-plane"));
    scope(&host, false, docker()).run(|| assert_eq!(read(reader, token, None), Err("control-plane")));
}

#[test]
fn term_23_unscoped_reads_are_refused_once_many_profiles_are_hosted() {
    let host = TestHost::new(ambient_env());
    host.activate();
    let reader = TerminalReader::ambient(&host, &no_launch);
    for default in [None, Some("local")] {
        assert_eq!(read(reader, "TERMINAL_ENV", default), Err("unscoped"));
        assert_eq!(read(reader, "TERMINAL_NEWKNOB", default), Err("unscoped"));
    }
    assert_eq!(reader.backend().map_err(|e| e.code()), Err("unscoped"));
    assert_eq!(reader.ensure_allowed().map_err(|e| e.code()), Err("unscoped"));
    assert_eq!(reader.child_entries().map(drop).map_err(|e| e.code()), Err("unscoped"));
    scope(&host, false, docker()).run(|| {
        assert_eq!(read(reader, "TERMINAL_ENV", None), value("docker"));
        assert_eq!(detached(|| read(reader, "TERMINAL_ENV", Some("local"))), Err("unscoped"));
    });
}

#[test]
fn term_23_unscoped_reads_are_refused_where_a_foreign_home_is_bound_without_a_policy() {
    let host = TestHost::new(ambient_env());
    let reader = TerminalReader::ambient(&host, &no_launch);
    let foreign = Context::builder().host(host.host()).foreign_home(true).build();
    foreign.run(|| {
        assert_eq!(read(reader, "TERMINAL_ENV", Some("local")), Err("unscoped"));
        assert_eq!(reader.ensure_allowed().map_err(|e| e.code()), Err("unscoped"));
    });
    let own = Context::builder().host(host.host()).build();
    own.run(|| {
        assert_eq!(read(reader, "TERMINAL_ENV", None), value("ssh"), "one profile, and it is its own");
    });
}

#[test]
fn term_23_a_read_that_saw_the_environment_while_a_second_profile_came_up_is_dropped() {
    let host = TestHost::new(ambient_env());
    host.activate_while_read();
    let reader = TerminalReader::ambient(&host, &no_launch);
    assert_eq!(read(reader, "TERMINAL_ENV", Some("local")), Err("unscoped"));
}

#[test]
fn term_23_a_session_that_is_built_again_elsewhere_needs_its_handle() {
    let host = TestHost::new(ambient_env());
    host.activate();
    let ssh = Profile::empty().terminal("{backend: ssh, ssh_host: canary-host}").builder().build();
    let session = scope(&host, true, ssh);
    std::thread::scope(|threads| {
        let reaper = threads.spawn(|| {
            let bare = TerminalReader::ambient(&host, &no_launch);
            let carried = session.run(|| bare.backend().map_err(|e| e.code()));
            (bare.backend().map_err(|e| e.code()), carried)
        });
        let (bare, carried) = reaper.join().expect("it ends");
        assert_eq!(bare, Err("unscoped"));
        assert_eq!(carried.map(|backend| backend.to_string()), Ok("ssh".to_owned()));
    });
}

#[test]
fn term_24_whoever_starts_something_is_stopped_where_the_backend_cannot_be_read() {
    let host = TestHost::new(ambient_env());
    for (section, dotenv, code) in [
        ("{backend: kubernetes}", "", Some("unknown-backend")),
        ("{backend: ''}", "", Some("unknown-backend")),
        ("{}", "TERMINAL_ENV=\n", Some("unknown-backend")),
        ("{}", "TERMINAL_ENV=yes\n", Some("unknown-backend")),
        ("{timeout: soon, docker_image: 1.10}", "", None),
    ] {
        let bound = Profile::empty().dotenv(dotenv).terminal(section).builder().build();
        scope(&host, false, bound).run(|| {
            let reader = TerminalReader::ambient(&host, &no_launch);
            assert_eq!(reader.ensure_allowed().map_err(|e| e.code()).err(), code, "{section} {dotenv}");
        });
    }
}

#[test]
fn term_25_with_one_profile_hosted_the_launch_homes_own_policy_decides() {
    let host = TestHost::new(ambient_env());
    let asked = Cell::new(0);
    let launch = || {
        asked.set(asked.get() + 1);
        Profile::empty().terminal("{backend: docker}").builder().launch_environment(&host.env).build()
    };
    let reader = TerminalReader::ambient(&host, &launch);
    assert_eq!(reader.backend().expect("decided").as_str(), "docker", "and no default, nor the environment");
    reader.ensure_allowed().expect("it may start");
    let entries = reader.child_entries().expect("it can be read");
    let of = |name: &str| entries.iter().find(|(own, _)| own.as_str() == Some(name)).map(|(_, value)| value);
    assert!(of("TERMINAL_ENV").is_some_and(|value| value.matches("docker")));
    assert!(of("TERMINAL_NEWKNOB").is_some_and(|value| value.matches("canary-ambient")), "the launch form");
    assert_eq!(asked.get(), 3);
    assert_eq!(read(reader, "TERMINAL_ENV", None), value("ssh"), "a plain read is TERM-22's");
    assert_eq!(asked.get(), 3, "and does not build a policy");
    scope(&host, true, docker()).run(|| reader.ensure_allowed().expect("the bound policy decides"));
    assert_eq!(asked.get(), 3);
}

#[test]
fn term_25_where_the_launch_policy_is_a_refusal_the_decision_is_refused() {
    let host = TestHost::new(MapEnv::from([("TERMINAL_ENV", "local")]));
    let launch = || BoundTerminal::Refusal(Refusal::new("invalid", "it is not valid YAML"));
    let reader = TerminalReader::ambient(&host, &launch);
    assert_eq!(reader.backend().map_err(|e| e.code()), Err("unavailable"));
    assert_eq!(reader.ensure_allowed().map_err(|e| e.code()), Err("unavailable"));
    assert_eq!(reader.child_entries().map(drop).map_err(|e| e.code()), Err("unavailable"));
}

#[test]
fn term_25_a_launch_policy_that_was_built_while_a_second_profile_came_up_decides_nothing() {
    let host = TestHost::new(ambient_env());
    let launch = || {
        host.activate();
        docker()
    };
    assert_eq!(TerminalReader::ambient(&host, &launch).backend().map_err(|e| e.code()), Err("unscoped"));
}

#[test]
fn term_25_a_handle_without_a_policy_decides_nothing() {
    let host = TestHost::new(ambient_env());
    let bare = Context::builder().host(host.host()).build();
    let with_host = TerminalReader::handle(&bare, Some(&host));
    assert_eq!(with_host.backend().map_err(|e| e.code()), Err("unscoped"));
    let hostless = Context::builder().build();
    let without = TerminalReader::handle(&hostless, None);
    assert_eq!(without.backend().map_err(|e| e.code()), Err("no-host"));
    assert_eq!(read(without, "TERMINAL_ENV", Some("local")), Err("no-host"));
}

#[test]
fn term_26_a_closed_scope_and_another_hosts_frame_are_refused() {
    let (host, other) = (TestHost::new(ambient_env()), TestHost::new(ambient_env()));
    for bound in [docker(), broken()] {
        let entered = scope(&host, false, bound);
        entered.run(|| {
            let reader = TerminalReader::ambient(&other, &no_launch);
            assert_eq!(read(reader, "TERMINAL_ENV", Some("local")), Err("other-host"));
            assert_eq!(reader.ensure_allowed().map_err(|e| e.code()), Err("other-host"));
        });
        let foreign_handle = TerminalReader::handle(&entered, Some(&other));
        assert_eq!(read(foreign_handle, "TERMINAL_ENV", None), Err("other-host"));
        entered.run(|| {
            entered.close();
            let reader = TerminalReader::ambient(&host, &no_launch);
            for name in ["TERMINAL_ENV", "TERMINAL_NEWKNOB"] {
                assert_eq!(read(reader, name, Some("local")), Err("closed"), "hit or miss");
            }
            assert_eq!(reader.ensure_allowed().map_err(|e| e.code()), Err("closed"));
            assert_eq!(reader.child_entries().map(drop).map_err(|e| e.code()), Err("closed"));
        });
        assert_eq!(read(TerminalReader::handle(&entered, Some(&host)), "TERMINAL_ENV", None), Err("closed"));
    }
    let nowhere = Context::builder().host(HostId::unique()).build();
    nowhere.run(|| {
        let reader = TerminalReader::ambient(&host, &no_launch);
        assert_eq!(read(reader, "TERMINAL_ENV", None), Err("other-host"), "with or without a policy in it");
    });
}

#[test]
fn term_20_a_future_reads_its_own_policy_at_every_poll() {
    let host = TestHost::new(ambient_env());
    host.activate();
    let turn = |expected: &'static str| {
        let host = &host;
        async move {
            for _ in 0..3 {
                let backend = TerminalReader::ambient(host, &no_launch).backend().map_err(|e| e.code());
                assert_eq!(backend.map(|backend| backend.to_string()), Ok(expected.to_owned()));
                YieldOnce(false).await;
            }
        }
    };
    let ssh = scope(&host, true, Profile::empty().terminal("{backend: ssh}").builder().build());
    let mut turns = [
        Box::pin(turn("docker").in_scope(scope(&host, true, docker()))),
        Box::pin(turn("ssh").in_scope(ssh)),
    ];
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    for _ in 0..4 {
        for turn in &mut turns {
            let _ = turn.as_mut().poll(&mut context);
        }
    }
}

/// Gives the thread away once.
struct YieldOnce(bool);

impl Future for YieldOnce {
    type Output = ();

    fn poll(mut self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    }
}

#[test]
fn term_11_errors_of_reads_hold_no_value() {
    let profile = Profile::empty()
        .dotenv("TERMINAL_ENV=canary-1\nTERMINAL_TIMEOUT=canary-2\nTERMINAL_DOCKER_ENV='{\"K\": canary-3}'\n")
        .terminal("{docker_volumes: [.nan, canary-4]}");
    let host = TestHost::new(ambient_env());
    scope(&host, false, profile.builder().build()).run(|| {
        let reader = TerminalReader::ambient(&host, &no_launch);
        let said = reader
            .with_policy(|policy| {
                let errors = [
                    policy.backend().map(drop).expect_err("unknown"),
                    policy.integer("timeout").map(drop).expect_err("no number"),
                    policy.map("docker_env").map(drop).expect_err("no mapping"),
                    policy.list("docker_volumes").map(drop).expect_err("no text"),
                ];
                format!(
                    "{errors:?} {} {policy:?} {:?}",
                    errors.each_ref().map(ToString::to_string).join(" "),
                    policy.problems()
                )
            })
            .expect("it is bound");
        let refused =
            reader.child_entries().map(drop).expect_err("the backend is unknown, so every key counts");
        assert!(matches!(refused.reason(), RefusedReason::Unavailable(_)));
        let said = format!("{said} {refused:?} {refused} {reader:?}");
        assert!(said.contains("TERMINAL_DOCKER_VOLUMES") && !said.contains("canary"), "{said}");
    });
}

#[test]
fn term_11_a_reader_shows_where_it_looks_and_no_value() {
    let host = TestHost::new(ambient_env());
    let context = scope(&host, false, docker());
    let ambient = format!("{:?}", TerminalReader::ambient(&host, &no_launch));
    let handle = format!("{:?}", TerminalReader::handle(&context, Some(&host)));
    for (shown, place) in [(&ambient, "ambient"), (&handle, "handle")] {
        assert!(shown.contains(place) && shown.contains("hosting"), "{shown}");
        assert!(!shown.contains("canary") && !shown.contains("docker"), "{shown}");
    }
}
