//! Ambient reads in a process without a default host; the one with a default is a test binary of its own.

use watertight::{host, vocabulary::Refused};

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
