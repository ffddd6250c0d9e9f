use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use watertight_context::{Ambient, Context, with_ambient};
use watertight_disk::FileSystem;
use watertight_env_snapshot::{EnvSnapshot, LaunchEnv};
use watertight_profile_discovery::{HomeLayout, ProfileTree};
use watertight_profile_home::{ManagedDirectory, ProfileFiles};
use watertight_runner_identity::RunnerId;
use watertight_secret_scope::{Explanation, SharedNames, SourceCache};
use watertight_terminal_scope::{Backend, BoundTerminal, TerminalError, TerminalReader, TerminalSchema};
use watertight_vocabulary::{
    Classes, EnvSource, HomeId, HostId, Hosting, Platform, Refused, RefusedReason, Secret, shown_path,
};

use crate::build::Parts;
use crate::flight::Flights;
use crate::{Activation, AlreadyInstalled, HostBuilder, ScopeError, ambient};

/// One process that serves profiles: the place where the policy crates are plugged together.
///
/// Cheap to clone; clones are one host. Several hosts in one process share nothing (HOST-32).
///
/// # Fail-closed behaviour
///
/// Until it may have to serve a second profile, the host behaves like a process that never heard of
/// profiles: the environment is the launch profile's (HOST-10). From then on, and for ever, the environment
/// is frozen and nobody's: code without a scope is refused (SEC-06, TERM-23). Whatever cannot be told —
/// whether there is a second profile, whose home this is, what a file says — is decided against the reader.
#[derive(Clone)]
pub struct Host(Arc<Inner>);

pub(crate) struct Inner {
    id: HostId,
    many: AtomicBool,
    pub(crate) environment: LaunchEnv,
    pub(crate) layout: HomeLayout,
    pub(crate) tree: Arc<ProfileTree>,
    pub(crate) disk: Arc<dyn FileSystem>,
    pub(crate) files: Arc<dyn ProfileFiles>,
    pub(crate) classes: Classes,
    pub(crate) schema: TerminalSchema,
    pub(crate) sources: SourceCache,
    pub(crate) shared: SharedNames,
    pub(crate) managed: ManagedDirectory,
    pub(crate) link_folders: Vec<PathBuf>,
    pub(crate) child_limit: usize,
    pub(crate) runner_id: Option<RunnerId>,
    /// The home of each profile that a scope was built for: what is kept of a home goes when it does (SEC-32).
    homes: Mutex<HashMap<String, HomeId>>,
    /// How many of them were there when all were looked for last.
    seen: AtomicUsize,
    activating: Mutex<()>,
    captured_early: AtomicBool,
    pub(crate) builds: Flights<HomeId, Result<Parts, ScopeError>>,
}

/// Which host it is and whom it hosts; its parts are no help to whoever reads a log.
impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("id", &self.id)
            .field("root", &self.tree.root().path())
            .field("launch_home", self.launch_home())
            .field("many_profiles", &self.many_profiles())
            .finish_non_exhaustive()
    }
}

impl Inner {
    #[expect(clippy::too_many_arguments, reason = "the builder's parts, each of them once")]
    pub(crate) fn new(
        environment: LaunchEnv,
        layout: HomeLayout,
        tree: ProfileTree,
        disk: Arc<dyn FileSystem>,
        files: Arc<dyn ProfileFiles>,
        classes: Classes,
        schema: TerminalSchema,
        sources: SourceCache,
        shared: SharedNames,
        managed: ManagedDirectory,
        link_folders: Vec<PathBuf>,
        child_limit: usize,
        runner_id: Option<RunnerId>,
    ) -> Self {
        let (id, many, builds) = (HostId::unique(), AtomicBool::new(false), Flights::new());
        Self {
            id,
            many,
            environment,
            layout,
            tree: Arc::new(tree),
            disk,
            files,
            classes,
            schema,
            sources,
            shared,
            managed,
            link_folders,
            child_limit,
            runner_id,
            homes: Mutex::default(),
            seen: AtomicUsize::new(0),
            activating: Mutex::default(),
            captured_early: AtomicBool::new(false),
            builds,
        }
    }

    pub(crate) fn platform(&self) -> Platform {
        self.tree.root().platform()
    }

    /// Remembers which home a profile's scope was built for, and drops what was kept of one that it had
    /// before. Says whether so many are kept that it is time to look for all of them.
    pub(crate) fn built_for(&self, name: &str, home: &HomeId) -> bool {
        const FEW: usize = 16;
        let mut homes = self.homes();
        let before = homes.insert(name.to_owned(), home.clone());
        let is_time = homes.len() >= FEW.saturating_add(2 * self.seen.load(Ordering::Relaxed));
        drop(homes);
        if let Some(before) = before.filter(|before| before != home) {
            self.sources.forget(&before);
        }
        is_time
    }

    /// The profiles that a scope was built for.
    pub(crate) fn built(&self) -> Vec<String> {
        self.homes().keys().cloned().collect()
    }

    /// All that are kept were looked for.
    pub(crate) fn all_seen(&self) {
        self.seen.store(self.homes().len(), Ordering::Relaxed);
    }

