use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use watertight_vocabulary::HomeId;

use super::{Occasion, Outcome, SecretSource};

/// The sources of one host, and what they answered for each home (SEC-32).
///
/// A home is told by its identity and not by its path: a profile that was deleted and made again starts
/// from nothing. For one home one fetch is in flight at a time, and whoever wants the same meanwhile shares
/// its outcome; no home waits for another.
///
/// # Fail-closed behaviour
///
/// A failure is never kept: the next build asks again. A refresh drops what was kept before it asks, and
/// takes no part in a fetch that began earlier, so a revoked key is not kept alive, neither by an error nor
/// by a race. Values are wiped when the last scope that holds them is gone.
pub struct SourceCache {
    sources: Vec<Arc<dyn SecretSource>>,
    homes: Mutex<Homes>,
}

/// Homes by their places: of each nearly always one, and beside it at most what is still in flight for a
/// folder that was there before.
type Homes = HashMap<PathBuf, Vec<(HomeId, Arc<Slot>)>>;

/// Whether a build asks the sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a build, a refresh and a report are all there is")]
pub enum Asking {
    /// For what is not kept yet: a build.
    Once,
    /// For everything, anew: a refresh (SEC-28).
    Anew,
    /// For nothing: a report. The scope says that the sources are configured, not asked.
    Never,
}

/// One home.
#[derive(Default)]
struct Slot {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The number of the last fetch that began, and of the last one that ended.
    began: u64,
    ended: u64,
    /// Fetches up to this number are out of date: the home was dropped, or refreshed, after they began.
    outdated: u64,
    /// What the last fetch brought, one outcome for each source. Never an empty answer in place of none, and
    /// of one that is out of date nothing, as soon as nobody waits for it.
    latest: Option<Arc<[Outcome]>>,
    waiting: usize,
}

impl SourceCache {
    /// Sources, from the lowest layer to the highest.
    pub fn new(sources: impl IntoIterator<Item = Arc<dyn SecretSource>>) -> Self {
        Self { sources: sources.into_iter().collect(), homes: Mutex::default() }
    }

    /// The sources.
    pub fn sources(&self) -> &[Arc<dyn SecretSource>] {
        &self.sources
    }

    /// Drops what is kept for a home: its profile is gone, or a refresh begins. What a fetch in flight brings
    /// is not kept.
    pub fn forget(&self, home: &HomeId) {
        let mut homes = lock(&self.homes);
        let Some(here) = homes.get_mut(home.path()) else { return };
        here.retain(|(id, slot)| id != home || !drop_from(slot));
        if here.is_empty() {
            homes.remove(home.path());
        }
    }

    /// For how many homes something is kept or in flight.
    pub fn len(&self) -> usize {
        lock(&self.homes).values().map(Vec::len).sum()
    }

    /// Whether nothing is kept or in flight.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn ask(&self, occasion: Occasion<'_>, asking: Asking) -> Arc<[Outcome]> {
        if self.sources.is_empty() {
            return Arc::default();
        }
        match asking {
            Asking::Never => self.sources.iter().map(|source| Outcome::unasked(&**source)).collect(),
            Asking::Once => self.slot(occasion.home).outcomes(&self.sources, occasion, false),
            Asking::Anew => self.slot(occasion.home).outcomes(&self.sources, occasion, true),
        }
    }

    /// The slot of a home. What another folder left at the same place is dropped: it is gone (PROF-45).
    fn slot(&self, home: &HomeId) -> Arc<Slot> {
        let mut homes = lock(&self.homes);
        let here = homes.entry(home.path().to_owned()).or_default();
        if let Some((_, slot)) = here.iter().find(|(id, _)| id == home) {
            return Arc::clone(slot);
        }
        here.retain(|(_, slot)| !drop_from(slot));
        let slot = Arc::<Slot>::default();
        here.push((home.clone(), Arc::clone(&slot)));
        slot
    }
}

/// Drops what a slot keeps; says whether the slot may go too. Whoever is about to fetch holds it already, and
/// nobody may fetch beside that one.
fn drop_from(slot: &Arc<Slot>) -> bool {
    slot.outdate() && Arc::strong_count(slot) == 1
}

