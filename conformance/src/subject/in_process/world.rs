use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use serde_json::Value;
use watertight::{Host, HostError, ProfileScope};
use watertight_disk::RealFileSystem;
use watertight_env_snapshot::MapEnv;
use watertight_profile_home::{CachedFiles, DiskFiles, MANAGED_VARIABLE, ManagedDirectory, ProfileFiles};
use watertight_secret_scope::{SecretSource, SourceError, SourceRequest};
use watertight_vocabulary::{EnvSource, Name, Platform, Secret};

use super::flaw::{Defect, Flaw, FlawedFiles};
use super::log::Log;
use crate::case::{Outcome, SourceSpec};
use crate::subject::Assignment;

/// One case's world: its environment, its hosts, the handles that were kept, the outcomes so far.
#[derive(Debug)]
pub(super) struct World {
    pub(super) root: PathBuf,
    pub(super) env: Arc<MapEnv>,
    /// What the environment held when the hosts were built.
    pub(super) boot: BTreeMap<String, String>,
    pub(super) files: Arc<dyn ProfileFiles>,
    defect: Arc<Defect>,
    pub(super) log: Log,
    pub(super) control_plane: Vec<String>,
    /// What this machine calls itself, where the case says so.
    pub(super) machine: Option<String>,
    host: Result<Host, HostError>,
    other: Result<Host, HostError>,
    handles: Mutex<BTreeMap<String, ProfileScope>>,
    /// What a worker with [`Flaw::StickyScope`] keeps.
    pub(super) sticky: Mutex<Option<ProfileScope>>,
    outcomes: Mutex<BTreeMap<String, Outcome>>,
}

/// Which of the two hosts of a world is asked, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    Own,
    Other,
    Nobody,
}

impl World {
    pub(super) fn of(
        assignment: &Assignment,
        defect: Arc<Defect>,
        log: Log,
    ) -> Result<Arc<Self>, base64::DecodeError> {
        let env = environment(assignment)?;
        let cached: Arc<dyn ProfileFiles> =
            Arc::new(CachedFiles::new(DiskFiles::on(Arc::new(RealFileSystem))));
        let live: Arc<dyn EnvSource> = env.clone();
        let files: Arc<dyn ProfileFiles> =
            Arc::new(FlawedFiles { defect: Arc::clone(&defect), files: cached, env: live });
        let host = build(assignment, &env, &files, &defect);
        let other = build(assignment, &env, &files, &defect);
        for built in [&host, &other] {
            match built {
                Ok(host) => log.debug(host),
                Err(error) => log.error(error),
            }
        }
        Ok(Arc::new(Self {
            root: assignment.root().to_path_buf(),
            boot: assignment.env.clone(),
            env,
            files,
            defect,
            log,
            control_plane: assignment.host.control_plane.clone(),
            machine: assignment.host.machine.clone(),
            host,
            other,
            handles: Mutex::default(),
            sticky: Mutex::default(),
            outcomes: Mutex::default(),
        }))
    }

    /// Whether a flaw is to show here.
    pub(super) fn shows(&self, flaw: Flaw) -> bool {
        self.defect.shows(flaw)
    }

    /// The host that is asked, or the outcome of there being none.
    pub(super) fn host(&self, which: Which) -> Result<&Host, Outcome> {
        let host = match which {
            Which::Own => &self.host,
            Which::Other => &self.other,
            Which::Nobody => return Err(Outcome::Refused("no-host".to_owned())),
        };
        host.as_ref().map_err(|error| Outcome::Error(error.code().to_owned()))
    }

    pub(super) fn leave(&self, label: &str, outcome: Outcome) {
        locked(&self.outcomes).insert(label.to_owned(), outcome);
    }

    pub(super) fn outcomes(&self) -> BTreeMap<String, Outcome> {
        locked(&self.outcomes).clone()
    }

    pub(super) fn keep(&self, handle: &str, scope: ProfileScope) {
        self.log.debug(&scope);
        locked(&self.handles).insert(handle.to_owned(), scope);
    }

    pub(super) fn handle(&self, handle: &str) -> Result<ProfileScope, Outcome> {
        let scope = locked(&self.handles).get(handle).cloned();
        scope.ok_or_else(|| Outcome::Error("no-such-handle".to_owned()))
    }

