//! What it costs, counted in calls: a bound that no machine's load can move.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use watertight_disk::{Call, Operation, RealFileSystem, Recording};
use watertight_profile_discovery::ProfileTree;

use crate::support::{Tree, home};

fn recorded(tree: &Tree) -> (Recording, ProfileTree) {
    let recording = Recording::new();
    let open = tree.on(Arc::new(recording.of(Arc::new(RealFileSystem))));
    (recording, open)
}

fn count(calls: &[Call]) -> HashMap<Operation, usize> {
    let mut counts = HashMap::new();
    for call in calls {
        *counts.entry(call.operation).or_default() += 1;
    }
    counts
}

fn many(count: usize, file: Option<&str>) -> Tree {
    let tree = Tree::in_memory();
    for index in 0..count {
        let home = tree.path("profiles").join(format!("p{index:06}"));
        fs::create_dir_all(&home).unwrap();
        if let Some(file) = file {
            fs::write(home.join(file), "").unwrap();
        }
    }
    tree
}

#[test]
fn prof_26_a_listing_costs_one_directory_read_and_one_call_for_each_profile() {
    let tree = many(200, Some("config.yaml"));
    for index in 0..50 {
        tree.file(&format!("profiles/.deleted/gone{index}"), "");
    }
    let (recording, open) = recorded(&tree);
    assert_eq!(open.list().unwrap().profiles().len(), 201);
    let counts = count(&recording.take());
    assert_eq!(counts[&Operation::OpenDir], 2, "`profiles` and, once for all tombstones, `.deleted`");
    assert_eq!(counts[&Operation::ReadDir], 2);
    assert_eq!(counts[&Operation::SymlinkMetadata], 200);
    assert_eq!(counts.len(), 3, "and nothing else: {counts:?}");
}

#[test]
fn prof_20_a_folder_costs_a_bounded_number_of_calls_whatever_is_in_it() {
    for (file, bound) in [(None, 7), (Some("state.db"), 6), (Some(".env"), 6)] {
        let tree = many(100, file);
        let (recording, open) = recorded(&tree);
        open.list().unwrap();
        let looks = recording.take().len() - 3;
        assert!(looks <= 100 * bound, "{file:?}: {looks} calls for 100 folders");
    }
}

#[test]
fn prof_41_tenants_cost_no_call_more_for_a_real_directory() {
    let tree = many(200, Some("config.yaml"));
    let (recording, open) = recorded(&tree);
    open.list().unwrap();
    let listing = recording.take().len();
    let launch = home(tree.root());
    assert_eq!(open.tenants(&launch).unwrap().len(), 201);
    let tenants = recording.take();
    assert!(tenants.len() <= listing + 4, "{} calls beside {listing}", tenants.len());
    assert!(tenants.iter().all(|call| call.operation != Operation::Open), "no file is opened");
}

#[test]
fn prof_28_installed_parses_no_file_and_serving_only_those_that_are_there() {
    let tree = many(20, Some("SOUL.md"));
    tree.profile("with").profile("parked").file("profiles/parked/gateway.parked", "");
    let recording = Recording::new();
    let disk = Arc::new(recording.of(Arc::new(RealFileSystem)));
    let files = watertight_profile_home::DiskFiles::on(Arc::clone(&disk) as _);
    let open = tree.with_files(disk, Arc::new(files));
    let read = |calls: Vec<Call>| -> Vec<_> {
        let reads = calls.into_iter().filter(|call| call.operation == Operation::Read);
        let paths: BTreeSet<_> = reads.map(|call| call.path).collect();
        paths.iter().map(|path| path.strip_prefix(tree.root()).unwrap().to_owned()).collect()
    };
    assert_eq!(open.installed().unwrap().residents().len(), 23);
    assert_eq!(read(recording.take()), [] as [&Path; 0]);
    assert_eq!(open.serving().unwrap().residents().len(), 22);
    assert_eq!(read(recording.take()), [Path::new("profiles/with/config.yaml")]);
}

#[test]
fn prof_26_ten_thousand_profiles_are_listed_and_each_is_found() {
    let tree = many(10_000, Some("config.yaml"));
    let open = tree.open();
    assert_eq!(open.list().unwrap().profiles().len(), 10_001);
    assert_eq!(open.tenants(&home(tree.root())).unwrap().len(), 10_001);
    let (recording, open) = recorded(&tree);
    open.find("p009999").unwrap();
    assert!(recording.take().len() <= 10, "finding one costs the same among ten thousand");
}
