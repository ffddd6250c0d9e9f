use std::ffi::OsStr;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use watertight_disk::{FileSystem, RealFileSystem};
use watertight_env_snapshot::{LaunchEnv, ProcessEnv, TOTAL_LIMIT};
use watertight_profile_discovery::{HomeLayout, ProfileTree, Root};
use watertight_profile_home::{CachedFiles, DiskFiles, ManagedDirectory, ProfileFiles};
use watertight_runner_identity::{BindingToken, RunnerId, token_bound_id};
use watertight_secret_scope::{SecretSource, SharedNames, SourceCache};
use watertight_terminal_scope::TerminalSchema;
use watertight_vocabulary::{
    Classes, ControlPlane, EnvSource, HermesClasses, Name, NameClasses, Platform, RUNNER_AUTH_SECRETS,
};

use crate::host::Inner;
use crate::{Host, HostError};

/// Plugs the real parts of a [`Host`] together, each of which can be another one.
///
/// Without any step it is the host of this process: its environment, its disk, the reference layout.
pub struct HostBuilder {
    env: Option<Arc<dyn EnvSource>>,
    platform: Platform,
    layout: HomeLayout,
    launch_home: Option<PathBuf>,
    disk: Arc<dyn FileSystem>,
    files: Option<Arc<dyn ProfileFiles>>,
    classes: Arc<dyn NameClasses>,
    control_plane: ControlPlane,
    schema: TerminalSchema,
    sources: Vec<Arc<dyn SecretSource>>,
    shared: Vec<Name>,
    managed: Option<ManagedDirectory>,
    link_folders: Vec<PathBuf>,
    child_limit: usize,
    runner_id: Option<RunnerId>,
}

impl HostBuilder {
    pub(crate) fn new() -> Self {
        Self {
            env: None,
            platform: Platform::current(),
            layout: HomeLayout::hermes(),
            launch_home: None,
            disk: Arc::new(RealFileSystem),
            files: None,
            classes: Arc::new(HermesClasses::default()),
            control_plane: ControlPlane::new(),
            schema: TerminalSchema::hermes(),
            sources: Vec::new(),
            shared: Vec::new(),
            managed: None,
            link_folders: Vec::new(),
            child_limit: TOTAL_LIMIT,
            runner_id: None,
        }
    }

    /// Where the launch environment comes from: [`ProcessEnv`] unless this says otherwise.
    pub fn env(self, env: impl EnvSource + 'static) -> Self {
        Self { env: Some(Arc::new(env)), ..self }
    }

    /// The platform whose rules hold (SNAP-08).
    pub fn platform(self, platform: Platform) -> Self {
        Self { platform, ..self }
    }

    /// The names of variable and folder (PROF-01).
    pub fn layout(self, layout: HomeLayout) -> Self {
        Self { layout, ..self }
    }

    /// The launch home, instead of what the environment says.
    pub fn launch_home(self, home: impl Into<PathBuf>) -> Self {
        Self { launch_home: Some(home.into()), ..self }
    }

    /// What is done to a disk.
    pub fn disk(self, disk: Arc<dyn FileSystem>) -> Self {
        Self { disk, ..self }
    }

    /// What a home's two files say: read from the disk and remembered (FILE-05) unless this says otherwise.
    pub fn files(self, files: Arc<dyn ProfileFiles>) -> Self {
        Self { files: Some(files), ..self }
    }

    /// How names are told apart.
    pub fn classes(self, classes: Arc<dyn NameClasses>) -> Self {
        Self { classes, ..self }
    }

