//! The types of the terminal scope, over settings that are not what their keys take.

use watertight::disk::RealFileSystem;
use watertight_profile_home::{DiskFiles, ManagedDirectory};
use watertight_terminal_scope::{
    Backend, Fault, SchemaKey, SettingError, TerminalError, TerminalPolicy, TerminalSchema, ValueType,
};
use watertight_vocabulary::Refused;

use crate::texts::{CANARY, Silent, Texts, show};
use crate::tree::Tree;

/// What can hold no value.
pub(crate) const PLAIN: &[(&str, &str)] = &[("Backend", "name"), ("ValueType", "units")];

pub(crate) fn show_all(texts: &mut Texts) {
    let key = SchemaKey::new("vault", ValueType::Text).unwrap().with_default(CANARY).unwrap();
    show!(texts, key);
    let schema = TerminalSchema::hermes().extend([key]).unwrap();
    show!(texts, schema);
    show!(texts, SchemaKey::new("port", ValueType::Integer).unwrap().with_default(CANARY).unwrap_err());
    show!(
        texts,
        SchemaKey::new("backend", ValueType::Integer).unwrap_err(),
        TerminalSchema::new([]).unwrap_err()
    );
    show!(
        texts,
        SchemaKey::new("Odd Key", ValueType::Text).unwrap_err(),
        SchemaKey::new("env", ValueType::Text).unwrap_err()
    );
    show!(texts, schema.with_backends(["TRUE"]).unwrap_err());

    let (tree, files) = (Tree::new(), DiskFiles::new());
    let managed = ManagedDirectory::at(tree.path("managed")).read(&RealFileSystem);
    let mut built = 0;
    for home in tree.homes() {
        let builder = TerminalPolicy::builder(&home)
            .files(&files)
            .schema(&schema)
            .launch_environment(&*tree.env)
            .managed(&managed);
        show!(texts, builder);
        for bound in [builder.clone().build(), TerminalPolicy::builder(&home).files(&files).build()] {
            show!(texts, bound);
            match bound.policy() {
                Ok(policy) => {
                    built += 1;
                    show_policy(texts, policy);
                }
                Err(refusal) => show!(texts, *refusal),
            }
        }
    }
    assert!(built > 4, "{built} policies could be built");
    readers(texts, &tree);
}

fn show_policy(texts: &mut Texts, policy: &TerminalPolicy) {
    show!(texts, *policy);
    for entry in policy.entries() {
        show!(texts, entry);
    }
    for problem in policy.problems() {
        show!(texts, *problem);
    }
    for explanation in policy.explanations() {
        show!(texts, explanation, explanation.value);
    }
    let mut errors: Vec<SettingError> = Vec::new();
    errors.extend(policy.backend().err());
    errors.extend(policy.child_entries().err());
    for key in [
        "backend",
        "cwd",
        "timeout",
        "container_persistent",
        "docker_volumes",
        "docker_env",
        "ssh_host",
        "nothing",
    ] {
        errors.extend(policy.text(key).err());
        errors.extend(policy.path(key).err());
        errors.extend(policy.integer(key).err());
        errors.extend(policy.number(key).err());
        errors.extend(policy.boolean(key).err());
        errors.extend(policy.list(key).err());
        errors.extend(policy.map(key).err());
    }
    assert!(errors.len() > 8, "most views are of another type");
    for error in errors {
        let fault: &Fault = error.fault();
        show!(texts, *fault, error, Refused::from(error.clone()), TerminalError::from(error));
    }
}

/// Readers, inside scopes and outside.
fn readers(texts: &mut Texts, tree: &Tree) {
    let host = tree.builder().build().unwrap();
    let read = |texts: &mut Texts| {
        host.terminal_reader(|reader| {
            show!(texts, reader);
            for variable in ["TERMINAL_CWD", "TERMINAL_TIMEOUT", "TERMINAL_UNKNOWN", "MODEL_KEY"] {
                let _ = reader
                    .read(variable, Some(CANARY))
                    .map(|value| show!(texts, value))
                    .map_err(|error| show!(texts, error));
            }
            let backend = reader.backend();
            let _: Result<Option<Backend>, ()> = backend.map(Some).map_err(|error| show!(texts, error));
            let _ = reader
                .child_entries()
                .map(|entries| show!(texts, entries))
                .map_err(|refused| show!(texts, refused));
        });
    };
    read(texts);
    host.activate();
    read(texts);
    for name in ["coder", "open", "section"] {
        host.profile_scope(name).unwrap().run(|| read(texts));
    }
}
