//! What entering and leaving a scope costs, and a read inside one, beside a bare thread-local.

use std::cell::RefCell;
use std::hint::black_box;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Waker};

use criterion::{Criterion, criterion_group, criterion_main};
use watertight_context::{Ambient, Context, InScope, detached, with_ambient};

thread_local! {
    static BARE: RefCell<Option<Arc<u64>>> = const { RefCell::new(None) };
}

/// Sets the thread-local to a clone of the `Arc`, and resets it to what it was.
fn set_and_reset(value: &Arc<u64>) {
    let outer = BARE.replace(Some(Arc::clone(value)));
    black_box(());
    BARE.set(outer);
}

fn entering_and_leaving(c: &mut Criterion) {
    let (context, value) = (Context::builder().with(42_u64).build(), Arc::new(42_u64));
    let mut group = c.benchmark_group("enter-and-leave");
    group.bench_function("ours", |b| b.iter(|| black_box(&context).run(|| black_box(()))));
    group.bench_function("baseline", |b| b.iter(|| set_and_reset(black_box(&value))));
    group.bench_function("ours-detached", |b| b.iter(|| detached(|| black_box(()))));
    group.finish();

    let mut group = c.benchmark_group("enter-and-leave-poll");
    let mut scoped = Box::pin(std::future::pending::<()>().in_scope(context.clone()));
    let mut cx = task::Context::from_waker(Waker::noop());
    group.bench_function("ours", |b| b.iter(|| black_box(&mut scoped).as_mut().poll(&mut cx)));
    group.bench_function("baseline", |b| b.iter(|| set_and_reset(black_box(&value))));
    let mut bare: Pin<Box<std::future::Pending<()>>> = Box::pin(std::future::pending());
    group.bench_function("baseline-bare-poll", |b| b.iter(|| black_box(&mut bare).as_mut().poll(&mut cx)));
    group.finish();
}

fn reading(c: &mut Criterion) {
    fn ours() -> Option<u64> {
        with_ambient(|ambient| match ambient {
            Ambient::Bound(context) => context.get::<u64>().copied(),
            Ambient::Masked(_) | Ambient::Unbound => None,
        })
    }
    let context = Context::builder().with(42_u64).build();
    let mut group = c.benchmark_group("ambient-context");
    group.bench_function("ours", |b| context.run(|| b.iter(|| black_box(ours()))));
    group.bench_function("ours-entered-inside-a-read", |b| {
        with_ambient(|_| context.run(|| b.iter(|| black_box(ours()))));
    });
    group.bench_function("ours-handle", |b| b.iter(|| black_box(&context).get::<u64>().copied()));
    BARE.set(Some(Arc::new(42)));
    group.bench_function("baseline", |b| {
        b.iter(|| black_box(BARE.with_borrow(|value| value.as_deref().copied())));
    });
    group.finish();
}

criterion_group!(benches, entering_and_leaving, reading);
criterion_main!(benches);
