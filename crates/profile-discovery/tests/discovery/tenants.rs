use std::fs;

use watertight_profile_discovery::Tenant;

use crate::support::{Tree, counted, home, named, pairs};

#[test]
fn prof_41_default_and_every_installed_servable_profile_count() {
    let tree = Tree::with(&["a", "parked", "alone"]);
    tree.file("profiles/parked/gateway.parked", "");
    tree.file("profiles/alone/config.yaml", "gateway: {standalone: true}");
    tree.file("profiles/crashed/.env", "").dir("profiles/shell");
    let tenants = tree.open().tenants(&home(tree.root())).unwrap();
    assert_eq!(
        counted(&tenants),
        pairs([("default", "default"), ("a", "servable"), ("alone", "servable"), ("parked", "servable")]),
    );
    assert!(tenants.iter().next().unwrap().is_launch());
    assert!(tenants.unknown().is_empty());
}

#[test]
fn prof_41_a_single_profile_is_one_tenant() {
    let tree = Tree::new();
    let tenants = tree.open().tenants(&home(tree.root())).unwrap();
    assert!(!tenants.are_many());
    assert_eq!(tenants.len(), 1);
}

#[test]
fn prof_41_the_launch_home_counts_whatever_is_in_it_and_only_once() {
    let tree = Tree::with(&["a"]);
    tree.file("profiles/crashed/.env", "").dir("profiles/shell");
    for (launch, expected) in [
        ("profiles/a", &[("default", "default"), ("a", "servable")][..]),
        ("profiles/crashed", &[("default", "default"), ("a", "servable"), ("crashed", "launch")]),
        ("profiles/shell", &[("default", "default"), ("a", "servable"), ("-", "launch")]),
        ("profiles/not-yet", &[("default", "default"), ("a", "servable"), ("-", "launch")]),
        ("..", &[("default", "default"), ("a", "servable"), ("-", "launch")]),
    ] {
        let tenants = tree.open().tenants(&home(tree.path(launch))).unwrap();
        let expected: Vec<_> = expected.iter().map(|(name, code)| ((*name).to_owned(), *code)).collect();
        assert_eq!(counted(&tenants), expected, "{launch}");
        let launched: Vec<_> = tenants.iter().filter(|tenant| tenant.is_launch()).collect();
        assert_eq!(launched.len(), 1);
        assert_eq!(launched[0].home(), home(tree.path(launch)).path());
    }
}

#[cfg(unix)]
#[test]
fn prof_41_links_that_lead_to_one_home_count_once() {
    let tree = Tree::with(&["a"]);
    tree.file("config.yaml", "").file("../outside/.env", "K=canary-1");
    tree.link("profiles/b", "a").link("profiles/c", "..").link("profiles/d", tree.beside().join("outside"));
    tree.link("profiles/e", tree.path("profiles/d"));
    let tenants = tree.open().tenants(&home(tree.root())).unwrap();
    assert_eq!(counted(&tenants), pairs([("default", "default"), ("a", "servable"), ("d", "servable")]),);
    let aliases: Vec<_> = tenants.iter().map(Tenant::aliases).collect();
    assert_eq!(aliases, [&[named("c")][..], &[named("b")], &[named("e")]]);
}

#[cfg(unix)]
#[test]
fn prof_41_a_listed_directory_resolves_like_canonicalize_would() {
    let tree = Tree::new();
    tree.file("disk/a/config.yaml", "").file("disk/b/.env", "K=canary-1").link("profiles", "disk");
    tree.file("far/config.yaml", "").link("disk/l", "../far").link("disk/m", "./a/.");
    fs::create_dir(tree.beside().join("x")).unwrap();
    let open = tree.open();
    for tenant in &open.tenants(&home(tree.root())).unwrap() {
        let spelled = open.home_of(tenant.name().unwrap());
        assert_eq!(tenant.home(), spelled.canonicalize().unwrap(), "{:?}", tenant.name());
    }
    assert_eq!(open.tenants(&home(tree.root())).unwrap().len(), 4);
}

#[test]
fn prof_41_the_answer_is_the_disks_of_this_moment() {
    let tree = Tree::with(&["a"]);
    let open = tree.open();
    assert_eq!(open.tenants(&home(tree.root())).unwrap().len(), 2);
    tree.remove("profiles/a");
    assert_eq!(open.tenants(&home(tree.root())).unwrap().len(), 1);
    tree.profile("b");
    assert_eq!(open.tenants(&home(tree.root())).unwrap().len(), 2);
}
