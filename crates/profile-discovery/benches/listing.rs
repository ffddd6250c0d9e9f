//! What a listing and its tenants cost, beside the system calls that nobody can do without.
//!
//! With `--test` the trees are small: that run only proves that the others would start.

#![expect(clippy::expect_used, reason = "a benchmark that cannot start fails")]

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{BenchmarkGroup, Criterion, SamplingMode, criterion_group, criterion_main};
use tempfile::TempDir;
use watertight_disk::{RealFileSystem, home_at};
use watertight_profile_discovery::{MARKERS, ProfileTree, Root};
use watertight_profile_home::MemoryFiles;
use watertight_vocabulary::{HomeId, Platform};

/// A root with so many folders in `profiles/`, in memory where there is such a place.
struct Tree {
    _folder: TempDir,
    profiles: PathBuf,
    open: ProfileTree,
    launch: HomeId,
}

impl Tree {
    fn new(profiles: usize, marker: Option<&str>) -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder");
        // As deep as such a tree lies on a user's disk.
        let root = folder.path().canonicalize().expect("it exists").join("home/user/.hermes");
        let below = root.join("profiles");
        fs::create_dir_all(&below).expect("a root");
        for index in 0..profiles {
            let home = below.join(format!("profile-{index:06}"));
            fs::create_dir(&home).expect("a home");
            if let Some(marker) = marker {
                fs::write(home.join(marker), "x").expect("a marker");
            }
        }
        let tree = Root::at(&root, Platform::current(), &RealFileSystem).expect("a root");
        let open = ProfileTree::new(tree, Arc::new(RealFileSystem), Arc::new(MemoryFiles::new()));
        let launch = home_at(&RealFileSystem, &root).expect("a home");
        Self { _folder: folder, profiles: below, open, launch }
    }
}

fn size(wanted: usize) -> usize {
    if std::env::args().any(|argument| argument == "--test") { wanted.min(100) } else { wanted }
}

fn group<'c>(
    criterion: &'c mut Criterion,
    name: &str,
) -> BenchmarkGroup<'c, criterion::measurement::WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat).sample_size(20);
    group
}

/// One directory read, and what is done with each entry's path.
fn read_directory(folder: &Path, mut each: impl FnMut(PathBuf)) {
    for entry in fs::read_dir(folder).expect("a folder") {
        each(entry.expect("an entry").path());
    }
}

fn list_with_identity(criterion: &mut Criterion) {
    let tree = Tree::new(size(10_000), Some("config.yaml"));
    let mut group = group(criterion, "list-10000-with-identity");
    group.bench_function("ours", |bencher| bencher.iter(|| tree.open.list().expect("a listing")));
    group.bench_function("baseline", |bencher| {
        bencher.iter(|| read_directory(&tree.profiles, |path| drop(black_box(path.symlink_metadata()))));
    });
    group.finish();
}

fn list_without_identity(criterion: &mut Criterion) {
    let tree = Tree::new(size(10_000), None);
    let mut group = group(criterion, "list-10000-without-identity");
    group.bench_function("ours", |bencher| bencher.iter(|| tree.open.list().expect("a listing")));
    group.bench_function("baseline", |bencher| {
        bencher.iter(|| {
            read_directory(&tree.profiles, |path| {
                for marker in MARKERS {
                    drop(black_box(path.join(marker).symlink_metadata()));
                }
            });
        });
    });
    group.finish();
}

fn tenants(criterion: &mut Criterion) {
    let tree = Tree::new(size(10_000), Some("config.yaml"));
    let mut group = group(criterion, "tenants-10000");
    group.bench_function("ours", |bencher| {
        bencher.iter(|| tree.open.tenants(&tree.launch).expect("tenants"));
    });
    group.bench_function("baseline", |bencher| bencher.iter(|| tree.open.list().expect("a listing")));
    group.finish();
}

/// What a profile costs in a large tree, as a multiple of what it costs in a small one: the figures have to be
/// flat. Both are measured in turn, so that noise hits both, and of several turns the least counts.
fn multiple(small: &Tree, rounds: usize, large: &Tree) -> f64 {
    const TURNS: usize = 3;
    let timed = |tree: &Tree, rounds: usize| {
        let started = Instant::now();
        for _ in 0..rounds {
            black_box(tree.open.tenants(&tree.launch).expect("tenants"));
        }
        started.elapsed()
    };
    let turns = (0..TURNS).map(|_| (timed(small, rounds), timed(large, 1)));
    let least = turns.reduce(|least, turn| (least.0.min(turn.0), least.1.min(turn.1)));
    let (small, large) = least.expect("there is a turn");
    large.as_secs_f64() / small.as_secs_f64()
}

/// A multiple, as [`multiple`] says, told as microseconds: each iteration measures anew, so that figures take the
/// time that the tool expects of them.
fn cost_per_profile(criterion: &mut Criterion) {
    const FEW: usize = 100;
    let small = Tree::new(size(FEW), Some("config.yaml"));
    let mut group = group(criterion, "cost-per-profile");
    group.sample_size(10);
    let mut told = |function: &str, cost: &dyn Fn() -> f64| {
        group.bench_function(function, |bencher| {
            bencher.iter_custom(|times| (0..times).map(|_| Duration::from_micros(1).mul_f64(cost())).sum());
        });
    };
    told("baseline-100", &|| multiple(&small, 1, &small));
    for (function, profiles) in [("ours-1000", 1_000), ("ours-10000", 10_000), ("ours-100000", 100_000)] {
        let large = Tree::new(size(profiles), Some("config.yaml"));
        told(function, &|| multiple(&small, size(profiles) / size(FEW), &large));
    }
    group.finish();
}

criterion_group!(benches, list_with_identity, list_without_identity, tenants, cost_per_profile);
criterion_main!(benches);
