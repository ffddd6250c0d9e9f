//! Every public type of this crate and of the vocabulary, formatted around a canary.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Debug, Display};
use std::path::Path;
use std::sync::{Arc, Mutex};

use watertight_env_snapshot::{ChildEnvError, MapEnv};
use watertight_secret_scope::decision::{
    Answer, Binding, BoundHome, Decision, Denial, Held, HostedBy, Question, Standing, decide,
};
use watertight_secret_scope::{
    Asking, CommandSource, Programs, SecretScope, SecretSource, SharedNames, SourceCache, SourceError,
    explain, read,
};
use watertight_vocabulary::{
    Bound, CaseRule, Classes, ControlPlane, Diagnostic, HermesClasses, HomeStamp, HostId, Layer, Name,
    NameClass, NameSet, NotUnicode, Origin, Platform, Refusal, Refused, RefusedReason, Secret, Severity,
};

use crate::source::{Broken, scripted};
use crate::world::{World, files_of, home, scope_of};

/// What a value looks like that nobody may see; short pieces of it count as well.
const CANARY: &str = "canary-s3cr3t-value";

/// Texts by the type that wrote them.
#[derive(Default)]
struct Texts(BTreeMap<&'static str, Vec<String>>);

impl Texts {
    fn debug(&mut self, name: &'static str, value: &impl Debug) {
        self.0.entry(name).or_default().extend([format!("{value:?}"), format!("{value:#?}")]);
    }

    fn display(&mut self, name: &'static str, value: &(impl Debug + Display)) {
        self.debug(name, value);
        self.0.entry(name).or_default().extend([format!("{value}"), format!("{value:#}")]);
    }

    fn error(&mut self, name: &'static str, value: &(impl std::error::Error + 'static)) {
        self.display(name, value);
        let texts = self.0.entry(name).or_default();
        let mut cause = value.source();
        while let Some(error) = cause {
            texts.extend([format!("{error}"), format!("{error:?}"), format!("{error:#?}")]);
            cause = error.source();
        }
    }
}

fn vocabulary(texts: &mut Texts) {
    let name = Name::from("MODEL_KEY");
    let secret = Secret::from(CANARY);
    texts.debug("Secret", &secret);
    texts.debug("Secret", &Some(secret.clone()));
    texts.debug("Secret", &Ok::<_, Refused>(vec![(name.clone(), secret)]));
    let odd = Secret::from_bytes(&name, [CANARY.as_bytes(), b"\xff"].concat());
    texts.debug("Secret", &odd);
    texts.error("NotUnicode", &odd.expose().expect_err("it is no text"));
    texts.error("NotUnicode", &NotUnicode::new(name.clone(), 7));

    texts.display("Name", &name);
    texts.debug("NameSet", &NameSet::of(["A"]).with_prefix("B_"));
    texts.debug("NameClass", &NameClass::Secret);
    texts.debug("HermesClasses", &HermesClasses::default());
    texts.debug("Classes", &Classes::hermes());
    texts.debug("ControlPlane", &ControlPlane::new());
    texts.debug("CaseRule", &CaseRule::Sensitive);
    texts.debug("Platform", &Platform::Windows);
    texts.debug("HostId", &HostId::unique());
    texts.debug("HomeId", home("coder").id());
    texts.debug("HomeStamp", &HomeStamp { device: 1, inode: 2, created: None });
    texts.display("Severity", &Severity::Note);
    texts.display("Layer", &Layer::Dotenv);
    texts.display("Origin", &Origin::layer_only(Layer::Dotenv));

    let bound = crate::world::secrets_of("coder", &format!("MODEL_KEY={CANARY}\n"));
    texts.debug("Bound", &bound);
    let refusal = Refusal::new("unreadable", "it is a directory").in_file("/home/.env").mended_by("move it");
    texts.display("Refusal", &refusal);
    texts.debug("Bound", &Bound::<SecretScope>::Refusal(refusal.clone()));
    texts.debug("RefusedReason", &RefusedReason::Unavailable(refusal.clone()));
    texts.error("Refused", &Refused::new("MODEL_KEY".as_ref(), RefusedReason::Unavailable(refusal)));
    let world = World::activated(&[("MODEL_KEY", CANARY)]);
    texts.error("Refused", &read(&world, "MODEL_KEY").expect_err("unscoped"));
    for diagnostic in scope_of("coder", &odd_file()).diagnostics() {
        texts.display("Diagnostic", diagnostic);
    }
    texts.display("Diagnostic", &Diagnostic::note("a-code", "a sentence"));
}

