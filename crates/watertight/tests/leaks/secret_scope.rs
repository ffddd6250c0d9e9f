//! The types of the secret scope: scopes over odd files, and sources that fail with a value in their hands.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use watertight_disk::RealFileSystem;
use watertight_profile_home::{DiskFiles, ManagedDirectory};
use watertight_secret_scope::{
    Asking, CommandSource, Programs, SecretScope, SecretSource, SharedNames, SourceCache, SourceError,
    SourceRequest,
};
use watertight_vocabulary::{CaseRule, ControlPlane, EnvSource, Name, Platform, Secret};

use crate::texts::{CANARY, Silent, Texts, show};
use crate::tree::Tree;

/// What can hold no value.
pub(crate) const PLAIN: &[(&str, &str)] = &[
    ("Answer", "units"),
    ("Asking", "units"),
    ("Binding", "units"),
    ("BoundHome", "units"),
    ("Decision", "units"),
    ("Denial", "units"),
    ("Held", "units"),
    ("HostedBy", "units"),
    ("Question", "units"),
    ("Standing", "units"),
];

/// A source that shows what it is asked with, and panics with a value when it is told to.
#[derive(Debug)]
struct Watching {
    names: Vec<Name>,
    panics: bool,
    seen: Arc<Mutex<Texts>>,
}

impl SecretSource for Watching {
    fn name(&self) -> &'static str {
        "watching"
    }

    fn declares(&self) -> &[Name] {
        &self.names
    }

    fn fetch(&self, request: &SourceRequest<'_>) -> Result<Vec<(Name, Secret)>, SourceError> {
        {
            let mut seen = self.seen.lock().unwrap();
            show!(seen, *request, request.own("MODEL_KEY"));
            let child = request.child_env();
            let _ = child.map(|child| show!(seen, child)).map_err(|error| show!(seen, error));
        }
        if self.panics {
            std::panic::resume_unwind(Box::new(CANARY));
        }
        let misplaced = format!("MODEL_KEY={CANARY}");
        let names = ["VAULT_KEY", "PATH", &misplaced, "=", ""];
        Ok(names.map(|name| (Name::from(name), Secret::from(CANARY))).into())
    }
}

