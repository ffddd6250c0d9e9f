//! Builds that concurrent requests for one home share (HOST-22).

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Runs one build at a time for a key. Whoever asks while it runs waits for it and takes its result; a key
/// waits for no other key.
pub(crate) struct Flights<K, V> {
    running: Mutex<HashMap<K, Arc<Flight<V>>>>,
}

struct Flight<V> {
    state: Mutex<State<V>>,
    landed: Condvar,
}

enum State<V> {
    Flying,
    Landed(V),
    /// The one who flew it panicked; whoever waited flies again.
    Lost,
}

impl<K: Eq + Hash + Clone, V: Clone> Flights<K, V> {
    pub(crate) fn new() -> Self {
        Self { running: Mutex::new(HashMap::new()) }
    }

    /// The result of `build`, or of the build of the same key that is running already.
    pub(crate) fn share(&self, key: &K, build: impl FnOnce() -> V) -> V {
        loop {
            let (flight, is_own) = {
                let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(flight) = running.get(key) {
                    (Arc::clone(flight), false)
                } else {
                    let flight = Arc::new(Flight::new());
                    running.insert(key.clone(), Arc::clone(&flight));
                    (flight, true)
                }
            };
            if is_own {
                return self.fly(key, flight, build);
            }
            if let Some(result) = flight.wait() {
                return result;
            }
        }
    }

    /// How many wait for the running build of a key: whoever flies it and the board hold it too.
    #[cfg(test)]
    pub(crate) fn waiting_for(&self, key: &K) -> usize {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.get(key).map_or(0, |flight| Arc::strong_count(flight).saturating_sub(2))
    }

    /// Lets nobody join the build of this key that is running, if one is: who asks next builds anew.
    pub(crate) fn leave(&self, key: &K) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }

    fn fly(&self, key: &K, flight: Arc<Flight<V>>, build: impl FnOnce() -> V) -> V {
        let landing = Landing { flights: self, key, flight, result: None };
        let result = build();
        landing.with(result.clone());
        result
    }
}

impl<V: Clone> Flight<V> {
    fn new() -> Self {
        Self { state: Mutex::new(State::Flying), landed: Condvar::new() }
    }

    fn wait(&self) -> Option<V> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match &*state {
                State::Flying => state = self.landed.wait(state).unwrap_or_else(PoisonError::into_inner),
                State::Landed(result) => return Some(result.clone()),
                State::Lost => return None,
            }
        }
    }

    fn land(&self, result: Option<V>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = result.map_or(State::Lost, State::Landed);
        self.landed.notify_all();
    }
}

/// Takes the flight off the board and tells who waits, also when the build panics.
struct Landing<'a, K: Eq + Hash + Clone, V: Clone> {
    flights: &'a Flights<K, V>,
    key: &'a K,
    flight: Arc<Flight<V>>,
    result: Option<V>,
}

impl<K: Eq + Hash + Clone, V: Clone> Landing<'_, K, V> {
    fn with(mut self, result: V) {
        self.result = Some(result);
    }
}

impl<K: Eq + Hash + Clone, V: Clone> Drop for Landing<'_, K, V> {
    fn drop(&mut self) {
        {
            let mut running = self.flights.running.lock().unwrap_or_else(PoisonError::into_inner);
            // Another one may fly under this key by now.
            if running.get(self.key).is_some_and(|flight| Arc::ptr_eq(flight, &self.flight)) {
                running.remove(self.key);
            }
        }
        self.flight.land(self.result.take());
    }
}

impl<K, V> fmt::Debug for Flights<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Flights")
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::thread;

    use super::Flights;

    #[test]
    fn host_22_whoever_asks_while_a_build_runs_takes_its_result() {
        let flights = &Flights::<u8, usize>::new();
        let builds = &AtomicUsize::new(0);
        let (started, has_started) = mpsc::channel::<()>();
        let (release, released) = mpsc::channel::<()>();
        thread::scope(|threads| {
            let leader = threads.spawn(move || {
                flights.share(&1, || {
                    started.send(()).unwrap();
                    released.recv().unwrap();
                    builds.fetch_add(1, Ordering::Relaxed)
                })
            });
            has_started.recv().unwrap();
            let follow = || flights.share(&1, || builds.fetch_add(1, Ordering::Relaxed));
            let followers = [threads.spawn(follow), threads.spawn(follow)];
            while flights.waiting_for(&1) < 2 {
                thread::yield_now();
            }
            assert_eq!(flights.share(&2, || 77), 77, "another home waits for nobody");
            release.send(()).unwrap();
            assert_eq!(leader.join().unwrap(), 0);
            for follower in followers {
                assert_eq!(follower.join().unwrap(), 0, "the leader's build is every follower's");
            }
        });
        assert_eq!(builds.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn sec_28_who_asks_after_a_refresh_joins_no_build_that_began_before() {
        let flights = Flights::<u8, u8>::new();
        let seen = flights.share(&1, || {
            flights.leave(&1);
            assert_eq!(flights.share(&1, || 2), 2, "a build of its own");
            1
        });
        assert_eq!(seen, 1);
        assert_eq!(flights.share(&1, || 3), 3, "nothing is left on the board");
    }

    #[test]
    fn host_22_a_build_that_panics_leaves_nobody_waiting() {
        let flights = Flights::<u8, u8>::new();
        let panicked = catch_unwind(AssertUnwindSafe(|| flights.share(&1, || panic!("a build died"))));
        assert!(panicked.is_err());
        assert_eq!(flights.share(&1, || 5), 5, "the key is free again");
    }
}
