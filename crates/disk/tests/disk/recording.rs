use std::sync::Arc;

use watertight_disk::{FileSystem, Links, Operation, RealFileSystem, Recording};

use crate::Folder;

#[test]
fn calls_are_remembered_in_order_failed_ones_included_and_taken_once() {
    let folder = Folder::new();
    let file = folder.file("file", "x");
    let recording = Recording::new();
    let disk = recording.of(Arc::new(RealFileSystem));
    let _ = disk.metadata(&folder.path("missing"));
    let mut open = disk.open(&file, Links::Follow).unwrap();
    open.metadata().unwrap();
    open.read(&mut [0]).unwrap();
    disk.rename(&file, &folder.path("new")).unwrap();
    let calls: Vec<_> = recording.take().into_iter().map(|call| (call.operation, call.path)).collect();
    assert_eq!(
        calls,
        [
            (Operation::Metadata, folder.path("missing")),
            (Operation::Open, file.clone()),
            (Operation::OpenMetadata, file.clone()),
            (Operation::Read, file),
            (Operation::Rename, folder.path("new")),
        ],
    );
    assert!(recording.take().is_empty());
}
