//! What ten thousand scopes of thirty secrets hold, beside the bytes of their names and values.
//!
//! The figures are bytes of one scope, though the tool calls them nanoseconds: only the ratio counts. It is a
//! program of its own, since its allocator counts and would slow the other benchmarks' baselines.

mod profiles;

use std::time::Duration;

use allocation_counter::measure;
use criterion::{Criterion, criterion_group, criterion_main};
use watertight_vocabulary::Classes;

use profiles::{secrets, text};

const SCOPES: usize = 10_000;
const NAMES: usize = 30;

fn memory(c: &mut Criterion) {
    let classes = Classes::hermes();
    let mut held = Vec::with_capacity(SCOPES);
    let counted = measure(|| held.extend((0..SCOPES).map(|profile| secrets(&classes, profile, NAMES))));
    drop(held);
    let of_one_scope = u64::try_from(counted.bytes_current).unwrap_or(u64::MAX) / SCOPES as u64;

    let mut group = c.benchmark_group("scope-memory");
    group.sample_size(10);
    // What is told has to take time, or the tool takes ever more of it: so each iteration makes a scope.
    group.bench_function("ours", |b| {
        b.iter_custom(|iterations| {
            let made =
                (0..iterations).map(|_| secrets(&classes, 0, NAMES)).filter(|made| made.policy().is_ok());
            bytes(made.count() as u64 * of_one_scope)
        });
    });
    // A line is a name, `=`, a value and its end.
    group.bench_function("baseline", |b| {
        b.iter_custom(|iterations| {
            bytes((0..iterations).map(|_| text(0, NAMES).len() as u64 - 2 * NAMES as u64).sum())
        });
    });
    group.finish();
}

fn bytes(count: u64) -> Duration {
    Duration::from_nanos(count)
}

criterion_group!(benches, memory);
criterion_main!(benches);
