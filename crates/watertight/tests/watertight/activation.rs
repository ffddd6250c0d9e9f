use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, OnceLock};
use std::thread;

use watertight::disk::{Operation, RealFileSystem, Scripted};
use watertight::env_snapshot::MapEnv;
use watertight::vocabulary::EnvSource;
use watertight::{Activation, Host};

use crate::world::{World, code, value};

/// An environment that looks, while it is being captured, at whether that was already said to be over.
#[derive(Debug)]
struct Watched {
    env: Arc<MapEnv>,
    host: Arc<OnceLock<Host>>,
    seen: Arc<AtomicUsize>,
}

impl EnvSource for Watched {
    fn var_os(&self, name: &OsStr) -> Option<OsString> {
        self.env.var_os(name)
    }

    fn vars_os(&self) -> Vec<(OsString, OsString)> {
        if let Some(host) = self.host.get() {
            assert!(
                !host.many_profiles(),
                "many profiles are said to be hosted before the environment is frozen"
            );
            self.seen.fetch_add(1, Ordering::Relaxed);
        }
        self.env.vars_os()
    }

    fn current_dir(&self) -> std::io::Result<PathBuf> {
        self.env.current_dir()
    }
}

#[test]
fn host_01_the_environment_is_frozen_before_many_profiles_are_said_to_be_hosted() {
    let world = World::with_coder();
    let (cell, seen) = (Arc::new(OnceLock::new()), Arc::new(AtomicUsize::new(0)));
    let watched = Watched { env: Arc::clone(&world.env), host: Arc::clone(&cell), seen: Arc::clone(&seen) };
    let host = world.builder().env(watched).build().unwrap();
    cell.set(host.clone()).unwrap();
    let start = Barrier::new(8);
    let firsts = thread::scope(|threads| {
        let callers: Vec<_> = (0..8)
            .map(|_| {
                threads.spawn(|| {
                    start.wait();
                    let first = host.activate();
                    assert!(host.many_profiles() && host.launch_environment().frozen().is_some());
                    first
                })
            })
            .collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).filter(|first| *first).count()
    });
    assert_eq!(firsts, 1, "it happens once");
    assert_eq!(seen.load(Ordering::Relaxed), 1, "and captures once");

    let frozen = host.launch_environment().capture();
    world.set("KEY", "canary-after");
    assert!(!host.activate(), "repeating it changes nothing");
    assert!(Arc::ptr_eq(&frozen, &host.launch_environment().capture()));
    assert!(host.many_profiles(), "it is never taken back");
}

#[test]
fn host_02_nothing_is_frozen_before_activation() {
    let world = World::new();
    let host = world.set("KEY", "canary-early").host();
    assert_eq!(value(host.secret("KEY")).as_deref(), Some("canary-early"));
    world.set("KEY", "canary-late");
    assert_eq!(value(host.secret("KEY")).as_deref(), Some("canary-late"), "what the boot injects is seen");
    assert!(host.launch_environment().frozen().is_none());
}

#[test]
fn host_03_later_writes_to_the_home_variable_change_no_decision() {
    let world = World::with_coder();
    let host = world.host();
    world.env.set("HERMES_HOME", world.path("profiles/coder"));
    assert_eq!(host.launch_home().path(), world.root());
    assert_eq!(host.launch_scope().unwrap().home().path(), world.root());
    let coder = host.profile_scope("coder").unwrap();
    assert!(coder.secret("HERMES_HOME").unwrap().is_some(), "the variable itself is a global name");
    assert_eq!(coder.home().path(), world.path("profiles/coder"));
    assert_eq!(code(host.secret("KEY")), "unscoped", "the coder's home is foreign still");
}

#[test]
fn host_10_one_profile_is_left_alone_and_two_activate() {
    let world = World::new();
    let host = world.set("KEY", "canary-launch").host();
    assert_eq!(host.activate_eagerly(), Activation::SingleProfile);
    assert!(!host.many_profiles());
    assert!(host.launch_environment().frozen().is_none(), "nothing at all was done");

    world.write("profiles/coder/.env", "K=canary\n");
    let tenants = vec!["default".to_owned(), "coder".to_owned()];
    assert_eq!(host.activate_eagerly(), Activation::Activated { tenants });
    assert!(host.many_profiles());
}

#[test]
fn host_10_the_shell_that_a_crashed_creation_leaves_does_not_activate() {
    let world = World::new();
    world.write("profiles/coder/.env", "");
    assert_eq!(world.host().activate_eagerly(), Activation::SingleProfile);
    world.write("profiles/coder/.env", "# to be filled in\n");
    assert!(world.host().activate_eagerly().activated_now());
}

#[test]
fn host_11_an_active_host_says_so_and_does_nothing() {
    let world = World::with_coder();
    let host = world.host();
    host.activate_eagerly();
    let frozen = host.launch_environment().capture();
    world.set("KEY", "canary-late");
    assert_eq!(host.activate_eagerly(), Activation::AlreadyActive);
    assert!(Arc::ptr_eq(&frozen, &host.launch_environment().capture()));
}

