//! What a host keeps of its sources: for how long, for whom, and who waits for whom.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use watertight_profile_home::ProfileHome;
use watertight_secret_scope::{Asking, SecretScope, SecretSource, SourceCache, SourceError, SourceRequest};
use watertight_vocabulary::{HomeId, HomeStamp, Name, Secret};

use super::{Broken, scripted};
use crate::world::{home, policy, text};

/// How a test waits for what must come: long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

fn cache(source: Arc<dyn SecretSource>) -> SourceCache {
    SourceCache::new([source])
}

fn build(cache: &SourceCache, home: &ProfileHome, asking: Asking) -> Arc<SecretScope> {
    policy(&SecretScope::builder(home).sources(cache, asking).build())
}

/// The value of `KEY`, or the code of the refusal.
fn key(scope: &SecretScope) -> String {
    match scope.get("KEY") {
        Ok(value) => text(value).unwrap_or("absent").to_owned(),
        Err(refused) => refused.code().to_owned(),
    }
}

fn mended() -> Arc<Broken> {
    let source = Arc::new(Broken::declaring(["KEY"]));
    source.mend();
    source
}

#[test]
fn sec_32_a_home_is_asked_for_once_and_every_home_for_itself() {
    let source = mended();
    let cache = cache(source.clone());
    for _ in 0..3 {
        assert_eq!(key(&build(&cache, &home("a"), Asking::Once)), "canary-vault-a-KEY-1");
    }
    assert_eq!(key(&build(&cache, &home("b"), Asking::Once)), "canary-vault-b-KEY-2");
    assert_eq!((source.asked(), cache.len()), (2, 2));
}

#[test]
fn sec_32_a_failure_is_not_kept() {
    let source = Arc::new(Broken::declaring(["KEY"]));
    let cache = cache(source.clone());
    assert_eq!(key(&build(&cache, &home("a"), Asking::Once)), "unavailable");
    assert_eq!(key(&build(&cache, &home("a"), Asking::Once)), "unavailable");
    source.mend();
    assert_eq!(key(&build(&cache, &home("a"), Asking::Once)), "canary-vault-a-KEY-3");
    assert_eq!(source.asked(), 3);
}

#[test]
fn sec_32_after_a_failure_only_the_source_that_failed_is_asked_again() {
    let (good, bad) = (mended(), Arc::new(Broken::named("bad", ["OTHER"])));
    let cache = SourceCache::new([good.clone() as Arc<dyn SecretSource>, bad.clone()]);
    build(&cache, &home("a"), Asking::Once);
    bad.mend();
    let scope = build(&cache, &home("a"), Asking::Once);
    assert_eq!(key(&scope), "canary-vault-a-KEY-1");
    assert_eq!((good.asked(), bad.asked()), (1, 2));
}

#[test]
fn sec_28_a_refresh_asks_anew_and_an_error_keeps_no_revoked_key_alive() {
    let source = mended();
    let cache = cache(source.clone());
    build(&cache, &home("a"), Asking::Once);
    assert_eq!(key(&build(&cache, &home("a"), Asking::Anew)), "canary-vault-a-KEY-2");
    assert_eq!(key(&build(&cache, &home("a"), Asking::Once)), "canary-vault-a-KEY-2", "the new one is kept");
    source.fail_again();
    assert_eq!(key(&build(&cache, &home("a"), Asking::Anew)), "unavailable");
    source.mend();
    assert_eq!(key(&build(&cache, &home("a"), Asking::Once)), "canary-vault-a-KEY-4", "asked again");
}

#[test]
fn sec_32_a_report_starts_no_source_and_says_so() {
    let source = mended();
    let cache = cache(source.clone());
    build(&cache, &home("a"), Asking::Once);
    let scope = build(&cache, &home("a"), Asking::Never);
    assert_eq!(source.asked(), 1);
    let refused = scope.get("KEY").expect_err("nobody was asked").to_string();
    assert!(refused.contains("the source vault is configured, not asked"), "{refused}");
    assert!(scope.explain("NOWHERE").to_string().contains("configured, not asked"));
    assert_eq!(scope.failures("NOWHERE").count(), 1);
}