/// A file with a note, a warning and a broken line around each value.
fn odd_file() -> String {
    format!(
        "MODEL_KEY={CANARY}\nPATH={CANARY}\nTERMINAL_CWD={CANARY}\nAPI KEY={CANARY} oops\n{CANARY}\n\
         TWICE={CANARY}\nTWICE={CANARY}\nOPEN=\"{CANARY}\n"
    )
}

fn decisions(texts: &mut Texts) {
    let question = Question {
        possible: true,
        class: NameClass::Secret,
        hosting: HostedBy::ManyProfiles,
        bound: Binding::Nothing,
        home: BoundHome::Nothing,
        standing: Standing::Open,
        held: Held::No,
    };
    texts.debug("Question", &question);
    texts.debug("HostedBy", &question.hosting);
    texts.debug("Binding", &question.bound);
    texts.debug("BoundHome", &question.home);
    texts.debug("Standing", &question.standing);
    texts.debug("Held", &question.held);
    let decision: Decision = decide(question);
    texts.debug("Decision", &decision);
    texts.debug("Answer", &decision.answer);
    texts.debug("Answer", &Answer::Scope);
    texts.debug("Denial", &Denial::Unscoped);
}

fn scopes(texts: &mut Texts) {
    let home = World::new(&[]).launch_home();
    let environment = MapEnv::from([("UNIT", CANARY), ("MODEL_KEY", CANARY)]);
    let files = files_of(&home, &odd_file());
    let (source, broken) = (Broken::declaring(["KEY"]), Broken::declaring(["VAULT"]));
    source.mend();
    let names = ["HERMES_PROFILE"].map(Name::from);
    let programs = Programs {
        environment: &environment,
        platform: Platform::Linux,
        home_variable: "HERMES_HOME".as_ref(),
        profile_name_variables: &names,
    };
    texts.debug("Programs", &programs);
    let shared = SharedNames::of(["UNIT"], &ControlPlane::new(), CaseRule::Sensitive).expect("exact");
    texts.debug("SharedNames", &shared);
    let nothing: [&str; 0] = [];
    for (odd, what) in [(format!("KEY={CANARY}"), "equals"), ("A_*".to_owned(), "pattern")] {
        let error = SharedNames::of([odd], &ControlPlane::new(), CaseRule::Sensitive).expect_err(what);
        texts.error("SharedNamesError", &error);
    }
    let builder = || {
        SecretScope::builder(&home)
            .files(&files)
            .launch_environment(&environment)
            .shared(&shared, &environment)
            .source(&source)
            .source(&broken)
            .programs(programs)
    };
    texts.debug("SecretScopeBuilder", &builder());
    let bound = builder().build();
    let scope = bound.policy().expect("it can be read");
    texts.debug("SecretScope", scope);
    for name in ["MODEL_KEY", "UNIT", "VAULT", "PATH", "NOWHERE", "KEY"] {
        let explanation = scope.explain(name);
        texts.display("Explanation", &explanation);
        texts.debug("Verdict", explanation.verdict());
        let world = World::new(&[("MODEL_KEY", CANARY), ("PATH", CANARY)]);
        texts.display("Explanation", &explain(&world, name));
    }

    let seen = Arc::new(Mutex::new(String::new()));
    let keep = Arc::clone(&seen);
    let source = scripted(["MODEL_KEY"], move |request| {
        *keep.lock().expect("not poisoned") =
            format!("{request:?} {request:#?} {:?}", request.own("MODEL_KEY"));
        Ok(vec![(Name::from("VAULT"), Secret::from(CANARY))])
    });
    let cache = SourceCache::new([source, Arc::new(Broken::declaring(["OTHER"])) as Arc<dyn SecretSource>]);
    drop(SecretScope::builder(&home).files(&files).sources(&cache, Asking::Once).build());
    let request = seen.lock().expect("not poisoned").clone();
    assert!(request.contains("MODEL_KEY"), "the request was seen");
    texts.0.entry("SourceRequest").or_default().push(request);
    texts.debug("SourceCache", &cache);
    texts.debug("Asking", &Asking::Once);
    let command = CommandSource::value("vault", "program", [CANARY], "KEY");
    texts.debug("CommandSource", &command);
    texts.debug("CommandSource", &CommandSource::dotenv("vault", "program", nothing, ["KEY"]));
}

