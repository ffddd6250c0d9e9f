use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use watertight_env_snapshot::MapEnv;
use watertight_profile_home::{Managed, MemoryFiles, ProfileFiles, ProfileHome};
use watertight_terminal_scope::{BoundTerminal, TerminalPolicy, TerminalPolicyBuilder};
use watertight_vocabulary::{Classes, EnvSource, HomeId, HostId, Hosting, Refusal};

/// Where every profile's user lives.
pub(crate) const USER_HOME: &str = "/home/user";

/// A home with its two files, in memory.
#[derive(Debug)]
pub(crate) struct Profile {
    pub(crate) home: ProfileHome,
    pub(crate) files: MemoryFiles,
}

impl Profile {
    /// A home without files.
    pub(crate) fn empty() -> Self {
        let home = ProfileHome::confined(HomeId::new("/srv/agents/coder".into(), None));
        Self { home, files: MemoryFiles::new() }
    }

    pub(crate) fn dotenv(self, bytes: impl AsRef<[u8]>) -> Self {
        self.files.set_dotenv(&self.home, bytes);
        self
    }

    pub(crate) fn config(self, bytes: impl AsRef<[u8]>) -> Self {
        self.files.set_config(&self.home, bytes);
        self
    }

    /// A `config.yaml` whose section `terminal:` is this flow mapping.
    pub(crate) fn terminal(self, flow: &str) -> Self {
        self.config(format!("terminal: {flow}\n"))
    }

    pub(crate) fn builder(&self) -> TerminalPolicyBuilder<'_> {
        TerminalPolicy::builder(&self.home).files(&self.files).user_home(Some(Path::new(USER_HOME)))
    }

    pub(crate) fn policy(&self) -> Arc<TerminalPolicy> {
        policy(self.builder().build())
    }

    pub(crate) fn refusal(&self) -> Refusal {
        refusal(&self.builder().build())
    }
}

pub(crate) fn policy(bound: BoundTerminal) -> Arc<TerminalPolicy> {
    match bound {
        BoundTerminal::Policy(policy) => policy,
        BoundTerminal::Refusal(refusal) => panic!("no policy: {refusal}"),
    }
}

pub(crate) fn refusal(bound: &BoundTerminal) -> Refusal {
    bound.refusal().expect("a refusal is bound, and no policy").clone()
}

/// The text of a variable.
pub(crate) fn text(policy: &TerminalPolicy, variable: &str) -> Option<String> {
    let value = policy.get(variable).expect("the key can be read");
    value.map(|value| value.expose().expect("it is text").to_owned())
}

/// The codes of a policy's problems, each with the variable or key it is about.
pub(crate) fn problems(policy: &TerminalPolicy) -> Vec<(&'static str, String)> {
    let about = |subject: Option<&str>| subject.unwrap_or_default().to_owned();
    policy.problems().iter().map(|problem| (problem.code(), about(problem.subject()))).collect()
}

/// An administrator's managed `.env`.
pub(crate) fn managed(text: &str) -> Managed {
    let folder = ProfileHome::confined(HomeId::new("/etc/hermes".into(), None));
    let files = MemoryFiles::new();
    files.set_dotenv(&folder, text);
    Managed::Present(files.dotenv(&folder).expect("it is a .env").expect("it is there"))
}

/// A host of a test: one profile until it is told otherwise.
#[derive(Debug)]
pub(crate) struct TestHost {
    id: HostId,
    many: AtomicBool,
    /// Becomes a host of many profiles while the environment is being read.
    activates_while_read: AtomicBool,
    launch_home: HomeId,
    pub(crate) env: MapEnv,
    classes: Classes,
}

impl TestHost {
    pub(crate) fn new(env: MapEnv) -> Self {
        Self {
            id: HostId::unique(),
            many: AtomicBool::new(false),
            activates_while_read: AtomicBool::new(false),
            launch_home: HomeId::new("/srv/agents".into(), None),
            env,
            classes: Classes::hermes(),
        }
    }

    pub(crate) fn activate(&self) {
        self.many.store(true, Ordering::SeqCst);
    }

    pub(crate) fn activate_while_read(&self) {
        self.activates_while_read.store(true, Ordering::SeqCst);
    }
}

impl Hosting for TestHost {
    fn host(&self) -> HostId {
        self.id
    }

    fn many_profiles(&self) -> bool {
        self.many.load(Ordering::SeqCst)
    }

    fn launch_home(&self) -> &HomeId {
        &self.launch_home
    }

    fn environment_value(&self, name: &OsStr) -> Option<OsString> {
        if self.activates_while_read.load(Ordering::SeqCst) {
            self.activate();
        }
        self.env.var_os(name)
    }

    fn classes(&self) -> &Classes {
        &self.classes
    }
}