    /// Drops what was kept of a profile's home: there is no such profile any more (SEC-32).
    pub(crate) fn gone(&self, name: &str) {
        if let Some(home) = self.homes().remove(name) {
            self.sources.forget(&home);
        }
    }

    fn homes(&self) -> MutexGuard<'_, HashMap<String, HomeId>> {
        self.homes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether somebody captured the launch environment before activation did (SNAP-01).
    pub(crate) fn captured_early(&self) -> bool {
        self.captured_early.load(Ordering::Relaxed)
            || (!self.many_profiles() && self.environment.frozen().is_some())
    }

    /// "env": the live environment before activation, copied whole; the frozen one after it.
    pub(crate) fn environment_now(&self) -> Arc<EnvSnapshot> {
        if self.many_profiles() {
            self.environment.capture()
        } else {
            Arc::new(EnvSnapshot::of(self.environment.live(), self.classes.case_rule()))
        }
    }
}

impl Hosting for Inner {
    fn host(&self) -> HostId {
        self.id
    }

    fn many_profiles(&self) -> bool {
        // Pairs with the release in `Host::activate`: who sees it true sees the snapshot (SNAP-03).
        self.many.load(Ordering::Acquire)
    }

    fn launch_home(&self) -> &HomeId {
        self.tree.root().launch_home()
    }

    fn environment_value(&self, name: &OsStr) -> Option<OsString> {
        if self.many_profiles() {
            self.environment.frozen()?.var_os(name)
        } else {
            self.environment.live().var_os(name)
        }
    }

    fn classes(&self) -> &Classes {
        &self.classes
    }
}

impl Host {
    /// Starts to plug a host together.
    pub fn builder() -> HostBuilder {
        HostBuilder::new()
    }

    /// Which host this is.
    pub fn id(&self) -> HostId {
        self.0.id
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }

    pub(crate) fn hosting(&self) -> &dyn Hosting {
        &*self.0
    }

    /// The profile tree that this host serves from.
    pub fn tree(&self) -> &ProfileTree {
        &self.0.tree
    }

    /// The home that the process was started for, resolved and pinned when the host was built (HOST-03).
    pub fn launch_home(&self) -> &HomeId {
        self.0.launch_home()
    }

    /// The launch profile's name, where its home is a profile of the tree.
    pub fn launch_name(&self) -> Option<String> {
        let name = self.tree().name_for_home(self.launch_home().path()).ok()?;
        name.map(|name| name.as_str().to_owned())
    }

    /// Whether the process may serve more than one profile. Once true, always true (HOST-01).
    pub fn many_profiles(&self) -> bool {
        self.0.many_profiles()
    }

    /// The launch environment of this host, for whoever has to capture it earlier than activation does.
    ///
    /// Whoever captures by hand has made that moment's values the launch environment (SNAP-01); the report
    /// says so.
    pub fn launch_environment(&self) -> &LaunchEnv {
        &self.0.environment
    }

    /// Freezes the environment, then says that many profiles are hosted: in that order for every thread,
    /// once, and for good (HOST-01). The answer is whether this call did it.
    pub fn activate(&self) -> bool {
        if self.many_profiles() {
            return false;
        }
        let _one_at_a_time = self.0.activating.lock().unwrap_or_else(PoisonError::into_inner);
        if self.many_profiles() {
            return false;
        }
        self.0.captured_early.store(self.0.environment.frozen().is_some(), Ordering::Relaxed);
        self.0.environment.capture();
        self.0.many.store(true, Ordering::Release);
        true
    }

    /// The last step of a boot: counts the tenants and activates if there are several, or if they cannot be
    /// counted (HOST-10 to HOST-14).
    ///
    /// It never fails: failing to count activates. No setting turns it off (HOST-12).
    pub fn activate_eagerly(&self) -> Activation {
        let decided = if self.many_profiles() { Activation::AlreadyActive } else { self.decide_activation() };
        // Of two callers that decide at once, one activates.
        let is_late = decided.activated_now() && !self.activate();
        let activation = if is_late { Activation::AlreadyActive } else { decided };
        match &activation {
            Activation::CountingFailed { code, cause } => {
                tracing::warn!(
                    code,
                    cause,
                    "many profiles are hosted, since the tenants could not be counted"
                );
            }
            other => tracing::info!(decision = other.code(), "eager activation: {other}"),
        }
        activation
    }

    /// What eager activation would do on a host that is not active.
    pub(crate) fn decide_activation(&self) -> Activation {
        let failed = |code, cause| Activation::CountingFailed { code, cause };
        match self.tree().tenants(self.launch_home()) {
            Err(error) => failed(error.code(), error.to_string()),
            Ok(tenants) => match tenants.unknown() {
                [unknown, ..] => failed("unknown", unknown.diagnostic().to_string()),
                [] if tenants.are_many() => Activation::Activated {
                    tenants: tenants
                        .iter()
                        .map(|tenant| match tenant.name() {
                            Some(name) => name.as_str().to_owned(),
                            None => shown_path(tenant.home()).to_string(),
                        })
                        .collect(),
                },
                [] => Activation::SingleProfile,
            },
        }
    }