#[test]
fn sec_32_the_last_of_many_homes_costs_what_the_first_does() {
    let cache = cache(mended());
    let started = std::time::Instant::now();
    for number in 0..30_000 {
        build(&cache, &home(&number.to_string()), Asking::Once);
    }
    // Looking at every home for each one takes 2^29 steps and more: minutes.
    assert!(started.elapsed() < PATIENCE, "{:?}", started.elapsed());
    assert_eq!(cache.len(), 30_000);
}

fn stamped(inode: u64, created: u64) -> ProfileHome {
    let created = Some(SystemTime::UNIX_EPOCH + Duration::from_secs(created));
    let stamp = HomeStamp { device: 1, inode, created };
    ProfileHome::confined(HomeId::new("/world/profiles/again".into(), Some(stamp)))
}

#[test]
fn sec_32_a_home_that_was_deleted_and_made_again_starts_from_nothing() {
    let source = mended();
    let cache = cache(source.clone());
    let (first, again) = (stamped(7, 1), stamped(7, 2));
    assert_eq!(key(&build(&cache, &first, Asking::Once)), "canary-vault-again-KEY-1");
    assert_eq!(
        key(&build(&cache, &again, Asking::Once)),
        "canary-vault-again-KEY-2",
        "same inode, other home"
    );
    assert_eq!(cache.len(), 1, "what the deleted one left is dropped");
}

#[test]
fn sec_32_what_is_kept_for_a_home_goes_when_the_home_does() {
    let source = mended();
    let cache = cache(source.clone());
    build(&cache, &home("a"), Asking::Once);
    cache.forget(home("a").id());
    assert!(cache.is_empty());
    assert_eq!(key(&build(&cache, &home("a"), Asking::Once)), "canary-vault-a-KEY-2");
    cache.forget(home("never-seen").id());
}

/// A source that says when it was reached, and answers when it is let.
struct Gate {
    reached: Mutex<Receiver<String>>,
    go: Mutex<Sender<&'static str>>,
}

impl Gate {
    fn new() -> (Self, Arc<dyn SecretSource>) {
        let (tell, reached) = channel();
        let (go, wait) = channel();
        let (tell, wait) = (Mutex::new(tell), Mutex::new(wait));
        let source = scripted(["KEY"], move |request| {
            let home = request.home().path().file_name().unwrap_or_default().to_string_lossy().into_owned();
            tell.lock().expect("not poisoned").send(home.clone()).expect("the test listens");
            let answer = wait.lock().expect("not poisoned").recv_timeout(PATIENCE).expect("the test answers");
            match answer {
                "fail" => Err(SourceError::Other("told to")),
                "panic" => panic!("told to"),
                value => Ok(vec![(Name::from("KEY"), Secret::from(format!("canary-{home}-{value}")))]),
            }
        });
        (Self { reached: Mutex::new(reached), go: Mutex::new(go) }, source)
    }

    fn reached(&self) -> String {
        self.reached.lock().expect("not poisoned").recv_timeout(PATIENCE).expect("the source is reached")
    }

    fn was_reached(&self) -> bool {
        self.reached.lock().expect("not poisoned").try_recv().is_ok()
    }

    fn answer(&self, value: &'static str) {
        self.go.lock().expect("not poisoned").send(value).expect("the source waits");
    }
}

/// Goes on when so many builds wait for a fetch that is in flight.
fn until_waiting(cache: &SourceCache, builds: usize) {
    let (started, wanted) = (std::time::Instant::now(), format!("waiting: {builds} "));
    while !format!("{cache:?}").contains(&wanted) {
        assert!(started.elapsed() < PATIENCE, "{builds} builds wait");
        std::thread::yield_now();
    }
}

#[test]
fn sec_32_one_fetch_is_in_flight_for_a_home_and_all_share_its_outcome() {
    for (answer, wanted) in [("x", "canary-a-x"), ("fail", "unavailable")] {
        let (gate, source) = Gate::new();
        let cache = cache(source);
        std::thread::scope(|threads| {
            let first = threads.spawn(|| key(&build(&cache, &home("a"), Asking::Once)));
            assert_eq!(gate.reached(), "a");
            let more: Vec<_> =
                (0..6).map(|_| threads.spawn(|| key(&build(&cache, &home("a"), Asking::Once)))).collect();
            until_waiting(&cache, 6);
            gate.answer(answer);
            for thread in more.into_iter().chain([first]) {
                assert_eq!(thread.join().expect("no panic"), wanted, "the failure is shared too");
            }
            assert!(!gate.was_reached(), "one fetch served all");
        });
    }
}

