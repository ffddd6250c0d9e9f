//! What it costs to know who the runner is: `load_or_create` of an id that is there, against open and read.
//!
//! RUN-07 wants the type judged before the file is opened: that one `stat` is most of the difference.
#![expect(clippy::expect_used, reason = "a bench without its fixture has nothing to measure")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use watertight_runner_identity::IdentityFile;

fn load_or_create_existing(c: &mut Criterion) {
    let home = tempfile::tempdir().expect("a temporary folder");
    let file = IdentityFile::in_user_home(Some(home.path()));
    file.load_or_create().expect("a fresh home takes an id");
    let path = file.path().expect("there is a home");
    // The folder of an id that was published a moment ago is synced by who finds it (RUN-05).
    std::thread::sleep(std::time::Duration::from_millis(3100));

    let mut group = c.benchmark_group("load-or-create-existing");
    group.bench_function("ours", |b| b.iter(|| black_box(file.load_or_create()).is_ok()));
    group.bench_function("baseline", |b| b.iter(|| black_box(std::fs::read(path)).is_ok()));
    group.finish();
}

criterion_group!(benches, load_or_create_existing);
criterion_main!(benches);