    /// Reads a secret for whatever is bound here, by the decision table of SEC (HOST-30).
    ///
    /// # Errors
    ///
    /// [`Refused`]: nobody is known to ask, or what is bound must not answer. It is never absence.
    pub fn secret(&self, name: &str) -> Result<Option<Secret>, Refused> {
        watertight_secret_scope::read(&*self.0, name)
    }

    /// As [`Host::secret`], with the value borrowed: nothing is cloned, so threads that read one value do
    /// not meet on a count.
    ///
    /// # Errors
    ///
    /// As [`Host::secret`].
    pub fn with_secret<R>(&self, name: &str, read: impl FnOnce(Option<&Secret>) -> R) -> Result<R, Refused> {
        watertight_secret_scope::with_secret(&*self.0, name, read)
    }

    /// Which layer answers a name here, what it shadows, or why nothing does (SEC-29).
    pub fn explain(&self, name: &str) -> Explanation {
        watertight_secret_scope::explain(&*self.0, name)
    }

    /// Reads a terminal setting for whatever is bound here (HOST-30, TERM-20 to TERM-23). `None` is absence:
    /// the caller's default applies to it and to nothing else.
    ///
    /// # Errors
    ///
    /// [`TerminalError`]: refused, or the value of this key cannot be read.
    pub fn terminal(&self, name: &str) -> Result<Option<Secret>, TerminalError> {
        self.terminal_reader(|reader| reader.read(name, None))
    }

    /// Where commands run for whatever is bound here; with nothing bound and one profile hosted, as the
    /// launch home's own policy says (TERM-25). It is never guessed.
    ///
    /// # Errors
    ///
    /// [`TerminalError`]: refused, or the backend cannot be read.
    pub fn backend(&self) -> Result<Backend, TerminalError> {
        self.terminal_reader(|reader| reader.backend())
    }

    /// For whoever is about to start something (TERM-24).
    ///
    /// # Errors
    ///
    /// As [`Host::backend`].
    pub fn ensure_allowed(&self) -> Result<(), TerminalError> {
        self.terminal_reader(|reader| reader.ensure_allowed())
    }

    /// Asks the terminal policy with all its typed views.
    ///
    /// # Errors
    ///
    /// What the reader answers.
    pub fn terminal_reader<R>(&self, ask: impl FnOnce(TerminalReader<'_>) -> R) -> R {
        let launch = || self.launch_policy();
        ask(TerminalReader::ambient(&*self.0, &launch))
    }

    fn launch_policy(&self) -> BoundTerminal {
        match self.build_launch_terminal() {
            Ok(policy) => policy,
            Err(error) => BoundTerminal::Refusal(error.refusal()),
        }
    }

    /// The home that is bound; with nothing bound and one profile hosted, the launch home (HOST-33).
    ///
    /// # Errors
    ///
    /// Refused: *unscoped* where many profiles are hosted and no home is bound, *closed* and *other host* as
    /// for any read.
    pub fn home(&self) -> Result<HomeId, Refused> {
        let refused = |reason| Err(Refused::nameless(reason));
        with_ambient(|ambient| match ambient {
            Ambient::Bound(context) if context.host().is_some_and(|host| host != self.id()) => {
                refused(RefusedReason::OtherHost)
            }
            Ambient::Bound(context) if context.is_closed() => refused(RefusedReason::Closed),
            Ambient::Bound(context) => match context.home() {
                Some(home) => Ok(home.clone()),
                None => self.home_of_nobody(context.is_foreign()),
            },
            Ambient::Masked(context) => self.home_of_nobody(!self.is_own(context)),
            Ambient::Unbound => self.home_of_nobody(false),
        })
    }

    /// Whether a frame is proved to be one of this host's launch profile; every other counts as foreign.
    pub(crate) fn is_own(&self, context: &Context) -> bool {
        let is_launch = |home| self.tree().root().is_launch_home(home);
        !context.is_foreign() && context.host() == Some(self.id()) && context.home().is_none_or(is_launch)
    }

    fn home_of_nobody(&self, foreign: bool) -> Result<HomeId, Refused> {
        if foreign || self.many_profiles() {
            Err(Refused::nameless(RefusedReason::Unscoped))
        } else {
            Ok(self.launch_home().clone())
        }
    }

    /// Whether many profiles are hosted, or a foreign home is bound here (HOST-33).
    pub fn serves_routed(&self) -> bool {
        self.many_profiles() || foreign_home_is_bound()
    }

    /// Makes this the host that answers where no frame names one. Programs do it once; libraries never
    /// (HOST-32).
    ///
    /// # Errors
    ///
    /// [`AlreadyInstalled`].
    pub fn install_default(self) -> Result<(), AlreadyInstalled> {
        ambient::install_default(self)
    }
}

/// Whether a frame of a foreign home is innermost here, masked or not.
pub(crate) fn foreign_home_is_bound() -> bool {
    with_ambient(|ambient| match ambient {
        Ambient::Bound(context) | Ambient::Masked(context) => context.is_foreign(),
        Ambient::Unbound => false,
    })
}

impl From<Inner> for Host {
    fn from(inner: Inner) -> Self {
        Self(Arc::new(inner))
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