    /// Adds names to the control plane; none can be taken out (RUN-31).
    pub fn control_plane<N: Into<Name>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.control_plane = self.control_plane.with_names(names);
        self
    }

    /// The keys of the terminal policy.
    pub fn schema(self, schema: TerminalSchema) -> Self {
        Self { schema, ..self }
    }

    /// Adds an external source; a later one wins over an earlier one (SEC-23).
    pub fn source(mut self, source: impl SecretSource + 'static) -> Self {
        self.sources.push(Arc::new(source));
        self
    }

    /// Shares these keys of the launch environment with every profile, by their exact names (SEC-27).
    pub fn share<N: Into<Name>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.shared.extend(names.into_iter().map(Into::into));
        self
    }

    /// The administrator's folder: what the environment says unless this says otherwise (SEC-25).
    pub fn managed(self, managed: ManagedDirectory) -> Self {
        Self { managed: Some(managed), ..self }
    }

    /// Lets the files of every profile link into this folder (FILE-06).
    pub fn allow_links_into(mut self, folder: impl Into<PathBuf>) -> Self {
        self.link_folders.push(folder.into());
        self
    }

    /// How many bytes all entries of a child's environment may take together (SNAP-25).
    pub fn child_limit(self, bytes: usize) -> Self {
        Self { child_limit: bytes, ..self }
    }

    /// This process is that runner: no child is ever made the same one (RUN-34). What the environment says
    /// of it is known anyway.
    pub fn runner(self, id: RunnerId) -> Self {
        Self { runner_id: Some(id), ..self }
    }

    /// Resolves and pins the launch home, and builds the host (HOST-03). Nothing is captured, no profile's
    /// file is opened, and nothing is activated (HOST-02).
    ///
    /// # Errors
    ///
    /// [`HostError`]: the environment does not say which home, or says something that is none; or a name
    /// cannot be shared.
    pub fn build(self) -> Result<Host, HostError> {
        let env = self.env.unwrap_or_else(|| Arc::new(ProcessEnv::new()));
        let case = self.platform.case_rule();
        let disk = self.disk;
        let root = match &self.launch_home {
            Some(home) => Root::of(home, &self.layout, &env, self.platform, &*disk)?,
            None => Root::from_env(&self.layout, &env, self.platform, &*disk)?,
        };
        let files =
            self.files.unwrap_or_else(|| Arc::new(CachedFiles::new(DiskFiles::on(Arc::clone(&disk)))));
        let runner_id = self.runner_id.or_else(|| token_bound(&env));
        let shared = SharedNames::of(self.shared, &self.control_plane, case)?;
        let managed = self.managed.unwrap_or_else(|| ManagedDirectory::from_env(&env, self.platform));
        Ok(Host::from(Inner::new(
            LaunchEnv::new(env).on(self.platform),
            self.layout,
            ProfileTree::new(root, Arc::clone(&disk), Arc::clone(&files))
                .linking_into(self.link_folders.clone()),
            disk,
            files,
            Classes::new(self.classes, self.control_plane, case),
            self.schema,
            SourceCache::new(self.sources),
            shared,
            managed,
            self.link_folders,
            self.child_limit,
            runner_id,
        )))
    }
}

/// What was said in words and numbers. Its parts are the caller's, and may show of themselves what they like.
impl fmt::Debug for HostBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sources: Vec<_> = self.sources.iter().map(|source| source.name()).collect();
        f.debug_struct("HostBuilder")
            .field("platform", &self.platform)
            .field("layout", &self.layout)
            .field("launch_home", &self.launch_home)
            .field("control_plane", &self.control_plane)
            .field("sources", &sources)
            .field("shared", &self.shared)
            .field("managed", &self.managed)
            .field("link_folders", &self.link_folders)
            .field("child_limit", &self.child_limit)
            .field("runner_id", &self.runner_id)
            .finish_non_exhaustive()
    }
}

/// The id of a runner that is bound to the token in its environment (RUN-10, RUN-34).
fn token_bound(env: &dyn EnvSource) -> Option<RunnerId> {
    let [variable, _] = RUNNER_AUTH_SECRETS;
    let token = BindingToken::parse(env.var_os(OsStr::new(variable))?.as_encoded_bytes()).ok()?;
    Some(token_bound_id(&token))
}