/// A source or an environment as a host may write it, whose own `Debug` shows what it holds.
#[derive(Debug)]
pub(crate) struct Careless(pub(crate) &'static str);

impl EnvSource for Careless {
    fn var_os(&self, _: &OsStr) -> Option<OsString> {
        Some(self.0.into())
    }

    fn vars_os(&self) -> Vec<(OsString, OsString)> {
        vec![("MODEL_KEY".into(), self.0.into())]
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl SecretSource for Careless {
    fn name(&self) -> &'static str {
        "careless"
    }

    fn declares(&self) -> &[Name] {
        &[]
    }

    fn fetch(&self, _: &SourceRequest<'_>) -> Result<Vec<(Name, Secret)>, SourceError> {
        Ok(Vec::new())
    }
}

/// Sources that answer, and sources that fail; the texts of what they are asked with are kept.
pub(crate) fn sources(seen: &Arc<Mutex<Texts>>) -> Vec<Arc<dyn SecretSource>> {
    let mut sources: Vec<Arc<dyn SecretSource>> = Vec::new();
    for (panics, name) in [(false, "VAULT_KEY"), (true, "PANIC_KEY")] {
        let misplaced = format!("MODEL_KEY={CANARY}");
        let names = vec![Name::from("MODEL_KEY"), Name::from(name), Name::from(misplaced)];
        sources.push(Arc::new(Watching { names, panics, seen: Arc::clone(seen) }));
    }
    let nothing: [&str; 0] = [];
    sources.push(Arc::new(CommandSource::value("missing", "/nowhere/program", [CANARY], "MISSING_KEY")));
    sources.push(Arc::new(CommandSource::value("silent", "true", nothing, "SILENT_KEY")));
    sources.push(Arc::new(CommandSource::value("misplaced", "true", nothing, format!("KEY={CANARY}"))));
    let shell = |name: &str, script: &str, key: &str| {
        let script = script.replace('@', CANARY);
        Arc::new(CommandSource::dotenv(name, "sh", ["-c".to_owned(), script], [key])) as Arc<dyn SecretSource>
    };
    sources.push(shell("failing", "echo @; echo @ >&2; exit 3", "FAILING_KEY"));
    sources.push(shell("encoded", "printf '\\377\\376@'", "ENCODED_KEY"));
    sources.push(shell("odd", "echo '@ @'; echo ODD_KEY=@; echo PATH=@", "ODD_KEY"));
    sources.push(shell("clean", "echo CLEAN_KEY=@; echo PATH=@", "CLEAN_KEY"));
    sources.push(Arc::new(CommandSource::value("long", "echo", [CANARY], "LONG_KEY").at_most(4)));
    sources
}

pub(crate) fn show_all(texts: &mut Texts) {
    let tree = Tree::new();
    let environment = &*tree.env;
    let profile_names = [Name::from("HERMES_PROFILE")];
    let programs = Programs {
        environment,
        platform: Platform::Linux,
        home_variable: "HERMES_HOME".as_ref(),
        profile_name_variables: &profile_names,
    };
    show!(texts, programs, Programs { environment: &Careless(CANARY), ..programs });
    let shared = SharedNames::of(["SHARED_KEY"], &ControlPlane::new(), CaseRule::Sensitive).unwrap();
    show!(texts, shared);
    for odd in [format!("KEY={CANARY}"), "A_*".to_owned(), String::new()] {
        show!(texts, SharedNames::of([odd], &ControlPlane::new(), CaseRule::Sensitive).unwrap_err());
    }
    let managed = ManagedDirectory::at(tree.path("managed")).read(&RealFileSystem);
    let (seen, files) = (Arc::default(), DiskFiles::new());
    let careless = Arc::new(Careless(CANARY)) as Arc<dyn SecretSource>;
    let cache = SourceCache::new(sources(&seen).into_iter().chain([careless]));
    for home in [tree.home("coder"), tree.home("eight"), tree.home("open")] {
        let builder = SecretScope::builder(&home)
            .files(&files)
            .launch_environment(environment)
            .shared(&shared, environment)
            .managed(&managed)
            .sources(&cache, Asking::Once)
            .programs(programs);
        show!(texts, builder);
        let bound = builder.build();
        show!(texts, cache, bound);
        let scope = bound.policy().unwrap();
        show!(texts, **scope);
        for diagnostic in scope.diagnostics() {
            show!(texts, *diagnostic);
        }
        let asked = scope.names().into_iter().chain(scope.withheld()).cloned();
        for name in asked.chain(["PATH", "TERMINAL_CWD", "NOWHERE"].map(Name::from)) {
            let explanation = scope.explain(&name);
            show!(texts, explanation, *explanation.verdict());
            for failure in scope.failures(&name) {
                show!(texts, *failure);
            }
            let _ = scope.get(&name).map_err(|refused| show!(texts, refused));
        }
    }
    texts.append(&mut seen.lock().unwrap());
    show_sources(texts);
}

/// A command that would print a value, and every error that a source can end with.
fn show_sources(texts: &mut Texts) {
    for source in sources(&Arc::default()) {
        texts.unlisted(&source);
    }
    let program = || Name::from("program");
    show!(texts, CommandSource::value("vault", "program", [CANARY], "KEY"));
    show!(
        texts,
        SourceError::NoPrograms,
        SourceError::Start { program: program(), kind: std::io::ErrorKind::NotFound },
        SourceError::Deadline { program: program(), milliseconds: 1 },
        SourceError::TooLong { program: program(), limit: 1 },
        SourceError::Failed { program: program(), code: Some(3) },
        SourceError::NoValue { program: program() },
        SourceError::Output { program: program() },
        SourceError::Panicked,
    );
}
