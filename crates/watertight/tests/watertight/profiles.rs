use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use watertight::disk::{Operation, RealFileSystem, Recording, Scripted};

use crate::world::{World, code, entries, picture, value};

#[test]
fn host_22_a_profile_scope_holds_its_own_files_and_nothing_else() {
    let world = World::with_coder();
    world.write(".env", "ROOT_KEY=canary-root\n").set("UNIT_KEY", "canary-unit");
    world.set("TERMINAL_ENV", "ssh").write("profiles/coder/config.yaml", "terminal: {backend: docker}\n");
    let host = world.host();
    let scope = host.profile_scope("coder").unwrap();
    assert_eq!(scope.home().path(), world.path("profiles/coder"));
    assert_eq!(scope.name().as_deref(), Some("coder"));
    assert_eq!(value(scope.secret("CODER_KEY")).as_deref(), Some("canary-coder"));
    for name in ["ROOT_KEY", "UNIT_KEY"] {
        assert_eq!(value(scope.secret(name)), None, "{name}");
    }
    assert_eq!(scope.backend().unwrap().as_str(), "docker");
}

#[test]
fn host_22_the_async_form_takes_the_runtimes_own_way_to_block() {
    let world = World::with_coder();
    let host = world.host();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let scope =
            host.profile_scope_async("coder", |job| drop(tokio::task::spawn_blocking(job))).await.unwrap();
        assert_eq!(value(scope.secret("CODER_KEY")).as_deref(), Some("canary-coder"));
        let dropped = host.profile_scope_async("coder", drop).await;
        assert_eq!(dropped.unwrap_err().code(), "abandoned");
    });
}

#[test]
fn host_23_each_file_is_read_once_for_one_scope() {
    let world = World::with_coder();
    world.write("profiles/coder/config.yaml", "terminal: {backend: docker}\n");
    let recording = Recording::new();
    let host = world.builder().disk(Arc::new(recording.of(Arc::new(RealFileSystem)))).build().unwrap();
    host.activate();
    recording.take();
    host.profile_scope("coder").unwrap();
    let calls = recording.take();
    let opened = |file: &str| {
        calls.iter().filter(|call| call.operation == Operation::Open && call.path.ends_with(file)).count()
    };
    assert_eq!(opened("coder/.env"), 1);
    assert_eq!(opened("coder/config.yaml"), 1, "whether it stands alone is told by the same reading");
}

#[test]
fn host_23_building_touches_neither_the_tree_nor_the_environment() {
    let world = World::with_coder();
    world.write(".env", "KEY=canary\n").write("profiles/coder/config.yaml", "terminal: {}\n");
    let (tree, environment) = (picture(&world.root()), entries(&*world.env));
    let host = world.host();
    host.activate_eagerly();
    host.launch_scope().unwrap().run(|| drop(host.secret("KEY")));
    host.profile_scope("coder").unwrap().run(|| drop(host.secret("KEY")));
    drop(host.report());
    assert_eq!(picture(&world.root()), tree);
    assert_eq!(entries(&*world.env), environment);
}

#[test]
fn host_24_there_is_no_fallback_to_the_launch_profile() {
    let world = World::with_coder();
    world
        .write(".env", "KEY=canary-root\n")
        .write("profiles/alone/config.yaml", "gateway: {standalone: yes}\n");
    let host = world.host();
    for (name, code) in [("nobody", "no-such-profile"), ("alone", "not-served"), ("../coder", "invalid-name")]
    {
        let error = host.profile_scope(name).unwrap_err();
        assert_eq!(error.code(), code);
        assert!(!format!("{error:?} {error}").contains("canary"));
    }
}

#[test]
fn host_15_a_standalone_profile_is_told_by_its_file_so_it_activates_first() {
    let world = World::new();
    world.write("profiles/alone/config.yaml", "gateway: {standalone: yes}\n");
    let host = world.host();
    assert_eq!(host.profile_scope("alone").unwrap_err().code(), "not-served");
    assert!(host.many_profiles(), "its file was opened");

    // The process that was started for it is its gateway.
    world.env.set("HERMES_HOME", world.path("profiles/alone"));
    let own = world.host();
    assert_eq!(own.profile_scope("alone").unwrap().home().path(), world.path("profiles/alone"));
    assert!(!own.many_profiles());
}

