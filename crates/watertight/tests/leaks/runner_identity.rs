//! The types of the runner's identity: tokens, and id files that hold something else.

use std::fs;
use std::sync::Arc;

use watertight_disk::{Operation, RealFileSystem, Scripted};
use watertight_env_snapshot::MapEnv;
use watertight_runner_identity::{
    BindingToken, CreateError, Fingerprint, Identity, IdentityError, IdentityFile, MachineId, RunnerId,
    RunnerWiring, known_identity, stable_identity, token_bound_id,
};
use watertight_vocabulary::Secret;

use crate::texts::{CANARY, Silent, Texts, show};
use crate::tree::Tree;

/// What can hold no value.
pub(crate) const PLAIN: &[(&str, &str)] =
    &[("NoMachine", "unit"), ("Orphaned", "units"), ("PlatformMachine", "unit"), ("Provenance", "paths")];

/// A machine whose own id is a value.
#[derive(Debug)]
struct Machine(Secret);

impl MachineId for Machine {
    fn machine_id(&self) -> Option<Secret> {
        Some(self.0.clone())
    }
}

pub(crate) fn show_all(texts: &mut Texts) {
    let tree = Tree::new();
    let token = BindingToken::parse(CANARY).unwrap();
    show!(texts, token, token_bound_id(&token), Identity::bound_to(&token));
    show!(
        texts,
        BindingToken::parse(" ").unwrap_err(),
        BindingToken::parse(format!("{CANARY} {CANARY}")).unwrap_err()
    );
    wiring(texts);

    for (at, bytes) in odd_ids().into_iter().enumerate() {
        let path = tree.path(&format!("ids/{at}"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &bytes).unwrap();
        show_identity(texts, IdentityFile::at(&path).load_or_create());
        let variable: Option<&str> = std::str::from_utf8(&bytes).ok();
        if let Some(variable) = variable {
            let environment = MapEnv::from([("OMNIGENT_RUNNER_ID", variable)]);
            show_identity(texts, stable_identity(&environment, &IdentityFile::at(&path)));
            let known = known_identity(&environment, &IdentityFile::at(&path));
            show_identity(texts, known.map(Option::unwrap));
            let _ = variable.parse::<RunnerId>().map_err(|error| show!(texts, error));
        }
    }

    let machine = Arc::new(Machine(Secret::from(CANARY)));
    let file =
        IdentityFile::at(tree.path("id/runner_id")).of_machine(Arc::clone(&machine) as Arc<dyn MachineId>);
    show!(texts, file);
    let made = file.load_or_create().unwrap();
    show!(texts, made.machine(), Fingerprint::take(&*machine, made.id()).unwrap());
    show_identity(texts, Ok(made));
    let other = file.clone().of_machine(Arc::new(Machine(Secret::from(format!("other-{CANARY}")))));
    show_identity(texts, other.load_or_create());
    fs::write(tree.path("id/runner_id.machine"), CANARY).unwrap();
    show_identity(texts, file.load_or_create());

    for operation in
        [Operation::Open, Operation::CreateDir, Operation::CreateTemporary, Operation::RenameNoReplace]
    {
        let disk = Scripted::new(Arc::new(RealFileSystem), move |asked, _| {
            if asked == operation { Err(std::io::Error::from_raw_os_error(5)) } else { Ok(()) }
        });
        for at in ["ids/0", "unmade/runner_id", "root/.env/runner_id", "root"] {
            show_identity(texts, IdentityFile::at(tree.path(at)).on(Arc::new(disk.clone())).load_or_create());
            show_identity(texts, IdentityFile::at(tree.path(at)).on(Arc::new(disk.clone())).regenerate());
        }
    }
    show_identity(texts, IdentityFile::in_user_home(None).load_or_create());
    show_identity(texts, IdentityFile::at("relative").load_or_create());
}

/// What is no id, with a value in it.
fn odd_ids() -> Vec<Vec<u8>> {
    vec![
        format!("{CANARY} {CANARY}\n").into_bytes(),
        format!("TOKEN={CANARY}\n").into_bytes(),
        format!("..{CANARY}").into_bytes(),
        format!("a..{CANARY}").into_bytes(),
        format!("-{CANARY}").into_bytes(),
        CANARY.repeat(10).into_bytes(),
        CANARY.repeat(1_000).into_bytes(),
        [CANARY.as_bytes(), b"\xff"].concat(),
        b" \n".to_vec(),
    ]
}

fn show_identity(texts: &mut Texts, identity: Result<Identity, IdentityError>) {
    match identity {
        Ok(identity) => {
            show!(texts, identity, identity.machine(), *identity.id());
            for diagnostic in identity.diagnostics() {
                show!(texts, *diagnostic);
            }
            show!(texts, identity);
        }
        Err(error) => {
            show!(texts, error);
            match &error {
                IdentityError::InvalidFile { reason, .. } | IdentityError::InvalidVariable { reason, .. } => {
                    show!(texts, *reason);
                }
                IdentityError::Unreadable { source, .. } => show!(texts, *source),
                IdentityError::NotCreated { source, .. } => {
                    let source: &CreateError = source;
                    show!(texts, *source);
                }
                _ => {}
            }
        }
    }
}

fn wiring(texts: &mut Texts) {
    const TOKEN: &str = "OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN";
    show!(texts, RunnerWiring::read(&MapEnv::from([(TOKEN, CANARY)])).unwrap());
    let broken = [
        (TOKEN, format!("{CANARY} {CANARY}")),
        (TOKEN, " ".to_owned()),
        ("OMNIGENT_RUNNER_PARENT_PID", CANARY.to_owned()),
        ("OMNIGENT_RUNNER_WORKSPACE", CANARY.to_owned()),
    ];
    for (variable, value) in broken {
        show!(texts, RunnerWiring::read(&MapEnv::from([(variable, value)])).unwrap_err());
    }
}
