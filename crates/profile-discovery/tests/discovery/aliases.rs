use watertight_profile_discovery::{FindError, ProfileName};

use crate::support::{Tree, home, left_out, named, pairs, residents};

#[cfg(unix)]
#[test]
fn prof_44_of_several_names_of_one_home_default_comes_first_then_a_real_directory_then_links_in_order() {
    let tree = Tree::with(&["m"]);
    tree.file("config.yaml", "").file("far/config.yaml", "");
    tree.link("profiles/a-link", "m").link("profiles/z-link", "m");
    tree.link("profiles/root", "..").link("profiles/x1", "../far").link("profiles/x0", "../far");
    let installed = tree.open().installed().unwrap();
    assert_eq!(residents(&installed), ["default", "m", "x0"]);
    assert_eq!(
        left_out(&installed),
        pairs([("a-link", "alias"), ("root", "alias"), ("x1", "alias"), ("z-link", "alias")]),
    );
    assert_eq!(installed.get(&ProfileName::Default).unwrap().aliases(), [named("root")]);
    assert_eq!(installed.get(&named("m")).unwrap().aliases(), [named("a-link"), named("z-link")]);
    assert_eq!(installed.get(&named("x0")).unwrap().aliases(), [named("x1")]);
    assert_eq!(
        residents(&tree.open().serving().unwrap()),
        ["default", "m", "x0"],
        "each home is served once"
    );
}

#[cfg(unix)]
#[test]
fn prof_44_a_request_by_an_alias_is_an_error_that_names_the_canonical_one() {
    let tree = Tree::with(&["m"]);
    tree.file("config.yaml", "").file("far/config.yaml", "").link("profiles/b", "m").link("profiles/c", "..");
    tree.link("profiles/x0", "../far").link("profiles/x1", "../far");
    let open = tree.open();
    for (asked, canonical) in [("b", named("m")), ("c", ProfileName::Default), ("x1", named("x0"))] {
        let error = open.find(asked).unwrap_err();
        assert_eq!(error.code(), "alias");
        assert!(error.to_string().contains(&format!("`{canonical}`")), "{error}");
        let FindError::Alias { canonical: named, .. } = error else { panic!("{error}") };
        assert_eq!(named, canonical, "{asked}");
    }
    for canonical in ["m", "x0", "default"] {
        assert_eq!(open.find(canonical).unwrap().name().as_str(), canonical);
    }
}

#[cfg(unix)]
#[test]
fn prof_44_only_a_live_name_takes_a_home() {
    // `m` is deleted, so the link is the only name left.
    let tree = Tree::with(&["m"]);
    tree.link("profiles/b", "m").file("profiles/.deleted/m", "");
    assert_eq!(residents(&tree.open().installed().unwrap()), ["default", "b"]);
    assert_eq!(tree.open().find("b").unwrap().name(), &named("b"));
    assert_eq!(tree.open().find("m").unwrap_err().code(), "no-such-profile");
    // A real directory whose name is no id cannot be asked for.
    let tree = Tree::with(&["Coder"]);
    tree.link("profiles/coder", "Coder");
    assert_eq!(residents(&tree.open().installed().unwrap()), ["default", "coder"]);
    assert_eq!(tree.open().find("coder").unwrap().home_id().path(), tree.path("profiles/Coder"));
}

#[cfg(unix)]
#[test]
fn prof_44_a_folder_of_profiles_that_holds_the_root_does_not_serve_it_twice() {
    let tree = Tree::new();
    tree.file("config.yaml", "").link("profiles", "..");
    let open = tree.open();
    let installed = open.installed().unwrap();
    assert_eq!(residents(&installed), ["default"]);
    assert_eq!(left_out(&installed), pairs([("root", "alias")]));
    assert_eq!(open.find("root").unwrap_err().code(), "alias");
}

#[cfg(unix)]
#[test]
fn prof_29_a_folder_of_profiles_that_is_the_root_itself_is_read_and_serves_nothing_twice() {
    let tree = Tree::new();
    tree.file("config.yaml", "").file("coder/config.yaml", "").link("profiles", ".");
    let open = tree.open();
    let installed = open.installed().unwrap();
    assert_eq!(residents(&installed), ["default", "coder"], "what lies in the root lies in `profiles`");
    assert_eq!(left_out(&installed), pairs([("profiles", "alias")]), "and so does the link itself");
    assert_eq!(open.find("profiles").unwrap_err().code(), "alias");
    assert_eq!(open.find("coder").unwrap().home_id().path(), tree.path("coder"));
    assert_eq!(open.tenants(&home(tree.root())).unwrap().len(), 2);
    assert_eq!(open.name_for_home(&tree.path("profiles/profiles")).unwrap(), Some(ProfileName::Default));
    tree.file("active_profile", "coder");
    assert_eq!(open.active_profile().unwrap(), named("coder"));
}

#[cfg(unix)]
#[test]
fn prof_44_the_alias_of_a_parked_profile_is_not_served_in_its_place() {
    let tree = Tree::with(&["m"]);
    tree.file("profiles/m/gateway.parked", "").link("profiles/b", "m");
    let serving = tree.open().serving().unwrap();
    assert_eq!(residents(&serving), ["default"]);
    assert_eq!(left_out(&serving), pairs([("b", "alias"), ("m", "parked")]));
}
