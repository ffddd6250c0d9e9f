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
    let read = || value(host.secret("KEY"));
    assert_eq!(host.run_launch_if_many(read).unwrap().as_deref(), Some("canary-env"), "as ever");
    assert_eq!(block_on(host.in_launch_if_many(async { read() })).unwrap().as_deref(), Some("canary-env"));
    let undecided = host.in_launch_if_many(async { read() });

    host.activate();
    assert_eq!(host.run_launch_if_many(read).unwrap().as_deref(), Some("canary-file"));
    assert_eq!(block_on(host.in_launch_if_many(async { read() })).unwrap().as_deref(), Some("canary-file"));
    let late = block_on(undecided).unwrap();
    assert_eq!(late.as_deref(), Some("canary-file"), "what counts is when the body begins");
}

#[test]
fn host_21_it_never_switches_a_profile_by_accident() {
    let world = World::with_coder();
    world.write(".env", "KEY=canary-launch\n");
    let host = world.host();
    let coder = host.profile_scope("coder").unwrap();
    let waiting = host.in_launch_if_many(async { value(host.secret("KEY")) });
    coder.run(|| {
        let refused = host.run_launch_if_many(|| panic!("the body must not run"));
        assert_eq!(refused.unwrap_err().code(), "would-switch-profile");
        assert_eq!(block_on(waiting).unwrap_err().code(), "would-switch-profile");
        let meant = detached(|| host.run_launch_if_many(|| value(host.secret("KEY"))));
        assert_eq!(meant.unwrap().as_deref(), Some("canary-launch"), "`detached` says that it is meant");
    });
    let own = host.launch_scope().unwrap();
    own.run(|| assert!(host.run_launch_if_many(|| ()).is_ok(), "its own is no switch"));
}

#[test]
fn host_21_a_body_that_began_with_nothing_bound_never_reads_another_profiles_scope() {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    let world = World::with_coder();
    let host = world.host();
    let reader = host.clone();
    let read = move || reader.secret("CODER_KEY").map(|key| key.is_some()).map_err(|refused| refused.code());
    let mut seen = Vec::new();
    let mut body = pin!(host.in_launch_if_many(std::future::poll_fn(move |_| {
        seen.push(read());
        if seen.len() == 2 { Poll::Ready(std::mem::take(&mut seen)) } else { Poll::Pending }
    })));
    let mut waker = Context::from_waker(Waker::noop());
    assert!(body.as_mut().poll(&mut waker).is_pending());
    // A local executor inside another profile's scope polls it on.
    let coder = host.profile_scope("coder").unwrap();
    let Poll::Ready(Ok(seen)) = coder.run(|| body.as_mut().poll(&mut waker)) else { panic!("it has ended") };
    assert_eq!(seen, [Ok(false), Err("unscoped")]);
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

#[test]
fn file_06_where_tenants_cannot_be_counted_a_launch_link_stays_in_its_home() {
    use std::os::unix::fs::symlink;

    let world = World::with_coder();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("vault.env"), "KEY=canary-vault\n").unwrap();
    world.write("own.env", "KEY=canary-own\n");
    let uncountable = Scripted::failing(Arc::new(RealFileSystem), Operation::OpenDir, "profiles", 5);
    let host = world.builder().disk(Arc::new(uncountable)).build().unwrap();
    for (target, allowed) in [
        (world.path("own.env"), true),
        (world.path("profiles/coder/.env"), false),
        (outside.path().join("vault.env"), false),
    ] {
        let _ = std::fs::remove_file(world.path(".env"));
        symlink(&target, world.path(".env")).unwrap();
        let read = host.launch_scope().unwrap().secret("KEY");
        assert_eq!(read.is_ok(), allowed, "{}", target.display());
    }
}

#[test]
fn file_06_a_launch_file_that_becomes_a_link_before_it_is_opened_leads_into_no_tenants_home() {
    use std::os::unix::fs::symlink;

    let world = World::new();
    let outside = tempfile::tempdir().unwrap();
    let tenant = outside.path().canonicalize().unwrap();
    std::fs::write(tenant.join(".env"), "KEY=canary-tenant\n").unwrap();
    std::fs::create_dir_all(world.path("profiles")).unwrap();
    symlink(&tenant, world.path("profiles/linked")).unwrap();
    world.write(".env", "KEY=canary-own\n");
    let (file, target) = (world.path(".env"), tenant.join(".env"));
    let disk = Scripted::new(Arc::new(RealFileSystem), move |operation, path| {
        if operation == Operation::Open && path == file && !std::fs::symlink_metadata(path)?.is_symlink() {
            std::fs::remove_file(path)?;
            symlink(&target, path)?;
        }
        Ok(())
    });
    let host = world.builder().disk(Arc::new(disk)).build().unwrap();
    assert_eq!(code(host.launch_scope().unwrap().secret("KEY")), "unavailable");
}

#[test]
fn prof_45_a_launch_home_that_is_swapped_while_it_is_read_gives_no_scope() {
    let world = World::new();
    world.write(".env", "KEY=canary-own\n").write("../evil/.env", "KEY=canary-evil\n");
    let root = world.root();
    let swapped = AtomicBool::new(false);
    let disk = Scripted::new(Arc::new(RealFileSystem), move |operation, path| {
        if operation == Operation::Read
            && path.ends_with("root/.env")
            && !swapped.swap(true, Ordering::Relaxed)
        {
            std::fs::rename(&root, root.with_file_name("was"))?;
            std::fs::rename(root.with_file_name("evil"), &root)?;
        }
        Ok(())
    });
    let host = world.builder().disk(Arc::new(disk)).build().unwrap();
    assert_eq!(host.launch_scope().unwrap_err().code(), "changed");
}

#[test]
fn host_03_the_launch_profile_has_the_name_that_its_home_has_in_the_tree() {
    let world = World::with_coder();
    assert_eq!(world.host().launch_name().as_deref(), Some("default"));
    world.env.set("HERMES_HOME", world.path("profiles/coder"));
    let host = world.host();
    world.env.set("HERMES_HOME", world.root());
    assert_eq!(host.launch_name().as_deref(), Some("coder"), "pinned when the host was built");
}
