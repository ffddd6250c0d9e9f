use std::fmt;
use std::sync::{Arc, OnceLock};

use watertight_vocabulary::{CaseRule, EnvSource, Platform};

use crate::EnvSnapshot;

/// The environment that a process was launched with: live, until it is frozen for good (SNAP-01).
///
/// Nothing freezes on its own (SNAP-04): a host captures by activating and by nothing else. Whoever
/// captures by hand earlier has made that the launch environment, and [`LaunchEnv::frozen`] shows it.
///
/// # Fail-closed behaviour
///
/// The first capture wins. All who race for it get the one snapshot, and nobody sees a part of one
/// (SNAP-03). A source that panics panics in its own caller; the next capture tries again.
///
/// ```
/// use std::sync::Arc;
/// use watertight_env_snapshot::{LaunchEnv, MapEnv};
///
/// let process = Arc::new(MapEnv::from([("MODE", "ssh")]));
/// let launch = LaunchEnv::new(process.clone());
/// let frozen = launch.capture();
/// process.set("MODE", "docker");
/// assert!(Arc::ptr_eq(&frozen, &launch.capture()));
/// assert_eq!(frozen.get_text("MODE"), Ok(Some("ssh")));
/// assert_eq!(launch.live().var_os("MODE".as_ref()), Some("docker".into()));
/// ```
pub struct LaunchEnv {
    source: Arc<dyn EnvSource>,
    case: CaseRule,
    frozen: OnceLock<Arc<EnvSnapshot>>,
}

impl LaunchEnv {
    /// A launch environment over a live one, with the case rule of the platform this runs on.
    pub fn new(source: Arc<dyn EnvSource>) -> Self {
        Self { source, case: Platform::current().case_rule(), frozen: OnceLock::new() }
    }

    /// Compares names as this platform does (SNAP-08).
    pub fn on(self, platform: Platform) -> Self {
        Self { case: platform.case_rule(), ..self }
    }

    /// Freezes the environment as it is now, or gives what was frozen earlier (SNAP-01).
    pub fn capture(&self) -> Arc<EnvSnapshot> {
        let mut first = false;
        let snapshot = self.frozen.get_or_init(|| {
            first = true;
            Arc::new(EnvSnapshot::of(&*self.source, self.case))
        });
        if first {
            tracing::debug!(variables = snapshot.len(), "the launch environment is frozen");
            for name in snapshot.duplicates() {
                tracing::warn!(variable = %name, code = "duplicate-variable", "of duplicates the first counts");
            }
        }
        Arc::clone(snapshot)
    }

    /// The frozen environment, once there is one. It never becomes another.
    pub fn frozen(&self) -> Option<&Arc<EnvSnapshot>> {
        self.frozen.get()
    }

    /// The live environment, also after a capture.
    pub fn live(&self) -> &dyn EnvSource {
        &*self.source
    }
}

/// Names only (SNAP-07).
impl fmt::Debug for LaunchEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LaunchEnv").field("frozen", &self.frozen()).finish_non_exhaustive()
    }
}
