//! Ambient reads in a process without a default host; the one with a default is a test binary of its own.

use watertight::vocabulary::{HomeId, HostId, Refused};
use watertight::{ContextSource, Host, host};
use watertight_context::Context;

use crate::world::{World, code, value};

#[test]
fn host_32_with_no_host_every_ambient_read_is_refused_and_none_panics() {
    // No test of this process installs a default.
    assert_eq!(code(host().secret("KEY")), "no-host");
    assert_eq!(code(host().secret("PATH")), "no-host", "not even a global name");
    assert_eq!(host().terminal("TERMINAL_ENV").unwrap_err().code(), "no-host");
    assert_eq!(host().backend().unwrap_err().code(), "no-host");
    assert_eq!(host().ensure_allowed().unwrap_err().code(), "no-host");
    assert_eq!(host().home().unwrap_err().code(), "no-host");
    let child = host().child_env(&watertight::env_snapshot::ChildSpec::new());
    assert_eq!(child.unwrap_err().code(), "no-host");
    let refused: Refused = host().secret("KEY").unwrap_err();
    assert!(refused.to_string().contains("KEY"));
}

#[test]
fn host_32_ambient_reads_find_the_frames_host() {
    let (one, other) = (World::with_coder(), World::with_coder());
    other.write("profiles/coder/.env", "CODER_KEY=canary-other\n");
    let (outer, inner) =
        (one.host().profile_scope("coder").unwrap(), other.host().profile_scope("coder").unwrap());
    outer.run(|| {
        assert_eq!(value(host().secret("CODER_KEY")).as_deref(), Some("canary-coder"));
        inner.run(|| assert_eq!(value(host().secret("CODER_KEY")).as_deref(), Some("canary-other")));
        assert_eq!(value(host().secret("CODER_KEY")).as_deref(), Some("canary-coder"));
        assert_eq!(host().home().unwrap().path(), one.path("profiles/coder"));
    });
}

/// What another Tokio task of the same thread is told the home is, below a frame that was entered for none.
fn home_in_another_task(host: &Host, frame: &Context) -> Result<HomeId, &'static str> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let asked = host.clone();
    let answer = frame.run(|| runtime.block_on(async { tokio::spawn(async move { asked.home() }).await }));
    answer.unwrap().map_err(|refused| refused.code())
}

#[test]
fn host_33_a_frame_of_another_task_gives_no_home_unless_it_is_surely_the_launch_profiles() {
    let world = World::new();
    let host = world.host();
    let launch = host.launch_home().clone();
    let frame = || Context::builder().host(host.id());
    let elsewhere = HomeId::new("/elsewhere".into(), None);

    for own in [host.launch_scope().unwrap().context(), frame().build(), frame().home(launch.clone()).build()]
    {
        assert_eq!(home_in_another_task(&host, &own), Ok(launch.clone()), "the frame hides nobody: {own:?}");
    }
    for other in [
        frame().foreign_home(true).build(),
        frame().home(launch.clone()).foreign_home(true).build(),
        frame().home(elsewhere.clone()).build(),
        Context::builder().build(),
        Context::builder().home(launch.clone()).build(),
        Context::builder().host(HostId::unique()).build(),
        Context::builder().host(HostId::unique()).home(launch.clone()).build(),
    ] {
        assert_eq!(home_in_another_task(&host, &other), Err("unscoped"), "{other:?}");
    }
    let own = frame().build();
    host.activate();
    assert_eq!(home_in_another_task(&host, &own), Err("unscoped"), "many profiles are hosted");
}
