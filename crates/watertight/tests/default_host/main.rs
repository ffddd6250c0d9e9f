//! The default host is installed once in a process, so this is a process of its own.

use std::sync::Arc;

use watertight::env_snapshot::MapEnv;
use watertight::profile_home::ManagedDirectory;
use watertight::{Host, detached, host};

#[test]
fn host_32_the_default_is_installed_once_and_answers_where_no_frame_does() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("profiles/coder")).unwrap();
    std::fs::write(root.join("profiles/coder/.env"), "KEY=canary-coder\n").unwrap();
    let env = Arc::new(MapEnv::from([("KEY", "canary-launch")]));
    env.set("HERMES_HOME", &root);
    let build = || Host::builder().env(Arc::clone(&env)).managed(ManagedDirectory::none()).build().unwrap();
    let (installed, other) = (build(), build());

    assert_eq!(host().secret("KEY").unwrap_err().code(), "no-host");
    installed.clone().install_default().unwrap();
    assert_eq!(other.clone().install_default().unwrap_err().code(), "already-installed");
    assert_eq!(host().get().map(Host::id), Some(installed.id()));
    assert!(host().secret("KEY").unwrap().unwrap().matches("canary-launch"));

    other.profile_scope("coder").unwrap().run(|| {
        assert_eq!(host().get().map(Host::id), Some(other.id()), "the frame's host comes first");
        assert!(host().secret("KEY").unwrap().unwrap().matches("canary-coder"));
        assert_eq!(detached(|| host().get().map(Host::id)), Some(installed.id()));
    });
    installed.activate();
    assert_eq!(host().secret("KEY").unwrap_err().code(), "unscoped");
}
