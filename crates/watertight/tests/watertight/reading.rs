use std::sync::Arc;

use watertight::Host;
use watertight::env_snapshot::MapEnv;
use watertight::profile_home::ManagedDirectory;

use crate::world::{World, code, value};

#[test]
fn host_30_a_handle_reads_its_own_scope_whatever_is_bound_around_it() {
    let world = World::with_coder();
    world.write("profiles/writer/.env", "WRITER_KEY=canary-writer\n");
    let host = world.host();
    let (coder, writer) = (host.profile_scope("coder").unwrap(), host.profile_scope("writer").unwrap());
    coder.run(|| {
        assert_eq!(value(host.secret("CODER_KEY")).as_deref(), Some("canary-coder"));
        assert_eq!(value(writer.secret("WRITER_KEY")).as_deref(), Some("canary-writer"));
        assert_eq!(value(writer.secret("CODER_KEY")), None);
        let borrowed =
            host.with_secret("CODER_KEY", |secret| secret.is_some_and(|key| key.matches("canary-coder")));
        assert!(borrowed.unwrap());
    });
}

#[test]
fn host_32_hosts_of_one_process_share_nothing() {
    let (one, other) = (World::with_coder(), World::with_coder());
    other.write("profiles/coder/.env", "CODER_KEY=canary-other\n");
    let (host, stranger) = (one.host(), other.host());
    let scope = host.profile_scope("coder").unwrap();
    assert!(!stranger.many_profiles());
    scope.run(|| {
        assert_eq!(code(stranger.secret("CODER_KEY")), "other-host", "hit");
        assert_eq!(code(stranger.secret("NO_SUCH_KEY")), "other-host", "miss");
        assert_eq!(stranger.terminal("TERMINAL_ENV").unwrap_err().code(), "other-host");
        assert_eq!(stranger.backend().unwrap_err().code(), "other-host");
        assert_eq!(stranger.home().unwrap_err().code(), "other-host");
        assert!(stranger.child_env(&watertight::env_snapshot::ChildSpec::new()).is_err());
        stranger.profile_scope("coder").unwrap().run(|| {
            assert_eq!(value(stranger.secret("CODER_KEY")).as_deref(), Some("canary-other"));
        });
        assert_eq!(value(host.secret("CODER_KEY")).as_deref(), Some("canary-coder"));
    });
}

#[test]
fn sec_14_activation_changes_unscoped_reads_at_once_and_scoped_ones_not_at_all() {
    let world = World::with_coder();
    let host = world.set("KEY", "canary-launch").host();
    let scope = host.launch_scope().unwrap();
    scope.run(|| {
        let before = value(host.secret("KEY"));
        host.activate();
        assert_eq!(value(host.secret("KEY")), before);
    });
    assert_eq!(code(host.secret("KEY")), "unscoped");
    assert_eq!(
        value(host.secret("PATH")).as_deref(),
        Some("/usr/bin"),
        "a global name belongs to the process"
    );
}

#[test]
fn sec_25_the_administrators_layer_is_above_all_and_fails_closed() {
    let world = World::with_coder();
    let managed = tempfile::tempdir().unwrap();
    std::fs::write(managed.path().join(".env"), "CODER_KEY=canary-managed\nTERMINAL_ENV=docker\n").unwrap();
    let host = world.builder().managed(ManagedDirectory::at(managed.path())).build().unwrap();
    let scope = host.profile_scope("coder").unwrap();
    assert_eq!(value(scope.secret("CODER_KEY")).as_deref(), Some("canary-managed"));
    assert_eq!(scope.backend().unwrap().as_str(), "docker");

    let gone = ManagedDirectory::at(managed.path().join("nowhere"));
    let scope = world.builder().managed(gone).build().unwrap().profile_scope("coder").unwrap();
    assert_eq!(code(scope.secret("CODER_KEY")), "unavailable");
    assert_eq!(scope.backend().unwrap_err().code(), "unavailable");
}

#[test]
fn sec_27_a_shared_key_is_named_one_by_one() {
    let world = World::with_coder();
    world.set("SEARCH_URL", "canary-shared").set("PROVIDER_KEY", "canary-private");
    let host = world.builder().share(["SEARCH_URL"]).build().unwrap();
    let scope = host.profile_scope("coder").unwrap();
    assert_eq!(value(scope.secret("SEARCH_URL")).as_deref(), Some("canary-shared"));
    assert_eq!(value(scope.secret("PROVIDER_KEY")), None);
    assert_eq!(world.builder().share(["SEARCH_*"]).build().unwrap_err().code(), "pattern");
}

#[test]
fn term_25_a_configured_backend_applies_on_a_single_profile_host_too() {
    let world = World::new();
    world.write("config.yaml", "terminal: {backend: docker}\n");
    let host = world.host();
    assert!(host.terminal("TERMINAL_ENV").unwrap().is_none(), "a plain read is the live environment's");
    assert_eq!(host.backend().unwrap().as_str(), "docker");
    world.write("config.yaml", "terminal: {backend: [docker}\n");
    assert_eq!(host.ensure_allowed().unwrap_err().code(), "unavailable");
}

#[test]
fn prof_04_no_home_at_all_is_an_error_and_no_panic() {
    let built = Host::builder().env(MapEnv::new()).managed(ManagedDirectory::none()).build();
    assert_eq!(built.unwrap_err().code(), "no-home");
    let shared: Arc<MapEnv> = Arc::new(MapEnv::from([("HERMES_HOME", "~other/x")]));
    assert!(Host::builder().env(shared).managed(ManagedDirectory::none()).build().is_err());
}

#[test]
fn sec_16_what_a_host_adds_to_the_control_plane_answers_no_read() {
    let world = World::new();
    world.write(".env", "HOST_TOKEN=canary-file\n").set("HOST_TOKEN", "canary-environment");
    let plain = world.host();
    assert_eq!(
        value(plain.secret("HOST_TOKEN")).as_deref(),
        Some("canary-environment"),
        "a secret elsewhere"
    );
    let host = world.builder().control_plane(["HOST_TOKEN"]).build().unwrap();
    assert_eq!(code(host.secret("HOST_TOKEN")), "control-plane");
    let launch = host.launch_scope().unwrap();
    assert_eq!(launch.run(|| code(host.secret("HOST_TOKEN"))), "control-plane");
}

#[test]
fn host_32_a_host_shows_which_it_is_and_whom_it_hosts() {
    let world = World::new();
    world.set("KEY", "canary-1");
    let host = world.host();
    let root = world.root().display().to_string();
    for many in [false, true] {
        let shown = format!("{host:?}");
        assert!(shown.contains(&root) && shown.contains(&format!("many_profiles: {many}")), "{shown}");
        assert!(!shown.contains("canary"), "{shown}");
        host.activate();
    }
}