#[test]
fn file_06_a_folder_that_the_host_lists_may_be_linked_into_for_every_answer() {
    use std::os::unix::fs::symlink;

    let world = World::with_coder();
    world.write("profiles/alone/SOUL.md", "x");
    let shared = tempfile::tempdir().unwrap();
    std::fs::write(shared.path().join("alone.yaml"), "gateway: {standalone: true}\n").unwrap();
    std::fs::write(shared.path().join("keys.env"), "CODER_KEY=canary-shared\n").unwrap();
    symlink(shared.path().join("alone.yaml"), world.path("profiles/alone/config.yaml")).unwrap();
    fs::remove_file(world.path("profiles/coder/.env")).unwrap();
    symlink(shared.path().join("keys.env"), world.path("profiles/coder/.env")).unwrap();

    let host = world.builder().allow_links_into(shared.path()).build().unwrap();
    assert_eq!(
        value(host.profile_scope("coder").unwrap().secret("CODER_KEY")).as_deref(),
        Some("canary-shared")
    );
    assert_eq!(host.profile_scope("alone").unwrap_err().code(), "not-served");
    assert!(!host.report().served.contains(&"alone".to_owned()), "the report and the host read alike");
    assert_eq!(code(world.host().profile_scope("coder").unwrap().secret("CODER_KEY")), "unavailable");
}

#[cfg(unix)]
#[test]
fn file_06_a_home_or_a_listed_folder_that_holds_other_homes_reaches_none_of_them() {
    use std::os::unix::fs::symlink;

    // The tree lies in a profile's own home, and another profile's home in a folder that the host lists.
    let world = World::with_coder();
    let above = world.root().parent().unwrap().to_owned();
    let listed = tempfile::tempdir().unwrap();
    let far = listed.path().join("far");
    fs::create_dir(&far).unwrap();
    fs::write(far.join("SOUL.md"), "x").unwrap();
    fs::write(far.join(".env"), "FAR_KEY=canary-far\n").unwrap();
    fs::write(listed.path().join("keys.env"), "OPEN_KEY=canary-open\n").unwrap();
    fs::write(above.join("SOUL.md"), "x").unwrap();
    symlink(&above, world.path("profiles/up")).unwrap();
    symlink(&far, world.path("profiles/far")).unwrap();
    world.write("profiles/curious/SOUL.md", "x");
    world.write(".env", "ROOT_KEY=canary-root\n");
    let host = world.builder().allow_links_into(listed.path()).build().unwrap();
    assert_eq!(value(host.profile_scope("far").unwrap().secret("FAR_KEY")).as_deref(), Some("canary-far"));

    let asked = |profile: &str, link: &Path, target: &Path, key: &str| {
        let _ = fs::remove_file(link);
        symlink(target, link).unwrap();
        host.profile_scope(profile).unwrap().secret(key)
    };
    for (target, key) in [
        (world.path("profiles/coder/.env"), "CODER_KEY"),
        (world.path(".env"), "ROOT_KEY"),
        (far.join(".env"), "FAR_KEY"),
    ] {
        for (profile, link) in [("up", above.join(".env")), ("curious", world.path("profiles/curious/.env"))]
        {
            assert_eq!(code(asked(profile, &link, &target, key)), "unavailable", "{profile} reads {key}");
        }
    }
    let open =
        asked("curious", &world.path("profiles/curious/.env"), &listed.path().join("keys.env"), "OPEN_KEY");
    assert_eq!(value(open).as_deref(), Some("canary-open"));
}

#[test]
fn host_25_a_deleted_profile_finishes_its_turn_and_is_refused_the_next() {
    let world = World::with_coder();
    let host = world.host();
    let scope = host.profile_scope("coder").unwrap();
    scope.run(|| {
        world.write("profiles/.deleted/coder", "");
        fs::remove_dir_all(world.path("profiles/coder")).unwrap();
        assert_eq!(value(host.secret("CODER_KEY")).as_deref(), Some("canary-coder"));
    });
    assert_eq!(host.profile_scope("coder").unwrap_err().code(), "no-such-profile");
}

#[test]
fn prof_45_a_home_that_is_swapped_while_it_is_read_gives_no_scope() {
    let world = World::with_coder();
    world.write("profiles/evil/.env", "CODER_KEY=canary-evil\n");
    let root = world.root();
    let swapped = std::sync::atomic::AtomicBool::new(false);
    let disk = Scripted::new(Arc::new(RealFileSystem), move |operation, path| {
        let reads = operation == Operation::Read && path.ends_with("coder/.env");
        if reads && !swapped.swap(true, Ordering::Relaxed) {
            fs::rename(root.join("profiles/coder"), root.join("profiles/was")).unwrap();
            fs::rename(root.join("profiles/evil"), root.join("profiles/coder")).unwrap();
        }
        Ok(())
    });
    let host = world.builder().disk(Arc::new(disk)).build().unwrap();
    assert_eq!(host.profile_scope("coder").unwrap_err().code(), "changed");
}

#[test]
fn sec_30_a_file_that_cannot_be_read_is_bound_as_a_refusal() {
    let world = World::new();
    fs::create_dir_all(world.path("profiles/coder/.env")).unwrap();
    world.write("profiles/coder/SOUL.md", "x").set("KEY", "canary-unit");
    let host = world.host();
    let scope = host.profile_scope("coder").unwrap();
    assert_eq!(code(scope.secret("KEY")), "unavailable");
    assert_eq!(scope.run(|| code(host.secret("KEY"))), "unavailable");
    assert_eq!(scope.backend().unwrap_err().code(), "unavailable");
}