#[test]
fn host_12_no_setting_turns_activation_off() {
    let world = World::with_coder();
    for file in ["config.yaml", "profiles/coder/config.yaml"] {
        world.write(file, "gateway: {multiplex_profiles: false}\n");
    }
    world.set("GATEWAY_MULTIPLEX_PROFILES", "false").set("HERMES_MULTIPLEX_PROFILES", "0");
    assert!(world.host().activate_eagerly().activated_now());
}

#[test]
fn host_13_what_cannot_be_counted_activates() {
    let world = World::new();
    let unreadable = Scripted::failing(Arc::new(RealFileSystem), Operation::OpenDir, "profiles", 5);
    fs::create_dir(world.path("profiles")).unwrap();
    let host = world.builder().disk(Arc::new(unreadable)).build().unwrap();
    let activation = host.activate_eagerly();
    assert_eq!(activation.code(), "counting-failed", "{activation}");
    assert!(host.many_profiles());

    let world = World::new();
    std::os::unix::fs::symlink("nowhere", world.path("profiles")).unwrap();
    let activation = world.host().activate_eagerly();
    assert_eq!(activation.code(), "counting-failed", "an unmounted volume is not a missing folder");
}

#[test]
fn host_13_one_unknown_entry_beside_the_launch_home_is_enough() {
    let world = World::new();
    fs::create_dir_all(world.path("profiles/riddle")).unwrap();
    let unreadable = Scripted::new(Arc::new(RealFileSystem), |_, path| {
        let is_marker = path.to_string_lossy().contains("riddle/");
        if is_marker { Err(std::io::Error::from_raw_os_error(5)) } else { Ok(()) }
    });
    let host = world.builder().disk(Arc::new(unreadable)).build().unwrap();
    let Activation::CountingFailed { cause, .. } = host.activate_eagerly() else {
        panic!("it must activate")
    };
    assert!(cause.contains("riddle"), "the cause names the entry: {cause}");
}

#[test]
fn host_14_the_decision_is_logged_with_its_cause() {
    let world = World::new();
    let log = Log::default();
    tracing::subscriber::with_default(log.subscriber(), || world.host().activate_eagerly());
    assert!(log.text().contains("INFO") && log.text().contains("single-profile"), "{}", log.text());

    std::os::unix::fs::symlink("nowhere", world.path("profiles")).unwrap();
    let log = Log::default();
    tracing::subscriber::with_default(log.subscriber(), || world.host().activate_eagerly());
    assert!(log.text().contains("WARN") && log.text().contains("profiles"), "{}", log.text());
}

#[test]
fn host_15_a_name_that_leads_nowhere_activates_nothing() {
    let world = World::with_coder();
    world.write("profiles/parked/.env", "K=canary\n").write("profiles/parked/gateway.parked", "");
    world.write("profiles/gone/.env", "K=canary\n").write("profiles/.deleted/gone", "");
    std::os::unix::fs::symlink("coder", world.path("profiles/other")).unwrap();
    let host = world.host();
    let expected = [
        ("coder/..", "invalid-name"),
        ("codr", "no-such-profile"),
        ("gone", "no-such-profile"),
        ("parked", "not-served"),
        ("other", "alias"),
        ("", "invalid-name"),
    ];
    for (name, code) in expected {
        assert_eq!(host.profile_scope(name).unwrap_err().code(), code, "{name}");
        assert!(!host.many_profiles(), "{name} switched the host");
    }
    host.profile_scope("default").unwrap();
    host.launch_scope().unwrap();
    assert!(!host.many_profiles(), "the launch home does not activate");
    host.profile_scope("coder").unwrap();
    assert!(host.many_profiles());
}

#[test]
fn host_15_a_foreign_home_activates_before_the_first_of_its_files_is_opened() {
    let world = World::with_coder();
    let opened_early = Arc::new(AtomicBool::new(false));
    let host_cell = Arc::new(std::sync::OnceLock::<watertight::Host>::new());
    let disk = {
        let (opened_early, host) = (Arc::clone(&opened_early), Arc::clone(&host_cell));
        Scripted::new(Arc::new(RealFileSystem), move |operation, path| {
            let opens = matches!(operation, Operation::Open | Operation::Read);
            if opens && path.to_string_lossy().contains("coder") && !host.get().unwrap().many_profiles() {
                opened_early.store(true, Ordering::Relaxed);
            }
            Ok(())
        })
    };
    let host = world.builder().disk(Arc::new(disk)).build().unwrap();
    host_cell.set(host.clone()).unwrap();
    let scope = host.profile_scope("coder").unwrap();
    assert_eq!(value(scope.secret("CODER_KEY")).as_deref(), Some("canary-coder"), "its files were opened");
    assert!(!opened_early.load(Ordering::Relaxed));
}

/// What was logged, as text.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<std::sync::Mutex<Vec<u8>>>);

impl Log {
    pub(crate) fn subscriber(&self) -> impl tracing::Subscriber + use<> {
        let log = self.clone();
        tracing_subscriber::fmt().with_ansi(false).with_writer(move || log.clone()).finish()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