#[test]
fn sec_32_no_home_waits_for_another() {
    let (gate, source) = Gate::new();
    let cache = cache(source);
    std::thread::scope(|threads| {
        let slow = threads.spawn(|| key(&build(&cache, &home("slow"), Asking::Once)));
        assert_eq!(gate.reached(), "slow");
        let quick = threads.spawn(|| key(&build(&cache, &home("quick"), Asking::Once)));
        assert_eq!(gate.reached(), "quick", "while the first has no answer yet");
        gate.answer("x");
        gate.answer("x");
        assert_eq!(slow.join().expect("no panic"), "canary-slow-x");
        assert_eq!(quick.join().expect("no panic"), "canary-quick-x");
    });
}

#[test]
fn sec_28_a_refresh_takes_no_part_in_a_fetch_that_began_before_it() {
    let (gate, source) = Gate::new();
    let cache = cache(source);
    std::thread::scope(|threads| {
        let first = threads.spawn(|| key(&build(&cache, &home("a"), Asking::Once)));
        assert_eq!(gate.reached(), "a");
        let refresh = threads.spawn(|| key(&build(&cache, &home("a"), Asking::Anew)));
        until_waiting(&cache, 1);
        gate.answer("revoked");
        assert_eq!(first.join().expect("no panic"), "canary-a-revoked");
        assert_eq!(gate.reached(), "a");
        gate.answer("new");
        assert_eq!(refresh.join().expect("no panic"), "canary-a-new");
        assert_eq!(key(&build(&cache, &home("a"), Asking::Once)), "canary-a-new");
    });
}

/// A build that retries after a failure keeps what the other sources answered; but not for a refresh that
/// came before it.
#[test]
fn sec_28_a_retry_between_a_failed_fetch_and_a_waiting_refresh_brings_back_no_revoked_key() {
    for _ in 0..300 {
        let (gate, bad) = Gate::new();
        let good = Arc::new(Broken::named("good", ["OTHER"]));
        good.mend();
        let cache = SourceCache::new([good as Arc<dyn SecretSource>, bad]);
        std::thread::scope(|threads| {
            // Its second build comes right when its first has ended, before whoever waits can go on.
            let eager = threads.spawn(|| {
                build(&cache, &home("a"), Asking::Once);
                build(&cache, &home("a"), Asking::Once);
            });
            assert_eq!(gate.reached(), "a");
            let refresh = threads.spawn(|| build(&cache, &home("a"), Asking::Anew));
            until_waiting(&cache, 1);
            for _ in 0..4 {
                gate.answer("fail");
            }
            let refreshed = refresh.join().expect("no panic");
            eager.join().expect("no panic");
            let other = refreshed.get("OTHER").expect("its source answers");
            assert_ne!(text(other), Some("canary-good-a-OTHER-1"), "that was asked for before the refresh");
        });
    }
}

#[test]
fn sec_32_a_fetch_in_flight_when_its_home_goes_is_not_kept() {
    let (gate, source) = Gate::new();
    let cache = cache(source);
    std::thread::scope(|threads| {
        let first = threads.spawn(|| key(&build(&cache, &home("a"), Asking::Once)));
        assert_eq!(gate.reached(), "a");
        cache.forget(home("a").id());
        let second = threads.spawn(|| key(&build(&cache, &home("a"), Asking::Once)));
        until_waiting(&cache, 1);
        gate.answer("old");
        assert_eq!(first.join().expect("no panic"), "canary-a-old");
        assert_eq!(gate.reached(), "a");
        gate.answer("new");
        assert_eq!(second.join().expect("no panic"), "canary-a-new");
    });
}