impl Slot {
    /// What the sources answer for this home: kept, shared with a fetch in flight, or fetched here.
    fn outcomes(
        &self,
        sources: &[Arc<dyn SecretSource>],
        occasion: Occasion<'_>,
        anew: bool,
    ) -> Arc<[Outcome]> {
        let mut state = lock(&self.state);
        if anew {
            // For the others too: who comes after the refresh gets nothing that was fetched before it.
            state.outdated = state.began;
        } else if let Some(kept) = state.kept() {
            return kept;
        }
        // The first fetch that will do: one in flight, unless it began before what this one must see.
        let mut enough = state.began + u64::from(anew || !state.in_flight() || state.is_outdated());
        loop {
            if state.ended >= enough {
                if let Some(outcomes) = state.shared() {
                    return outcomes;
                }
                enough = state.began + u64::from(!state.in_flight());
            }
            if !state.in_flight() {
                return self.fetch(state, sources, occasion, anew);
            }
            state.waiting += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }

    /// Asks, with nobody kept waiting but this home.
    fn fetch(
        &self,
        mut state: MutexGuard<'_, State>,
        sources: &[Arc<dyn SecretSource>],
        occasion: Occasion<'_>,
        anew: bool,
    ) -> Arc<[Outcome]> {
        let before = state.latest.take().filter(|_| !anew && !state.is_outdated());
        state.began += 1;
        drop(state);

        let flight = Flight { slot: self, landed: false };
        let outcomes = sources.iter().enumerate().map(|(number, source)| {
            let answered = before.as_ref().and_then(|before| before.get(number));
            match answered.filter(|outcome| outcome.answer.is_ok()) {
                Some(outcome) => outcome.clone(),
                None => Outcome::asked(&**source, occasion),
            }
        });
        flight.land(outcomes.collect())
    }

    /// Drops what is kept, and whatever is in flight when it arrives. Says whether nothing is in flight.
    fn outdate(&self) -> bool {
        let mut state = lock(&self.state);
        state.outdated = state.began;
        state.latest = None;
        !state.in_flight()
    }
}

impl State {
    fn in_flight(&self) -> bool {
        self.began > self.ended
    }

    /// Whether the last fetch began before the home was dropped.
    fn is_outdated(&self) -> bool {
        self.began <= self.outdated
    }

    /// What the last fetch brought, for one of those who waited for it.
    fn shared(&mut self) -> Option<Arc<[Outcome]>> {
        if self.is_outdated() && self.waiting == 0 { self.latest.take() } else { self.latest.clone() }
    }

    /// What every source has answered, if each has.
    fn kept(&self) -> Option<Arc<[Outcome]>> {
        let usable = !self.in_flight() && !self.is_outdated();
        let whole = |outcomes: &&Arc<[Outcome]>| outcomes.iter().all(|outcome| outcome.answer.is_ok());
        self.latest.as_ref().filter(|_| usable).filter(whole).map(Arc::clone)
    }
}

/// A fetch on its way, which ends whatever happens: after a panic it has brought nothing, and whoever waits
/// asks for itself.
struct Flight<'a> {
    slot: &'a Slot,
    landed: bool,
}

impl Flight<'_> {
    fn land(mut self, outcomes: Arc<[Outcome]>) -> Arc<[Outcome]> {
        self.end(Some(Arc::clone(&outcomes)));
        outcomes
    }

    fn end(&mut self, brought: Option<Arc<[Outcome]>>) {
        self.landed = true;
        let mut state = lock(&self.slot.state);
        state.ended = state.began;
        state.latest = brought.filter(|_| !state.is_outdated() || state.waiting > 0);
        drop(state);
        self.slot.changed.notify_all();
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        if !self.landed {
            self.end(None);
        }
    }
}

/// A holder that panicked left a whole state: each change is one step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The names of the sources, how many homes, and how many builds wait for a fetch; never a value, and nothing
/// that a source shows of itself, which may be what it signs in with.
impl fmt::Debug for SourceCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slots: Vec<_> = lock(&self.homes).values().flatten().map(|(_, slot)| Arc::clone(slot)).collect();
        let waiting: usize = slots.iter().map(|slot| lock(&slot.state).waiting).sum();
        let sources: Vec<_> = self.sources.iter().map(|source| source.name()).collect();
        f.debug_struct("SourceCache")
            .field("sources", &sources)
            .field("homes", &slots.len())
            .field("waiting", &waiting)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, OnceLock, Weak};

    use watertight_profile_home::ProfileHome;
    use watertight_vocabulary::{HomeId, Name, Secret};

    use super::{SourceCache, lock};
    use crate::{Asking, SecretScope, SecretSource, SourceError, SourceRequest};

    /// Its home goes while it is asked.
    #[derive(Debug, Default)]
    struct TooLate(OnceLock<Weak<SourceCache>>);

    impl SecretSource for TooLate {
        fn name(&self) -> &'static str {
            "too-late"
        }

        fn declares(&self) -> &[Name] {
            &[]
        }

        fn fetch(&self, request: &SourceRequest<'_>) -> Result<Vec<(Name, Secret)>, SourceError> {
            self.0.get().and_then(Weak::upgrade).expect("the cache is there").forget(request.home());
            Ok(vec![(Name::from("KEY"), Secret::from("canary-1"))])
        }
    }

    #[test]
    fn sec_32_what_is_brought_for_a_home_that_went_meanwhile_is_held_by_nobody_but_who_asked() {
        let source = Arc::new(TooLate::default());
        let cache = Arc::new(SourceCache::new([Arc::clone(&source) as Arc<dyn SecretSource>]));
        source.0.set(Arc::downgrade(&cache)).expect("it is set once");
        let home = ProfileHome::confined(HomeId::new("/world/profiles/gone".into(), None));
        let bound = SecretScope::builder(&home).sources(&cache, Asking::Once).build();
        assert_eq!(bound.policy().map(|scope| scope.names().len()), Ok(1), "it was asked before");
        let homes = lock(&cache.homes);
        let held = homes.values().flatten().filter(|(_, slot)| lock(&slot.state).latest.is_some()).count();
        assert_eq!(held, 0, "a value of a home that is gone is kept in memory");
    }
}
