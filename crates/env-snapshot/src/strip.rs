use std::ffi::OsStr;

use watertight_vocabulary::{CaseRule, ControlPlane};

/// A copy of an environment without the control plane, everything else byte for byte (RUN-30, RUN-31).
///
/// Exactly the named variables go, all of their entries and, where case does not matter, all of their
/// spellings. The source is not changed: the runner itself still needs what is stripped here.
///
/// ```
/// use std::collections::BTreeMap;
/// use watertight_env_snapshot::strip;
/// use watertight_vocabulary::{CaseRule, ControlPlane};
///
/// let env = BTreeMap::from([("LANG", "C"), ("OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN", "canary-1")]);
/// assert_eq!(strip(env, &ControlPlane::new(), CaseRule::Sensitive), [("LANG", "C")]);
/// ```
pub fn strip<N: AsRef<OsStr>, V>(
    env: impl IntoIterator<Item = (N, V)>,
    control_plane: &ControlPlane,
    case: CaseRule,
) -> Vec<(N, V)> {
    env.into_iter().filter(|(name, _)| !control_plane.contains(name.as_ref(), case)).collect()
}