fn errors(texts: &mut Texts) {
    let program = Name::from("program");
    let refused = Refused::new("KEY".as_ref(), RefusedReason::Unscoped);
    for error in [
        SourceError::NoPrograms,
        SourceError::ChildEnv(ChildEnvError::from(refused)),
        SourceError::Start { program: program.clone(), kind: std::io::ErrorKind::NotFound },
        SourceError::Lost { program: program.clone(), kind: std::io::ErrorKind::BrokenPipe },
        SourceError::Deadline { program: program.clone(), milliseconds: 1 },
        SourceError::TooLong { program: program.clone(), limit: 1 },
        SourceError::Failed { program: program.clone(), code: Some(3) },
        SourceError::Failed { program: program.clone(), code: None },
        SourceError::NoValue { program: program.clone() },
        SourceError::Output { program },
        SourceError::Panicked,
        SourceError::Other("the vault is sealed"),
    ] {
        texts.error("SourceError", &error);
        assert!(!error.code().is_empty());
    }
}

fn everything() -> Texts {
    let mut texts = Texts::default();
    vocabulary(&mut texts);
    decisions(&mut texts);
    scopes(&mut texts);
    errors(&mut texts);
    texts
}

#[test]
fn sec_31_no_public_type_shows_a_piece_of_a_value() {
    for (name, texts) in everything().0 {
        for text in texts {
            // Any four bytes in a row would be too much of it, but for the words that all these tests use.
            for piece in CANARY.as_bytes().windows(4).filter_map(|piece| std::str::from_utf8(piece).ok()) {
                let allowed = matches!(piece, "valu" | "alue");
                assert!(allowed || !text.contains(piece), "{name} shows {piece:?}: {text}");
            }
        }
    }
}

/// The names of all public types in a crate's sources.
fn public_types(sources: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(sources).expect("the sources are there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            public_types(&path, found);
            continue;
        }
        for line in std::fs::read_to_string(&path).expect("a source is text").lines() {
            let line = line.trim_start();
            let declared = line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub enum "));
            if let Some(declared) = declared.or_else(|| line.strip_prefix("pub union ")) {
                let end = declared.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(declared.len());
                found.insert(declared[..end].to_owned());
            }
        }
    }
}

#[test]
fn sec_31_no_public_type_is_forgotten() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut declared = BTreeSet::new();
    public_types(&manifest.join("src"), &mut declared);
    public_types(&manifest.join("../vocabulary/src"), &mut declared);
    let formatted: BTreeSet<_> = everything().0.into_keys().map(str::to_owned).collect();
    assert_eq!(declared, formatted, "every public type is formatted around a canary, and no other is named");
}

#[test]
fn sec_31_no_event_holds_a_value() {
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("not poisoned").extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let written = Written::default();
    let writer = written.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, || {
        drop(everything());
        let home = home("coder");
        let files = watertight_profile_home::MemoryFiles::new();
        files.set_dotenv(&home, [b"\xff\xfe".as_slice(), CANARY.as_bytes()].concat());
        assert!(SecretScope::builder(&home).files(&files).build().refusal().is_some());
    });
    let text = String::from_utf8(written.0.lock().expect("not poisoned").clone()).expect("events are text");
    assert!(text.contains("the vault is sealed") && text.contains("secrets are refused"), "{text}");
    assert!(!text.contains("canary") && !text.contains("s3cr3t"), "{text}");
}
