use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use futures_lite::future::block_on;
use watertight::disk::{Operation, RealFileSystem, Scripted};
use watertight::{Host, detached};

use crate::world::{World, code, value};

#[test]
fn host_20_a_launch_scope_reads_the_same_before_and_after_activation() {
    let world = World::with_coder();
    world.write(".env", "BOTH=canary-file\nFILE_ONLY=canary-f\n");
    world.set("BOTH", "canary-unit").set("ENV_ONLY", "canary-env");
    let host = world.host();
    let early = host.launch_scope().unwrap();
    let read = |name| value(early.run(|| host.secret(name)));
    let before = ["BOTH", "FILE_ONLY", "ENV_ONLY"].map(read);
    assert_eq!(before.clone().map(Option::unwrap), ["canary-file", "canary-f", "canary-env"]);
    host.activate();
    world.set("ENV_ONLY", "canary-poisoned");
    assert_eq!(["BOTH", "FILE_ONLY", "ENV_ONLY"].map(read), before);
    let late = host.launch_scope().unwrap();
    assert_eq!(["BOTH", "FILE_ONLY", "ENV_ONLY"].map(|name| value(late.secret(name))), before);
}

#[test]
fn host_20_activation_during_the_build_builds_again_from_the_frozen_environment() {
    let world = World::with_coder();
    world.write(".env", "FILE=canary-f\n").set("KEY", "canary-launch");
    let host_cell = Arc::new(OnceLock::<Host>::new());
    let poisoned = Arc::new(AtomicBool::new(false));
    let disk = {
        let (host, env, poisoned) = (Arc::clone(&host_cell), Arc::clone(&world.env), Arc::clone(&poisoned));
        Scripted::new(Arc::new(RealFileSystem), move |operation, path| {
            let is_the_file = operation == Operation::Open && path.ends_with("root/.env");
            if is_the_file && !poisoned.swap(true, Ordering::Relaxed) {
                // Between the copy of the live environment and the end of the build, a second profile comes
                // up, and something writes the environment on the way.
                env.set("KEY", "canary-changed");
                host.get().unwrap().activate();
            }
            Ok(())
        })
    };
    let host = world.builder().disk(Arc::new(disk)).build().unwrap();
    host_cell.set(host.clone()).unwrap();
    let scope = host.launch_scope().unwrap();
    assert!(poisoned.load(Ordering::Relaxed));
    assert_eq!(
        value(scope.secret("KEY")).as_deref(),
        Some("canary-changed"),
        "the frozen one, not the earlier copy"
    );
}

#[test]
fn host_21_before_activation_nothing_is_bound_and_after_it_the_launch_scope() {
    let world = World::with_coder();
    world.write(".env", "KEY=canary-file\n").set("KEY", "canary-env");
    let host = world.host();
    let scope = host.launch_scope_if_many().unwrap();
    assert!(scope.scope().is_none());
    assert_eq!(value(scope.run(|| host.secret("KEY"))).as_deref(), Some("canary-env"), "as ever");
    assert_eq!(value(block_on(scope.enclose(async { host.secret("KEY") }))).as_deref(), Some("canary-env"));

    host.activate();
    let scope = host.launch_scope_if_many().unwrap();
    assert_eq!(value(scope.run(|| host.secret("KEY"))).as_deref(), Some("canary-file"));
    assert_eq!(value(block_on(scope.enclose(async { host.secret("KEY") }))).as_deref(), Some("canary-file"));
}

#[test]
fn host_21_it_never_switches_a_profile_by_accident() {
    let world = World::with_coder();
    let host = world.host();
    let coder = host.profile_scope("coder").unwrap();
    coder.run(|| {
        assert_eq!(host.launch_scope_if_many().unwrap_err().code(), "would-switch-profile");
        assert!(detached(|| host.launch_scope_if_many()).is_ok(), "`detached` says that it is meant");
    });
    host.launch_scope().unwrap().run(|| assert!(host.launch_scope_if_many().is_ok(), "its own is no switch"));
}

#[test]
fn host_33_the_home_is_the_bound_one_or_the_launch_home_of_a_single_profile() {
    let world = World::with_coder();
    let host = world.host();
    assert_eq!(host.home().unwrap().path(), world.root());
    assert!(!host.serves_routed());
    let coder = host.profile_scope("coder").unwrap();
    assert_eq!(host.home().unwrap_err().code(), "unscoped");
    assert!(host.serves_routed());
    assert_eq!(coder.run(|| host.home()).unwrap().path(), world.path("profiles/coder"));
    coder.close();
    assert_eq!(coder.run(|| host.home()).unwrap_err().code(), "closed");
}

#[test]
fn file_06_a_launch_file_may_link_anywhere_but_into_another_tenants_home() {
    use std::os::unix::fs::symlink;

    let world = World::with_coder();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("vault.env"), "KEY=canary-vault\n").unwrap();
    symlink(outside.path().join("vault.env"), world.path(".env")).unwrap();
    let host = world.host();
    assert_eq!(value(host.launch_scope().unwrap().secret("KEY")).as_deref(), Some("canary-vault"));

    for target in [world.path("profiles/coder/.env"), outside.path().join("tenant/.env")] {
        std::fs::create_dir_all(outside.path().join("tenant")).unwrap();
        std::fs::write(outside.path().join("tenant/.env"), "KEY=canary-tenant\n").unwrap();
        let _ = symlink(outside.path().join("tenant"), world.path("profiles/linked"));
        std::fs::remove_file(world.path(".env")).unwrap();
        symlink(&target, world.path(".env")).unwrap();
        assert_eq!(code(host.launch_scope().unwrap().secret("KEY")), "unavailable", "{}", target.display());
    }
}
