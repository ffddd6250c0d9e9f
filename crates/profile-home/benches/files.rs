//! What reading a home's files costs, beside what it must cost at least.
#![expect(clippy::unwrap_used, reason = "a bench may fail")]

use std::fmt::Write as _;
use std::fs::File;
use std::hint::black_box;
use std::io::Read;
use std::time::{Duration, SystemTime};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tempfile::TempDir;
use watertight_disk::{RealFileSystem, home_at};
use watertight_profile_home::{
    CachedFiles, DiskFiles, Managed, ManagedDirectory, ProfileFiles, ProfileHome, parse_dotenv,
};

/// A file as people have them: `lines` assignments, some quoted, some with a comment.
fn usual(lines: usize) -> String {
    let mut text = String::new();
    for line in 0..lines {
        match line % 5 {
            0 => writeln!(text, "PROVIDER_{line}_API_KEY=sk-canary-0123456789abcdef0123456789abcdef"),
            1 => writeln!(text, "SERVICE_{line}_URL=https://host.example:8443/path/{line}"),
            2 => writeln!(text, "NAME_{line}='a name with spaces'"),
            3 => writeln!(text, "TOKEN_{line}=\"canary-{line}\" # rotated"),
            _ => writeln!(text, "# a comment\nFLAG_{line}=true"),
        }
        .unwrap();
    }
    text
}

struct Home {
    _root: TempDir,
    home: ProfileHome,
}

/// A home with both files, older than what the cache asks for.
fn home() -> Home {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join(".env"), usual(30)).unwrap();
    std::fs::write(root.path().join("config.yaml"), "terminal:\n  backend: docker\n  timeout: 180\n")
        .unwrap();
    let home = ProfileHome::confined(home_at(&RealFileSystem, root.path()).unwrap());
    Home { _root: root, home }
}

/// Waits until what was just written is old enough to be remembered: the change time cannot be set.
fn settle(since: SystemTime) {
    while since.elapsed().is_ok_and(|passed| passed < Duration::from_millis(2100)) {
        std::thread::park_timeout(Duration::from_millis(100));
    }
}

fn read_one(c: &mut Criterion) {
    let Home { _root, home } = home();
    let path = home.path().join(".env");
    let files = DiskFiles::new();
    let mut group = c.benchmark_group("read-dotenv-cold");
    group.bench_function("ours", |b| {
        b.iter(|| files.dotenv(black_box(&home)).unwrap().unwrap());
    });
    group.bench_function("baseline", |b| {
        b.iter(|| {
            let mut bytes = Vec::with_capacity(4096);
            File::open(black_box(&path)).unwrap().read_to_end(&mut bytes).unwrap();
            bytes
        });
    });
    group.finish();
}

fn parse(c: &mut Criterion) {
    let one_line = format!("KEY={}\n", "x".repeat((1 << 20) - 5));
    // dotenvy expands `$`, and refuses white space; neither is in these texts without quotes.
    for (name, text) in [
        ("parse-dotenv", usual(30)),
        ("parse-dotenv-1-mib", usual(21_000)),
        ("parse-dotenv-1-mib-in-one-line", one_line),
    ] {
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Bytes(text.len() as u64));
        if text.len() > 1 << 16 {
            group.sample_size(10);
        }
        group.bench_function("ours", |b| b.iter(|| parse_dotenv(black_box(text.as_bytes())).unwrap()));
        group.bench_function("baseline", |b| {
            b.iter(|| {
                let pairs = dotenvy::from_read_iter(black_box(text.as_bytes()));
                pairs.map(Result::unwrap).collect::<Vec<_>>()
            });
        });
        group.finish();
    }
    let mut group = c.benchmark_group("parse-dotenv-is-linear");
    group.sample_size(10);
    for lines in [200, 2000, 20_000] {
        let text = usual(lines);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::new("ours", lines), &text, |b, text| {
            b.iter(|| parse_dotenv(black_box(text.as_bytes())).unwrap());
        });
    }
    group.finish();
}

/// The file part of building both scopes of a profile whose files have not changed.
fn unchanged(c: &mut Criterion) {
    let Home { _root, home } = home();
    let managed = tempfile::tempdir().unwrap();
    std::fs::write(managed.path().join(".env"), "MANAGED=canary\n").unwrap();
    let directory = ManagedDirectory::at(managed.path().canonicalize().unwrap());
    let files = CachedFiles::new(DiskFiles::new());
    settle(SystemTime::now());
    files.dotenv(&home).unwrap().unwrap();
    files.config(&home).unwrap().unwrap();
    assert_eq!(files.remembered(), 2, "the bench measures the cache");
    let paths = [home.path().join(".env"), home.path().join("config.yaml"), managed.path().join(".env")];

    let mut group = c.benchmark_group("files-unchanged");
    group.bench_function("ours", |b| {
        b.iter(|| {
            let dotenv = files.dotenv(black_box(&home)).unwrap();
            let config = files.config(black_box(&home)).unwrap();
            let Managed::Present(managed) = directory.read(&RealFileSystem) else { return None };
            Some((dotenv, config, managed))
        });
    });
    group.bench_function("baseline", |b| {
        b.iter(|| {
            let files = paths.each_ref().map(|path| {
                let file = File::open(black_box(path)).unwrap();
                file.metadata().unwrap().len()
            });
            let homes = [(), ()].map(|()| std::fs::metadata(home.path()).unwrap().len());
            (files, homes)
        });
    });
    group.finish();
}

criterion_group!(benches, read_one, parse, unchanged);
criterion_main!(benches);
