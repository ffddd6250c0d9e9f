//! Building a profile's scopes from files that did not change, beside the system calls it cannot do without.

#[path = "../src/once.rs"]
mod once;

use std::fs::{self, File};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main, measurement::WallTime};
use watertight::Host;
use watertight::disk::{RealFileSystem, home_at};
use watertight::env_snapshot::MapEnv;
use watertight::profile_home::{CachedFiles, DiskFiles, ManagedDirectory, ProfileHome};
use watertight::secret_scope::SecretScope;
use watertight::terminal_scope::{TerminalPolicy, TerminalSchema};
use watertight::vocabulary::Classes;

use once::ReadOnce;

/// A tree with one profile of 30 secrets, and an administrator's folder.
struct Tree {
    root: PathBuf,
    home: PathBuf,
    managed: PathBuf,
}

impl Tree {
    fn files(&self) -> [PathBuf; 3] {
        [self.home.join(".env"), self.home.join("config.yaml"), self.managed.join(".env")]
    }

    /// The system calls of the rows' baseline: three files opened and asked, the home looked at twice.
    fn baseline(&self, group: &mut BenchmarkGroup<'_, WallTime>) {
        let files = self.files();
        group.bench_function("baseline", |bencher| {
            bencher.iter(|| {
                for file in &files {
                    black_box(File::open(file).and_then(|file| file.metadata()).is_ok());
                }
                for _ in 0..2 {
                    black_box(fs::metadata(&self.home).is_ok());
                }
            });
        });
    }
}

fn scopes(c: &mut Criterion) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let root = folder.path().join("root");
    let tree = Tree { home: root.join("profiles/coder"), managed: folder.path().join("managed"), root };
    write(&tree.files());
    // Younger files are never remembered (FILE-05).
    std::thread::sleep(Duration::from_millis(2100));

    let mut group = c.benchmark_group("build-both-scopes");
    build_both(&tree, &mut group);
    tree.baseline(&mut group);
    group.finish();

    // A whole request: the look-up by name before the build and the look after it included.
    let mut group = c.benchmark_group("request-a-profile");
    request(&tree, &mut group);
    tree.baseline(&mut group);
    group.finish();
}

fn build_both(tree: &Tree, group: &mut BenchmarkGroup<'_, WallTime>) {
    let Ok(id) = home_at(&RealFileSystem, &tree.home) else { return };
    let home = ProfileHome::confined(id);
    let files = CachedFiles::new(DiskFiles::on(Arc::new(RealFileSystem)));
    let managed = ManagedDirectory::at(&tree.managed);
    let (schema, classes) = (TerminalSchema::hermes(), Classes::hermes());
    group.bench_function("ours", |bencher| {
        bencher.iter(|| {
            black_box(fs::metadata(&tree.home).is_ok());
            // As a host does it: each file once for both (HOST-23), and its own classes and schema.
            let files = ReadOnce::new(&files);
            let layer = managed.read(&RealFileSystem);
            let secrets =
                SecretScope::builder(&home).files(&files).managed(&layer).classes(classes.clone()).build();
            let terminal = TerminalPolicy::builder(&home)
                .files(&files)
                .schema(&schema)
                .managed(&layer)
                .classes(&classes)
                .build();
            black_box(fs::metadata(&tree.home).is_ok());
            black_box((secrets, terminal))
        });
    });
}

fn request(tree: &Tree, group: &mut BenchmarkGroup<'_, WallTime>) {
    let env = MapEnv::from([("PATH", "/usr/bin")]);
    env.set("HERMES_HOME", &tree.root);
    let built = Host::builder().env(env).managed(ManagedDirectory::at(&tree.managed)).build();
    let Ok(host) = built else { return };
    group.bench_function("ours", |bencher| bencher.iter(|| black_box(host.profile_scope("coder").is_ok())));
}

fn write(files: &[impl AsRef<Path>; 3]) {
    let lines: Vec<String> =
        (0..30).map(|n| format!("SECRET_NAME_{n}=canary-value-{n}-0123456789abcdef")).collect();
    let secrets = lines.join("\n");
    let texts = [secrets.as_str(), "terminal: {backend: docker, timeout: 60}\n", "MANAGED_KEY=canary\n"];
    for (file, text) in files.iter().zip(texts) {
        let path = file.as_ref();
        if let Some(parent) = path.parent() {
            drop(fs::create_dir_all(parent));
        }
        drop(fs::write(path, text));
    }
}

criterion_group!(benches, scopes);
criterion_main!(benches);
