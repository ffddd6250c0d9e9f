use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use watertight_disk::RealFileSystem;
use watertight_profile_discovery::{ProfileId, ProfileName, ProfileTree, Root};
use watertight_profile_home::DiskFiles;
use watertight_vocabulary::Platform;

use crate::support::{Tree, named};

fn tree_at(root: &Path) -> ProfileTree {
    let root = Root::at(root, Platform::Linux, &RealFileSystem).unwrap();
    ProfileTree::new(root, Arc::new(RealFileSystem), Arc::new(DiskFiles::new()))
}

#[cfg(unix)]
#[test]
fn prof_44_the_name_of_a_home_is_the_canonical_one_from_every_side() {
    let tree = Tree::with(&["m"]);
    tree.file("config.yaml", "").file("far/config.yaml", "").link("profiles/b", "m").link("profiles/c", "..");
    tree.link("profiles/x1", "../far").link("profiles/x0", "../far");
    let open = tree.open();
    for (below, expected) in [
        ("profiles/m", Some(named("m"))),
        ("profiles/b", Some(named("m"))),
        ("profiles/c", Some(ProfileName::Default)),
        ("profiles/c/profiles/m", Some(named("m"))),
        ("profiles/x1", Some(named("x0"))),
        ("far", Some(named("x0"))),
        ("", Some(ProfileName::Default)),
        ("profiles/new", Some(named("new"))),
        ("profiles", None),
        ("profiles/m/sub", None),
        ("profiles/Coder", None),
        ("..", None),
    ] {
        assert_eq!(open.name_for_home(&tree.path(below)).unwrap(), expected, "{below:?}");
    }
    assert!(open.name_for_home("relative".as_ref()).is_err());
}

/// Another spelling of the same path.
#[derive(Debug, Clone)]
enum Spelling {
    Slash,
    Dot,
    Up,
    Through,
}

fn respell(tree: &Tree, path: PathBuf, spelling: &Spelling) -> PathBuf {
    match spelling {
        Spelling::Slash => path.join(""),
        Spelling::Dot => path.parent().unwrap().join(".").join(path.file_name().unwrap()),
        // Down into the root and up again.
        Spelling::Up => match path.strip_prefix(tree.beside()) {
            Ok(below) => tree.root().join("..").join(below),
            Err(_) => path,
        },
        // Through a link to the folder that everything lies in.
        Spelling::Through => match path.strip_prefix(tree.beside()) {
            Ok(below) => tree.beside().join("through").join(below),
            Err(_) => path,
        },
    }
}

#[cfg(unix)]
proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn prof_40_name_for_home_and_home_of_are_inverse_for_every_spelling(
        ids in proptest::collection::btree_set("[a-z0-9][a-z0-9_-]{0,5}", 0..5),
        root_spelling in proptest::collection::vec(spellings(), 0..3),
        home_spelling in proptest::collection::vec(spellings(), 0..3),
        links in any::<bool>(),
    ) {
        let tree = Tree::new();
        std::os::unix::fs::symlink(".", tree.beside().join("through")).unwrap();
        let ids: Vec<ProfileId> = ids.iter().filter_map(|id| ProfileId::parse(id).ok()).collect();
        for (index, id) in ids.iter().enumerate() {
            if links && index % 2 == 1 {
                tree.file(&format!("far-{id}/config.yaml"), "");
                tree.link(&format!("profiles/{id}"), format!("../far-{id}"));
            } else {
                tree.profile(id.as_str());
            }
        }
        let spelled = root_spelling.iter().fold(tree.root().to_owned(), |path, how| respell(&tree, path, how));
        let open = tree_at(&spelled);
        let listing = open.list().unwrap();
        prop_assert_eq!(listing.profiles().len(), ids.len() + 1);
        for profile in listing.profiles() {
            let home = open.home_of(profile.name());
            prop_assert_eq!(&home, &profile.home());
            let spelled = home_spelling.iter().fold(home.clone(), |path, how| respell(&tree, path, how));
            let name = open.name_for_home(&spelled).unwrap();
            prop_assert_eq!(name.as_ref(), Some(profile.name()), "{:?}", spelled);
            prop_assert_eq!(open.home_of(&name.unwrap()), home);
            let found = open.find(profile.name().as_str()).unwrap();
            prop_assert_eq!(found.home(), profile.home());
            let seen = open.name_for_home(found.home_id().path()).unwrap();
            prop_assert_eq!(seen.as_ref(), Some(profile.name()));
        }
    }
}

fn spellings() -> impl Strategy<Value = Spelling> {
    prop_oneof![Just(Spelling::Slash), Just(Spelling::Dot), Just(Spelling::Up), Just(Spelling::Through),]
}

#[test]
fn prof_03_a_root_called_profiles_nests_and_says_the_same_everywhere() {
    let tree = Tree::new();
    tree.file("profiles/profiles/coder/config.yaml", "").profile("default");
    let open = tree_at(&tree.path("profiles"));
    let home = open.home_of(&named("coder"));
    assert_eq!(home, tree.path("profiles/profiles/coder"));
    assert_eq!(open.name_for_home(&home).unwrap(), Some(named("coder")));
    assert_eq!(open.find("coder").unwrap().home(), home);
    assert_eq!(open.name_for_home(&tree.path("profiles")).unwrap(), Some(ProfileName::Default));
}
