//! Generated trees, held against a model that asks the disk in its own plain way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use watertight_profile_discovery::{FindError, ProfileTree, Tenant};

use crate::support::{Tree, home, left_out, listed, named, residents};

/// Valid names, and two that are none.
const NAMES: [&str; 7] = ["a", "b", "c", "d-1", "test", "Upper", "default"];
const MARKERS: [&str; 6] = ["config.yaml", ".env", "SOUL.md", "profile.yaml", "auth.json", "state.db"];

#[derive(Debug, Clone)]
enum Entry {
    /// Markers, each of them empty, with text, a dangling link, or a directory.
    Folder(Vec<(&'static str, u8)>),
    Link(&'static str),
    LinkToRoot,
    LinkOutside,
    Dangling,
    File,
}

fn entries() -> impl Strategy<Value = Vec<Option<Entry>>> {
    let folder = proptest::collection::vec((proptest::sample::select(&MARKERS[..]), 0_u8..4), 0..3)
        .prop_map(Entry::Folder);
    let entry = prop_oneof![
        6 => folder,
        3 => proptest::sample::select(&NAMES[..]).prop_map(Entry::Link),
        1 => Just(Entry::LinkToRoot),
        1 => Just(Entry::LinkOutside),
        1 => Just(Entry::Dangling),
        1 => Just(Entry::File),
    ];
    proptest::collection::vec(proptest::option::of(entry), NAMES.len())
}

fn lay_out(entries: &[Option<Entry>], tombstones: &[bool], root_marker: bool) -> Tree {
    let tree = Tree::new();
    tree.dir("profiles").file("outside/SOUL.md", "");
    if root_marker {
        tree.file("config.yaml", "");
    }
    for (name, entry) in NAMES.iter().zip(entries) {
        let below = format!("profiles/{name}");
        match entry {
            None => {}
            Some(Entry::Folder(markers)) => {
                tree.dir(&below);
                for (marker, kind) in markers {
                    let path = format!("{below}/{marker}");
                    if tree.path(&path).symlink_metadata().is_ok() {
                        continue;
                    }
                    match kind {
                        0 => tree.file(&path, ""),
                        1 => tree.file(&path, "# canary-1\n"),
                        2 => tree.link(&path, "nowhere"),
                        _ => tree.dir(&path),
                    };
                }
            }
            Some(Entry::Link(to)) => drop(tree.link(&below, to).root()),
            Some(Entry::LinkToRoot) => drop(tree.link(&below, "..").root()),
            Some(Entry::LinkOutside) => drop(tree.link(&below, "../outside").root()),
            Some(Entry::Dangling) => drop(tree.link(&below, "nowhere").root()),
            Some(Entry::File) => drop(tree.file(&below, "").root()),
        }
    }
    for (name, dead) in NAMES.iter().zip(tombstones) {
        if *dead {
            tree.file(&format!("profiles/.deleted/{name}"), "");
        }
    }
    tree
}

/// What the rules say of a tree, in the words of the specification.
#[derive(Debug, Default)]
struct Model {
    listed: Vec<&'static str>,
    servable: BTreeSet<&'static str>,
    unknown: Vec<&'static str>,
    /// Name by name, the canonical name of its home.
    canonical: BTreeMap<&'static str, &'static str>,
}

fn model(tree: &Tree) -> Model {
    let mut model = Model::default();
    let profiles = tree.path("profiles");
    for name in ["a", "b", "c", "d-1", "test"] {
        let entry = profiles.join(name);
        if profiles.join(".deleted").join(name).exists() || entry.symlink_metadata().is_err() {
            continue;
        }
        let Ok(found) = entry.metadata() else {
            model.unknown.push(name);
            continue;
        };
        let is_marker = |marker: &&str| {
            let found = entry.join(marker).symlink_metadata();
            found.is_ok_and(|found| found.is_file() || found.is_symlink())
        };
        let markers: Vec<_> = MARKERS.iter().copied().filter(|marker| is_marker(marker)).collect();
        if found.is_dir() && !markers.is_empty() {
            model.listed.push(name);
            let env = entry.join(".env").symlink_metadata();
            let crashed = markers == [".env"] && env.is_ok_and(|env| env.is_file() && env.len() == 0);
            if !crashed {
                model.servable.insert(name);
            }
        }
    }
    let root = tree.root().canonicalize().unwrap();
    let resolved = |name: &str| profiles.join(name).canonicalize().unwrap();
    let is_link = |name: &str| profiles.join(name).is_symlink();
    for name in &model.listed {
        let home = resolved(name);
        let mut same: Vec<_> = model.listed.iter().filter(|other| resolved(other) == home).collect();
        same.sort_by_key(|other| (is_link(other), **other));
        model.canonical.insert(name, if home == root { "default" } else { same.first().unwrap() });
    }
    model
}

fn homes_of(model: &Model, tree: &Tree, launch: &Path) -> BTreeSet<PathBuf> {
    let resolved = |name: &&str| tree.path("profiles").join(name).canonicalize().unwrap();
    let unknown = model.unknown.iter().map(|name| tree.path("profiles").join(name));
    let named = model.servable.iter().map(resolved).chain(unknown);
    named.chain([tree.root().to_owned(), launch.to_owned()]).collect()
}

fn check_finding(open: &ProfileTree, model: &Model, tree: &Tree) -> Result<(), TestCaseError> {
    for name in ["a", "b", "c", "d-1", "test"] {
        let answer = open.find(name);
        match (model.canonical.get(name), &answer) {
            (Some(canonical), Ok(found)) if *canonical == name => {
                let home = tree.path("profiles").join(name);
                prop_assert_eq!(found.home(), home.clone());
                prop_assert_eq!(found.home_id().path(), home.canonicalize().unwrap());
                prop_assert!(found.still_there(open).is_ok());
            }
            (Some(canonical), Err(FindError::Alias { canonical: named, .. })) => {
                prop_assert_eq!(named.as_str(), *canonical);
                prop_assert_ne!(*canonical, name);
            }
            (None, Err(error)) => {
                let expected = if model.unknown.contains(&name) { "unknown" } else { "no-such-profile" };
                prop_assert_eq!(error.code(), expected, "{}", name);
            }
            (expected, answer) => prop_assert!(false, "{name}: {expected:?}, and not {answer:?}"),
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn prof_26_every_view_of_a_tree_is_what_the_model_says(
        entries in entries(),
        tombstones in proptest::collection::vec(proptest::bool::weighted(0.15), NAMES.len()),
        root_marker in any::<bool>(),
        launch in 0..NAMES.len() + 1,
    ) {
        let tree = lay_out(&entries, &tombstones, root_marker);
        let (model, open) = (model(&tree), tree.open());

        let listing = open.list().unwrap();
        let expected: Vec<_> = ["default"].iter().chain(&model.listed).map(ToString::to_string).collect();
        prop_assert_eq!(listed(&listing), expected);
        let unknown: Vec<_> = listing.unknown().map(|entry| entry.name().to_str().unwrap()).collect();
        prop_assert_eq!(&unknown, &model.unknown);
        let names = fs::read_dir(tree.path("profiles")).unwrap().count();
        prop_assert_eq!(listing.profiles().len() - 1 + listing.skipped().len(), names, "one verdict each");

        let installed = open.installed().unwrap();
        let (own, aliases): (Vec<_>, Vec<_>) =
            model.listed.iter().partition(|name| model.canonical[**name] == **name);
        let own: Vec<_> = ["default"].into_iter().chain(own).map(str::to_owned).collect();
        prop_assert_eq!(residents(&installed), own);
        let aliases: Vec<_> = aliases.into_iter().map(|name: &str| (name.to_owned(), "alias")).collect();
        prop_assert_eq!(left_out(&installed), aliases);
        for name in &model.listed {
            let served = installed.residents().iter().filter(|resident| resident.aliases().contains(&named(name)));
            prop_assert_eq!(served.count(), usize::from(model.canonical[name] != *name));
        }

        let launch = NAMES.get(launch).map_or(tree.root().to_owned(), |name| tree.path("profiles").join(name));
        let Ok(launch) = watertight_disk::home_at(&watertight_disk::RealFileSystem, &launch) else {
            return Ok(()); // A dangling link is no launch home.
        };
        let tenants = open.tenants(&launch).unwrap();
        let homes: Vec<_> = tenants.iter().map(|tenant| tenant.home().to_owned()).collect();
        let distinct: BTreeSet<_> = homes.iter().cloned().collect();
        prop_assert_eq!(distinct.len(), homes.len(), "each home once: {:?}", homes);
        prop_assert_eq!(distinct, homes_of(&model, &tree, launch.path()));
        prop_assert_eq!(tenants.iter().filter(|tenant| Tenant::is_launch(tenant)).count(), 1);

        check_finding(&open, &model, &tree)?;
        for name in ["Upper", "default"] {
            prop_assert!(open.find(name).is_err() || name == "default");
        }
        prop_assert_eq!(open.find("default").unwrap().home_id().clone(), home(tree.root()));
    }
}
