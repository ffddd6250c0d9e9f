use std::ffi::{OsStr, OsString};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use watertight_env_snapshot::{LaunchEnv, MapEnv};
use watertight_vocabulary::{EnvSource, Platform};

const THREADS: usize = 64;

#[test]
fn snap_01_the_first_capture_wins_for_good() {
    let process = Arc::new(MapEnv::from([("MODE", "ssh"), ("ONLY_FIRST", "1")]));
    let launch = LaunchEnv::new(process.clone());

    let first = launch.capture();
    process.set("MODE", "docker");
    process.remove("ONLY_FIRST");
    process.set("LATER", "1");
    let second = launch.capture();

    assert!(Arc::ptr_eq(&first, &second), "a later capture is the first one");
    assert_eq!(second.get_text("MODE"), Ok(Some("ssh")));
    assert_eq!(second.get_text("ONLY_FIRST"), Ok(Some("1")));
    assert_eq!(second.get_text("LATER"), Ok(None), "what was set later is not the launch environment");
}

#[test]
fn snap_01_a_capture_by_hand_can_be_seen() {
    let launch = LaunchEnv::new(Arc::new(MapEnv::from([("MODE", "ssh")])));
    assert!(launch.frozen().is_none(), "nothing is frozen unless somebody captured");
    let captured = launch.capture();
    assert!(Arc::ptr_eq(launch.frozen().unwrap(), &captured), "whoever looks sees what was captured");
}

#[test]
fn snap_01_the_capture_is_whole() {
    let entries = (0..500).map(|number| (format!("NAME_{number}"), format!("canary-{number}")));
    let process: MapEnv = entries.clone().collect();
    let frozen = LaunchEnv::new(Arc::new(process)).capture();
    assert_eq!(frozen.len(), 500);
    for (name, value) in entries {
        assert_eq!(frozen.get_os(&name), Some(OsStr::new(&value)));
    }
}

/// ES-02: all callers hold the one snapshot, and each snapshot is one moment of the writer's.
#[test]
fn snap_03_racing_captures_agree_while_another_thread_writes() {
    for round in 0..20 {
        let process = Arc::new(MapEnv::from([("LEFT", "0"), ("RIGHT", "0")]));
        let launch = LaunchEnv::new(process.clone());
        let (start, done) = (Barrier::new(THREADS + 1), AtomicBool::new(false));

        let snapshots = thread::scope(|scope| {
            let racers: Vec<_> = (0..THREADS)
                .map(|_| {
                    scope.spawn(|| {
                        start.wait();
                        let captured = launch.capture();
                        assert!(launch.frozen().is_some(), "after a capture everybody sees the snapshot");
                        captured
                    })
                })
                .collect();
            scope.spawn(|| {
                start.wait();
                let mut turn: u64 = 0;
                while !done.load(Ordering::Relaxed) {
                    turn += 1;
                    process.set("LEFT", turn.to_string());
                    process.set("RIGHT", turn.to_string());
                }
            });
            let snapshots: Vec<_> = racers.into_iter().map(|racer| racer.join().unwrap()).collect();
            done.store(true, Ordering::Relaxed);
            snapshots
        });

        assert!(
            snapshots.iter().all(|snapshot| Arc::ptr_eq(snapshot, &snapshots[0])),
            "round {round}: every thread got the one snapshot"
        );
        let number = |name: &str| snapshots[0].get_text(name).unwrap().unwrap().parse::<u64>().unwrap();
        assert!(
            matches!(number("LEFT") - number("RIGHT"), 0 | 1),
            "round {round}: the listing is one moment, not a mixture of several"
        );
    }
}

/// A source that answers with a name of its own at each listing, and panics at the first few.
#[derive(Debug)]
struct Moody {
    listings: AtomicUsize,
    panics: usize,
}

impl EnvSource for Moody {
    fn var_os(&self, _: &OsStr) -> Option<OsString> {
        None
    }

    fn vars_os(&self) -> Vec<(OsString, OsString)> {
        let listing = self.listings.fetch_add(1, Ordering::SeqCst);
        assert!(listing >= self.panics, "the source is not ready");
        vec![("LISTING".into(), listing.to_string().into())]
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        Ok(PathBuf::from("/"))
    }
}

#[test]
fn snap_03_a_panic_in_one_caller_does_not_poison_the_others() {
    let source = Arc::new(Moody { listings: AtomicUsize::new(0), panics: 3 });
    let launch = LaunchEnv::new(source.clone());
    let start = Barrier::new(THREADS);

    let results: Vec<_> = thread::scope(|scope| {
        let racers: Vec<_> = (0..THREADS)
            .map(|_| {
                scope.spawn(|| {
                    start.wait();
                    catch_unwind(AssertUnwindSafe(|| launch.capture())).ok()
                })
            })
            .collect();
        racers.into_iter().map(|racer| racer.join().unwrap()).collect()
    });

    let captured: Vec<_> = results.iter().flatten().collect();
    assert_eq!(captured.len(), THREADS - 3, "only the three callers in whose call it panicked see a panic");
    assert!(captured.iter().all(|snapshot| Arc::ptr_eq(snapshot, captured[0])));
    assert_eq!(captured[0].get_text("LISTING"), Ok(Some("3")));
    assert_eq!(source.listings.load(Ordering::SeqCst), 4, "once captured, the source is not asked again");
}

#[test]
fn snap_04_nothing_freezes_without_a_capture() {
    let process = Arc::new(MapEnv::from([("INJECTED", "no")]));
    let launch = LaunchEnv::new(process.clone());
    assert_eq!(launch.live().var_os(OsStr::new("INJECTED")), Some("no".into()));
    process.set("INJECTED", "by the boot");
    assert_eq!(launch.live().var_os(OsStr::new("INJECTED")), Some("by the boot".into()));
    assert!(launch.frozen().is_none(), "reading freezes nothing");
    assert_eq!(
        launch.capture().get_text("INJECTED"),
        Ok(Some("by the boot")),
        "what the boot injected is kept"
    );
}

#[test]
fn snap_07_a_launch_environment_shows_names_only() {
    let launch = LaunchEnv::new(Arc::new(MapEnv::from([("TOKEN", "canary-1")])));
    assert!(!format!("{launch:?} {launch:#?}").contains("canary"));
    launch.capture();
    let shown = format!("{launch:?}");
    assert!(shown.contains("TOKEN") && !format!("{shown} {launch:#?}").contains("canary"), "{shown}");
}

#[test]
fn snap_08_the_platform_is_an_argument() {
    for platform in Platform::ALL {
        let process = MapEnv::from([("Path", "first"), ("PATH", "second")]).on(platform);
        let frozen = LaunchEnv::new(Arc::new(process)).on(platform).capture();
        let expected = match platform {
            Platform::Windows => ("first", 1),
            _ => ("second", 2),
        };
        assert_eq!((frozen.get_text("PATH").unwrap().unwrap(), frozen.len()), expected, "{platform:?}");
    }
}