    /// An error's outcome; what it would show to a person goes to the log.
    pub(super) fn error(&self, error: &(dyn std::error::Error + 'static), code: &str) -> Outcome {
        self.log.error(error);
        Outcome::Error(suite_code(code).to_owned())
    }

    /// A refusal's outcome; what it would show to a person goes to the log.
    pub(super) fn refused(&self, refused: &watertight_vocabulary::Refused) -> Outcome {
        self.log.error(refused);
        Outcome::Refused(refused.code().to_owned())
    }

    /// A path of the script.
    pub(super) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }
}

/// A crate may tell apart what the suite does not: HOST-24 has one error for a profile that is not there.
fn suite_code(code: &str) -> &str {
    match code {
        "deleted" => "no-such-profile",
        other => other,
    }
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn text(value: impl Into<String>) -> Outcome {
    Outcome::Value(Value::String(value.into()))
}

pub(super) fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The host of a case, before its script runs: its report and its explanations are for people to review.
///
/// # Errors
///
/// A value of the environment is no base64, which no case that was checked holds. Inside, the world's environment
/// gives no host.
pub fn host_of(assignment: &Assignment) -> Result<Result<Host, HostError>, base64::DecodeError> {
    let files: Arc<dyn ProfileFiles> = Arc::new(DiskFiles::new());
    Ok(build(assignment, &environment(assignment)?, &files, &Arc::new(Defect::of(None))))
}

fn environment(assignment: &Assignment) -> Result<Arc<MapEnv>, base64::DecodeError> {
    let env = Arc::new(MapEnv::new().in_directory(assignment.root()));
    for (name, value) in &assignment.env {
        env.set(name, value);
    }
    for bytes in &assignment.env_bytes {
        let value = base64::engine::general_purpose::STANDARD.decode(&bytes.base64)?;
        env.set(&bytes.name, os_string(value));
    }
    Ok(env)
}

fn build(
    assignment: &Assignment,
    env: &Arc<MapEnv>,
    files: &Arc<dyn ProfileFiles>,
    defect: &Arc<Defect>,
) -> Result<Host, HostError> {
    // A case meets the administrator's folder of its own world, and never the machine's.
    let managed = match env.var_os(MANAGED_VARIABLE.as_ref()) {
        Some(_) => ManagedDirectory::from_env(env, Platform::current()),
        None => ManagedDirectory::none(),
    };
    let mut builder = Host::builder()
        .env(Arc::clone(env))
        .files(Arc::clone(files))
        .managed(managed)
        .control_plane(assignment.host.control_plane.iter().map(String::as_str))
        .share(assignment.host.shared.iter().map(String::as_str));
    for source in &assignment.host.sources {
        builder = builder.source(ScriptedSource::of(source, defect));
    }
    builder.build()
}

#[cfg(unix)]
fn os_string(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(not(unix))]
fn os_string(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// An external source that says what the case says.
struct ScriptedSource {
    spec: SourceSpec,
    declares: Vec<Name>,
    defect: Arc<Defect>,
    /// The last part of the home that it was asked for first.
    first: Mutex<Option<String>>,
}

impl ScriptedSource {
    fn of(spec: &SourceSpec, defect: &Arc<Defect>) -> Self {
        let declares = spec.declares.iter().map(|name| Name::from(name.as_str())).collect();
        Self { spec: spec.clone(), declares, defect: Arc::clone(defect), first: Mutex::default() }
    }
}

impl fmt::Debug for ScriptedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScriptedSource({})", self.spec.name)
    }
}

impl SecretSource for ScriptedSource {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn declares(&self) -> &[Name] {
        &self.declares
    }

    fn fetch(&self, request: &SourceRequest<'_>) -> Result<Vec<(Name, Secret)>, SourceError> {
        if self.spec.fails {
            return Err(SourceError::Other("the case says that it fails"));
        }
        let home = request.home().path().file_name().unwrap_or_default().to_string_lossy();
        let mut first = locked(&self.first);
        let first = first.get_or_insert_with(|| home.clone().into_owned());
        let is_first = *first == home || !self.defect.shows(Flaw::SourceAskedOnce);
        let asked = if is_first { &*home } else { first.as_str() };
        let values = self.spec.values.get(asked).into_iter().flatten();
        Ok(values.map(|(name, value)| (Name::from(name.as_str()), Secret::from(value.as_str()))).collect())
    }
}
