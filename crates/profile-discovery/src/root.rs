use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use watertight_disk::{FileSystem, ResolveError, home_at, resolve};
use watertight_vocabulary::{EnvSource, HomeId, Platform};

use crate::{HomeLayout, LayoutError, ProfileName};

/// The folder of a root that holds the named profiles.
const PROFILES: &str = "profiles";

/// The directory that owns `profiles/`, and that is itself the profile `default`.
///
/// Paths are kept as they were spelled, `..` aside; [`HomeId`]s decide what is the same home.
#[derive(Debug, Clone)]
pub struct Root(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    path: Arc<Path>,
    profiles: Arc<Path>,
    launch: HomeId,
    platform: Platform,
}

/// A root cannot be told from a home (PROF-01 to PROF-04).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RootError {
    /// The environment does not say which home, or says something that is none.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The home cannot be resolved.
    #[error("the home cannot be used: {source}")]
    Home {
        /// Why.
        source: ResolveError,
    },
}

impl RootError {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Layout(error) => error.code(),
            Self::Home { source } => source.code(),
        }
    }
}

impl Root {
    /// The root of the home that this environment starts a process for (PROF-01 to PROF-04).
    ///
    /// # Errors
    ///
    /// [`RootError`]: every variant.
    pub fn from_env(
        layout: &HomeLayout,
        env: &dyn EnvSource,
        platform: Platform,
        files: &dyn FileSystem,
    ) -> Result<Self, RootError> {
        Self::of(&layout.launch_home(env, platform)?, layout, env, platform, files)
    }

    /// The root of an absolute home (PROF-02, PROF-03).
    ///
    /// The default home is compared resolved. The folder's name `profiles` is looked for in the home as it
    /// is spelled, so that a profile which is a link to another disk belongs to the tree that it is linked
    /// into. A link from elsewhere to a profile is therefore a root of its own: the process was pointed at one
    /// home, and the tree beside it is not its to serve. Only `..` is resolved before, since what it means
    /// depends on links. Where the default home
    /// cannot be resolved, as under another user's private folder, nothing lies under it.
    ///
    /// # Errors
    ///
    /// [`RootError`]: every variant.
    pub fn of(
        home: &Path,
        layout: &HomeLayout,
        env: &dyn EnvSource,
        platform: Platform,
        files: &dyn FileSystem,
    ) -> Result<Self, RootError> {
        let failed = |source| RootError::Home { source };
        let home = without_parent_steps(files, home).map_err(failed)?;
        let launch = home_at(files, &home).map_err(failed)?;
        if let Some(default) = layout.default_home(env, platform)? {
            let under =
                resolve(files, &default).is_ok_and(|default| lies_under(launch.path(), &default, platform));
            if under {
                return Ok(Self::new(&default, launch, platform));
            }
        }
        let root = match home.parent() {
            Some(parent) if parent.file_name() == Some(OsStr::new(PROFILES)) => parent.parent(),
            _ => None,
        };
        Ok(Self::new(root.unwrap_or(&home), launch, platform))
    }

    /// A root that is known to be one, with itself as the launch home.
    ///
    /// # Errors
    ///
    /// [`RootError::Home`].
    pub fn at(path: &Path, platform: Platform, files: &dyn FileSystem) -> Result<Self, RootError> {
        let failed = |source| RootError::Home { source };
        let path = without_parent_steps(files, path).map_err(failed)?;
        let launch = home_at(files, &path).map_err(failed)?;
        Ok(Self::new(&path, launch, platform))
    }

    fn new(path: &Path, launch: HomeId, platform: Platform) -> Self {
        Self(Arc::new(Inner {
            path: Arc::from(path),
            profiles: Arc::from(path.join(PROFILES)),
            launch,
            platform,
        }))
    }

    /// The directory itself: the home of `default`.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Where the named profiles are.
    pub fn profiles_dir(&self) -> &Path {
        &self.0.profiles
    }

    /// The home of a profile by its name: the root, or `profiles/<id>`, not resolved (PROF-26).
    pub fn home_of(&self, name: &ProfileName) -> PathBuf {
        match name {
            ProfileName::Default => self.path().to_owned(),
            ProfileName::Named(id) => self.profiles_dir().join(id.as_str()),
        }
    }

    /// The home that the process was started with, resolved when this value was made. Later writes to the
    /// environment change nothing about it (HOST-03).
    pub fn launch_home(&self) -> &HomeId {
        &self.0.launch
    }

    /// Whether `home` lies where the process was started (PROF-40).
    pub fn is_launch_home(&self, home: &HomeId) -> bool {
        self.launch_home().same_place(home, self.platform().case_rule())
    }

    /// The platform whose rules hold here.
    pub fn platform(&self) -> Platform {
        self.0.platform
    }

    pub(crate) fn shared_path(&self) -> &Arc<Path> {
        &self.0.path
    }

    pub(crate) fn shared_profiles_dir(&self) -> &Arc<Path> {
        &self.0.profiles
    }
}

/// The path with everything up to its last `..` resolved, and the rest as spelled.
fn without_parent_steps(files: &dyn FileSystem, path: &Path) -> Result<PathBuf, ResolveError> {
    let steps: Vec<Component<'_>> = path.components().collect();
    let Some(last) = steps.iter().rposition(|step| *step == Component::ParentDir) else {
        return Ok(steps.iter().collect());
    };
    let (up, rest) = steps.split_at(last + 1);
    let up: PathBuf = up.iter().collect();
    let mut resolved = files.canonicalize(&up).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => ResolveError::ParentOfMissing { path: path.to_owned() },
        _ => ResolveError::Io { path: up, source },
    })?;
    resolved.extend(rest);
    Ok(resolved)
}

/// Whether a resolved path is another one or lies under it.
fn lies_under(path: &Path, above: &Path, platform: Platform) -> bool {
    let case = platform.case_rule();
    let mut steps = path.components();
    above
        .components()
        .all(|step| steps.next().is_some_and(|own| case.same(own.as_os_str(), step.as_os_str())))
}
