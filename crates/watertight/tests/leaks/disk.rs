//! The disk's types, around files that were read and written.

use std::sync::Arc;

use watertight_disk::{FileSystem, Links, Operation, RealFileSystem, Recording, Scripted, resolve};

use crate::texts::{CANARY, Silent, Texts, show};
use crate::tree::Tree;

/// What can hold no value.
pub(crate) const PLAIN: &[(&str, &str)] = &[
    ("FileKind", "units"),
    ("Links", "units"),
    ("Metadata", "numbers"),
    ("Operation", "units"),
    ("RealFileSystem", "unit"),
];

pub(crate) fn show_all(texts: &mut Texts) {
    let tree = Tree::new();
    let recording = Recording::new();
    let disk = recording.of(Arc::new(RealFileSystem));
    let mut file = disk.open(&tree.path("root/.env"), Links::Refuse).unwrap();
    let mut buffer = [0; 4096];
    assert!(file.read(&mut buffer).unwrap() > CANARY.len(), "the file was read");
    texts.unlisted(&file);
    let mut new = disk.create_new(&tree.path("new"), 0o600).unwrap();
    new.write_all(CANARY.as_bytes()).unwrap();
    texts.unlisted(&new);
    let mut temporary = disk.create_temporary(&tree.path("root"), ".new").unwrap();
    temporary.file.write_all(CANARY.as_bytes()).unwrap();
    show!(texts, temporary);
    texts.unlisted(&disk.lock(&tree.path("lock")).unwrap());
    let folder = disk.open_dir(&tree.path("root")).unwrap();
    for entry in folder.entries().unwrap() {
        show!(texts, entry.unwrap());
    }
    texts.unlisted(&folder);
    show!(texts, recording);
    show!(texts, disk);
    for call in recording.take() {
        show!(texts, call);
    }

    show!(texts, resolve(&RealFileSystem, "relative".as_ref()).unwrap_err());
    show!(texts, resolve(&RealFileSystem, &tree.path("root/nowhere/../up")).unwrap_err());
    show!(texts, resolve(&RealFileSystem, &tree.path("root/.env/below")).unwrap_err());
    let failing = Scripted::failing(Arc::new(RealFileSystem), Operation::Canonicalize, "root", 5);
    show!(texts, resolve(&failing, &tree.path("root")).unwrap_err());
}
