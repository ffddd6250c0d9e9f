//! The vocabulary's types.

use watertight_secret_scope::SecretScope;
use watertight_vocabulary::{
    Bound, Diagnostic, Layer, Name, NotUnicode, Origin, Refusal, Refused, RefusedReason, Secret,
};

use crate::texts::{CANARY, Silent, Texts, show};
use crate::tree::Tree;

/// What can hold no value.
pub(crate) const PLAIN: &[(&str, &str)] = &[
    ("CaseRule", "units"),
    ("Classes", "names"),
    ("ControlPlane", "names"),
    ("HermesClasses", "names"),
    ("HomeId", "path"),
    ("HomeStamp", "numbers"),
    ("HostId", "number"),
    ("Layer", "units"),
    ("Name", "name"),
    ("NameClass", "units"),
    ("NameSet", "names"),
    ("Platform", "units"),
    ("Severity", "units"),
];

pub(crate) fn show_all(texts: &mut Texts) {
    let name = Name::from("MODEL_KEY");
    let odd = Secret::from_bytes(&name, [CANARY.as_bytes(), b"\xff"].concat());
    show!(
        texts,
        Secret::from(CANARY),
        odd.clone(),
        Some(Secret::from(CANARY)),
        vec![(name.clone(), odd.clone())]
    );
    show!(texts, odd.expose().unwrap_err(), NotUnicode::new(name, CANARY.len()));

    let tree = Tree::new();
    let files = watertight_profile_home::DiskFiles::new();
    for home in tree.homes() {
        let bound = SecretScope::builder(&home).files(&files).build();
        match bound.policy() {
            Ok(scope) => {
                for diagnostic in scope.diagnostics() {
                    show!(texts, *diagnostic);
                }
                for name in scope.names() {
                    show!(texts, scope.origin(name).unwrap());
                }
            }
            Err(refusal) => {
                let reason = RefusedReason::Unavailable(refusal.clone());
                show!(texts, *refusal, reason, Refused::new("MODEL_KEY".as_ref(), reason.clone()));
            }
        }
        show!(texts, bound);
    }
    show!(texts, Origin::layer_only(Layer::Dotenv), Diagnostic::note("a-code", "a sentence"));
    show!(texts, Bound::<SecretScope>::Refusal(Refusal::new("unreadable", "it is a directory")));
}
