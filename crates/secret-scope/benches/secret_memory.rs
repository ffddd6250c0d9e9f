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
    // A line is a name, `=`, a value and its end.
    let plain: usize = (0..SCOPES).map(|profile| text(profile, NAMES).len() - 2 * NAMES).sum();
    drop(held);

    let mut group = c.benchmark_group("scope-memory");
    let of_one_scope = |bytes: u64| Duration::from_nanos(bytes / SCOPES as u64);
    let mut report = |name, bytes| {
        group.bench_function(name, |b| {
            b.iter_custom(|iterations| of_one_scope(bytes) * u32::try_from(iterations).unwrap_or(u32::MAX));
        });
    };
    report("ours", u64::try_from(counted.bytes_current).unwrap_or(u64::MAX));
    report("baseline", plain as u64);
    group.finish();
}

criterion_group!(benches, memory);
criterion_main!(benches);