#[test]
fn sec_32_a_source_that_panics_fails_for_those_who_wait_and_is_asked_again() {
    let (gate, source) = Gate::new();
    let cache = cache(source);
    std::thread::scope(|threads| {
        let build = || key(&build(&cache, &home("a"), Asking::Once));
        let first = threads.spawn(build);
        assert_eq!(gate.reached(), "a");
        let second = threads.spawn(build);
        until_waiting(&cache, 1);
        gate.answer("panic");
        assert_eq!(first.join().expect("caught"), "unavailable", "a source that panics has failed");
        assert_eq!(second.join().expect("no panic"), "unavailable", "and nobody waits for ever");
        let third = threads.spawn(build);
        assert_eq!(gate.reached(), "a");
        gate.answer("x");
        assert_eq!(third.join().expect("no panic"), "canary-a-x");
    });
}

/// A source that cannot even be asked what it declares, the first time.
#[derive(Debug, Default)]
struct Undecided(AtomicUsize);

impl SecretSource for Undecided {
    fn name(&self) -> &'static str {
        "undecided"
    }

    fn declares(&self) -> &[Name] {
        if self.0.fetch_add(1, Ordering::SeqCst) == 0 {
            std::panic::resume_unwind(Box::new("not yet"));
        }
        &[]
    }

    fn fetch(&self, _: &SourceRequest<'_>) -> Result<Vec<(Name, Secret)>, SourceError> {
        Ok(vec![(Name::from("KEY"), Secret::from("canary-x"))])
    }
}

#[test]
fn sec_32_a_source_that_panics_outside_of_its_answer_ends_its_own_fetch_and_no_other() {
    let (gate, slow) = Gate::new();
    let cache = SourceCache::new([slow, Arc::new(Undecided::default()) as Arc<dyn SecretSource>]);
    std::thread::scope(|threads| {
        let build = || key(&build(&cache, &home("a"), Asking::Once));
        let first = threads.spawn(build);
        assert_eq!(gate.reached(), "a");
        let second = threads.spawn(build);
        until_waiting(&cache, 1);
        gate.answer("lost");
        gate.answer("kept");
        assert!(first.join().is_err(), "whoever asked hears of it");
        assert_eq!(second.join().expect("no panic"), "canary-x", "and whoever waited asks for itself");
    });
}

#[test]
fn sec_32_many_threads_and_homes_never_see_each_others_values() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let source = scripted(["KEY"], move |request| {
        counted.fetch_add(1, Ordering::SeqCst);
        let home = request.home().path().file_name().unwrap_or_default().to_string_lossy();
        Ok(vec![(Name::from("KEY"), Secret::from(format!("canary-{home}")))])
    });
    let cache = cache(source);
    let (threads, homes) = (8, 20);
    let barrier = Barrier::new(threads);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                barrier.wait();
                for number in 0..homes {
                    let name = format!("home-{number}");
                    assert_eq!(key(&build(&cache, &home(&name), Asking::Once)), format!("canary-{name}"));
                }
            });
        }
    });
    assert_eq!(asked.load(Ordering::SeqCst), homes, "each home was asked for once");
}

proptest! {
    /// A script of builds, refreshes, deletions and mended and broken sources, against a model of one
    /// optional value per home.
    #[test]
    fn sec_32_what_is_kept_is_what_a_small_model_keeps(
        script in prop::collection::vec((0..6_u8, 0..3_usize), 1..40)
    ) {
        let source = mended();
        let cache = cache(source.clone());
        let names = ["a", "b", "c"];
        let (mut kept, mut works, mut asked) = ([None, None, None], true, 0);
        for (step, number) in script {
            let home = home(names[number]);
            match step {
                0 => { source.mend(); works = true; }
                1 => { source.fail_again(); works = false; }
                2 => { cache.forget(home.id()); kept[number] = None; }
                3 => { build(&cache, &home, Asking::Never); }
                _ => {
                    let anew = step == 5;
                    if anew || kept[number].is_none() {
                        asked += 1;
                        kept[number] = works.then_some(asked);
                    }
                    let asking = if anew { Asking::Anew } else { Asking::Once };
                    let wanted = kept[number].map_or("unavailable".to_owned(), |call| {
                        format!("canary-vault-{}-KEY-{call}", names[number])
                    });
                    prop_assert_eq!(key(&build(&cache, &home, asking)), wanted);
                }
            }
            prop_assert_eq!(source.asked(), asked);
        }
        let distinct: HashSet<_> = kept.iter().flatten().collect();
        prop_assert_eq!(distinct.len(), kept.iter().flatten().count());
    }
}
