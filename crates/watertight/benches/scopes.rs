//! Building a profile's scope from files that did not change, beside the system calls it cannot do without.

use std::fs::{self, File};
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use watertight::Host;
use watertight::env_snapshot::MapEnv;
use watertight::profile_home::ManagedDirectory;

fn scopes(c: &mut Criterion) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let managed = folder.path().join("managed");
    let home = folder.path().join("root/profiles/coder");
    let files = [home.join(".env"), home.join("config.yaml"), managed.join(".env")];
    write(&files);
    // Younger files are never remembered (FILE-05).
    std::thread::sleep(Duration::from_millis(2100));

    let env = MapEnv::from([("PATH", "/usr/bin")]);
    env.set("HERMES_HOME", folder.path().join("root"));
    let built = Host::builder().env(env).managed(ManagedDirectory::at(&managed)).build();
    let Ok(host) = built else { return };

    let mut group = c.benchmark_group("build-both-scopes");
    group.bench_function("ours", |bencher| bencher.iter(|| black_box(host.profile_scope("coder").is_ok())));
    group.bench_function("baseline", |bencher| {
        bencher.iter(|| {
            for file in &files {
                black_box(File::open(file).and_then(|file| file.metadata()).is_ok());
            }
            for _ in 0..2 {
                black_box(fs::metadata(&home).is_ok());
            }
        });
    });
    group.finish();
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
