//! The list of all public types: a new one is shown around a canary, or the list says why it can hold no value.

use std::collections::BTreeSet;
use std::path::Path;

use crate::everything::EVERYTHING;
use crate::private::sources;

/// A crate: its folder, its name in code, and its types that can hold no value, each with the reason.
type Library = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const LIBRARIES: [Library; 10] = [
    ("vocabulary", "watertight_vocabulary", crate::vocabulary::PLAIN),
    ("disk", "watertight_disk", crate::disk::PLAIN),
    ("context", "watertight_context", crate::context::PLAIN),
    ("env-snapshot", "watertight_env_snapshot", crate::env_snapshot::PLAIN),
    ("profile-home", "watertight_profile_home", crate::profile_home::PLAIN),
    ("profile-discovery", "watertight_profile_discovery", crate::profile_discovery::PLAIN),
    ("secret-scope", "watertight_secret_scope", crate::secret_scope::PLAIN),
    ("terminal-scope", "watertight_terminal_scope", crate::terminal_scope::PLAIN),
    ("runner-identity", "watertight_runner_identity", crate::runner_identity::PLAIN),
    ("watertight", "watertight", crate::host::PLAIN),
];

/// The public types that the sources below a folder declare. `unreachable_pub` sees to it that each of them
/// can be reached from outside its crate.
fn public_types(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, source) in sources(folder) {
        for line in source.lines().map(str::trim_start) {
            let declared =
                ["pub struct ", "pub enum ", "pub union "].iter().find_map(|start| line.strip_prefix(start));
            let name = declared.map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next());
            found.extend(name.flatten().map(str::to_owned));
        }
    }
    found
}

#[test]
fn sec_31_every_public_type_is_listed() {
    let (texts, _) = &*EVERYTHING;
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for (folder, library, plain) in LIBRARIES {
        let declared = public_types(&crates.join(folder).join("src"));
        let shown: BTreeSet<String> = texts.types_of(library).map(str::to_owned).collect();
        let plain: BTreeSet<String> = plain.iter().map(|(name, _)| (*name).to_owned()).collect();
        let listed: BTreeSet<String> = shown.union(&plain).cloned().collect();
        let forgotten: Vec<_> = declared.difference(&listed).collect();
        assert!(forgotten.is_empty(), "{library}: show these around a canary: {forgotten:?}");
        let gone: Vec<_> = listed.difference(&declared).collect();
        assert!(gone.is_empty(), "{library}: these are no public types: {gone:?}");
        let both: Vec<_> = shown.intersection(&plain).collect();
        assert!(both.is_empty(), "{library}: these are shown, so they need no reason: {both:?}");
    }
}

#[test]
fn sec_31_every_crate_of_the_house_is_listed() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folders =
        std::fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let listed = LIBRARIES.iter().map(|(folder, ..)| (*folder).to_owned());
    assert_eq!(folders.collect::<BTreeSet<_>>(), listed.collect::<BTreeSet<_>>());
}
