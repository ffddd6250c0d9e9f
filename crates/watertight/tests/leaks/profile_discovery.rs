//! The types of the profile tree, around a tree whose files hold canaries.

use std::fs;
use std::sync::Arc;

use watertight_disk::{Operation, RealFileSystem, Scripted};
use watertight_env_snapshot::MapEnv;
use watertight_profile_discovery::{HomeLayout, ProfileId, ProfileName, ProfileTree, Root};
use watertight_profile_home::DiskFiles;
use watertight_vocabulary::Platform;

use crate::texts::{CANARY, Silent, Texts, show};
use crate::tree::Tree;

/// What can hold no value.
pub(crate) const PLAIN: &[(&str, &str)] =
    &[("HomeLayout", "names"), ("ProfileId", "name"), ("ProfileName", "name"), ("TenantReason", "units")];

pub(crate) fn show_all(texts: &mut Texts) {
    let tree = Tree::new();
    let profiles = tree.profiles();
    tree.write("root/profiles/Bad Name/.env", CANARY);
    tree.write("root/profiles/default/.env", CANARY);
    tree.write("root/profiles/parked/.env", CANARY);
    tree.write("root/profiles/parked/gateway.parked", CANARY);
    tree.write("root/profiles/gone/.env", CANARY);
    tree.write("root/profiles/file", CANARY);
    tree.write("root/profiles/nothing/notes", CANARY);
    tree.write(
        "root/profiles/standalone/config.yaml",
        format!("gateway: {{standalone: true}}\nmodel: {CANARY}\n"),
    );
    show_trees(texts, &profiles);
    for operation in [Operation::Metadata, Operation::SymlinkMetadata, Operation::ReadDir, Operation::OpenDir]
    {
        for suffix in [
            "profiles",
            "coder",
            "coder/config.yaml",
            "gone/.env",
            "gone/config.yaml",
            "parked/gateway.parked",
        ] {
            let disk = Arc::new(Scripted::failing(Arc::new(RealFileSystem), operation, suffix, 5));
            show_trees(texts, &ProfileTree::new(profiles.root().clone(), disk, Arc::new(DiskFiles::new())));
        }
    }

    let found = profiles.find("coder").unwrap();
    show!(texts, found, *found.profile());
    fs::rename(tree.path("root/profiles/coder"), tree.path("root/profiles/moved")).unwrap();
    tree.write("root/profiles/coder/.env", CANARY);
    let changed = found.still_there(&profiles).unwrap_err();
    show!(texts, changed, *changed.change());
    fs::remove_dir_all(tree.path("root/profiles/coder")).unwrap();
    let changed = found.still_there(&profiles).unwrap_err();
    show!(texts, changed, *changed.change());

    show!(texts, ProfileId::parse("My coder!").unwrap_err(), ProfileName::requested("..").unwrap_err());
    homes(texts, &tree);
}

fn show_trees(texts: &mut Texts, tree: &ProfileTree) {
    show!(texts, *tree, *tree.root());
    match tree.list() {
        Ok(listing) => {
            show!(texts, listing);
            for skipped in listing.skipped() {
                show!(texts, *skipped, *skipped.reason(), skipped.diagnostic());
            }
        }
        Err(error) => show!(texts, error),
    }
    for roster in [tree.serving(), tree.installed()] {
        match roster {
            Ok(roster) => {
                show!(texts, roster);
                for resident in roster.residents() {
                    show!(texts, *resident);
                }
                for left_out in roster.left_out() {
                    show!(texts, *left_out, *left_out.reason());
                }
                for diagnostic in roster.diagnostics() {
                    show!(texts, *diagnostic);
                }
            }
            Err(error) => show!(texts, error),
        }
    }
    match tree.tenants(tree.root().launch_home()) {
        Ok(tenants) => {
            show!(texts, tenants);
            for tenant in &tenants {
                show!(texts, *tenant);
            }
        }
        Err(error) => show!(texts, error),
    }
    for name in ["coder", "parked", "standalone", "nobody", "Bad Name", "second", "gone", "folder"] {
        match tree.find(name) {
            Ok(found) => {
                let _ = tree.ensure_served(&found).map_err(|error| show!(texts, error));
            }
            Err(error) => show!(texts, error),
        }
    }
    match tree.active_profile() {
        Ok(name) => show!(texts, Some(name)),
        Err(error) => show!(texts, error),
    }
}

/// Homes that cannot be told from an environment.
fn homes(texts: &mut Texts, tree: &Tree) {
    let layout = HomeLayout::hermes();
    let environments: [&[(&str, &str)]; 6] = [
        &[("MODEL_KEY", CANARY)],
        &[("HERMES_HOME", "~/.hermes"), ("MODEL_KEY", CANARY)],
        &[("HOME", CANARY)],
        &[("HERMES_HOME", "~Zq7xWv9KpR3tYb5Nm2Lc8Hd"), ("HOME", "/home")],
        &[("HERMES_HOME", "/\nZq7xWv9KpR3tYb5Nm2Lc8Hd"), ("HOME", "/home")],
        &[("HERMES_HOME", CANARY), ("HOME", "/home")],
    ];
    for environment in environments {
        let environment: MapEnv = environment.iter().copied().collect();
        let error = layout.launch_home(&environment, Platform::Linux).unwrap_err();
        show!(texts, error);
        show!(texts, Root::from_env(&layout, &environment, Platform::Linux, &RealFileSystem).unwrap_err());
    }
    let environment = MapEnv::from([("HOME", "/home")]);
    let below_a_file = tree.path("root/.env/below");
    show!(
        texts,
        Root::of(&below_a_file, &layout, &environment, Platform::Linux, &RealFileSystem).unwrap_err()
    );
    for text in ["", "not a name", "nobody", "parked"] {
        let path = tree.path("root/active_profile");
        let _ = fs::remove_file(&path);
        fs::write(&path, text).unwrap();
        let _ = tree.profiles().active_profile().map_err(|error| show!(texts, error));
    }
    let _ = fs::remove_file(tree.path("root/active_profile"));
    for bytes in [[b"\xff".as_slice(), CANARY.as_bytes()].concat(), CANARY.repeat(100).into_bytes()] {
        fs::write(tree.path("root/active_profile"), bytes).unwrap();
        show!(texts, tree.profiles().active_profile().unwrap_err());
    }
}
