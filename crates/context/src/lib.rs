//! A task's typed context: entered lexically, never inherited, closed for good.
//!
//! A scope belongs to the task that runs for a profile, not to the process and not to the thread. There
//! are two ways to reach it: the explicit handle, a [`Context`], and the ambient one, for code deep below
//! that was handed nothing ([`with_ambient`], [`Context::current`]).
//!
//! ```
//! use watertight_context::{Context, InScope};
//!
//! struct Profile(&'static str);
//!
//! // Deep below, handed nothing.
//! fn whose() -> Option<&'static str> {
//!     Some(Context::current()?.get::<Profile>()?.0)
//! }
//!
//! let coder = Context::builder().with(Profile("coder")).build();
//!
//! assert_eq!(coder.run(whose), Some("coder"));
//! assert_eq!(futures_lite::future::block_on(async { whose() }.in_scope(&coder)), Some("coder"));
//! assert_eq!(whose(), None);
//! ```
//!
//! # Invariants
//!
//! - Nobody holds a guard: a scope is entered for a closure, or for one poll of a future (CTX-01).
//! - Whatever ends a body, the outer scope is back: a return, a panic, a future that is given up (CTX-02).
//! - Nothing that starts elsewhere inherits a scope (CTX-03).
//! - Entering cannot fail half way: what is bound is complete before it is bound (CTX-05).
//! - A context never changes, but for being closed, which no refresh and no clone undoes (CTX-09).
//! - No code of a caller runs between borrowing the thread-local and giving it back, except readers, under
//!   which scopes can be entered all the same. Hence a destructor, a thread-local's too, may read and
//!   enter at any time (CTX-08).
//! - The destructors of what a context holds run detached (CTX-02).
//!
//! # Handing work over
//!
//! **The leak first.** A frame covers whatever its thread runs until it is left. A worker of a pool that
//! takes up other jobs while it waits (rayon's `join`, `scope` and `yield_now`; an executor that is run
//! inside a scope) runs them inside the scope of the job that waits, and no library can see that:
//!
//! ```
//! # use std::sync::mpsc::channel;
//! # use watertight_context::Context;
//! # struct Profile(&'static str);
//! # fn whose() -> Option<&'static str> { Some(Context::current()?.get::<Profile>()?.0) }
//! # let coder = Context::builder().with(Profile("coder")).build();
//! # let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
//! # let (found, answer) = channel();
//! pool.install(|| {
//!     coder.run(|| {
//!         rayon::spawn(move || found.send(whose()).unwrap()); // a job of nobody, or of anybody
//!         rayon::yield_now();                                 // and the worker takes it up right here
//!     });
//! });
//! assert_eq!(answer.recv().unwrap(), Some("coder")); // WRONG, and not to be seen from the job
//! ```
//!
//! So every job of a pool that can also run scoped work goes through one of two doors. It carries its
//! scope, or it is detached:
//!
//! ```
//! # use std::sync::mpsc::channel;
//! # use watertight_context::{Context, detached};
//! # struct Profile(&'static str);
//! # fn whose() -> Option<&'static str> { Some(Context::current()?.get::<Profile>()?.0) }
//! # let coder = Context::builder().with(Profile("coder")).build();
//! # let writer = Context::builder().with(Profile("writer")).build();
//! # let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
//! # let (found, answers) = channel();
//! # let also_found = found.clone();
//! pool.install(|| {
//!     coder.run(|| {
//!         rayon::spawn(move || detached(|| found.send(whose()).unwrap()));
//!         rayon::spawn(move || writer.run(|| also_found.send(whose()).unwrap()));
//!         while rayon::yield_now() == Some(rayon::Yield::Executed) {}
//!     });
//! });
//! # let mut answers: Vec<_> = answers.iter().collect();
//! # answers.sort();
//! assert_eq!(answers, [None, Some("writer")]);
//! ```
//!
//! The same for everything else that runs somewhere else, which inherits nothing:
//!
//! | handed to | carried | bare |
//! | --- | --- | --- |
//! | a thread | `thread::spawn(move \|\| handle.run(work))` | no scope |
//! | a Tokio task | `tokio::spawn(work.in_scope(handle))` | no scope |
//! | `spawn_blocking` | `spawn_blocking(move \|\| handle.run(work))` | no scope |
//! | a pool | `pool.spawn(move \|\| handle.run(work))` | **whatever its worker waits in**: `detached(work)` |
//! | a local executor that runs inside a scope | `local.spawn(work.in_scope(handle))` | **that scope**: `work.detached()` |
//!
//! Work that is entered, carried or detached where it starts to run never sees another's scope, however
//! it is interleaved (CTX-06). Two conditions come with that:
//!
//! - A future is wrapped before it is shared: `work.in_scope(handle).shared()`. Polled through a
//!   `shared()` inside, it would run in the scope of whichever task polls it.
//! - Stackful coroutines (`may`, `corosensei`, `generator`) that switch inside a scope are **not
//!   supported**: what they switch to runs on the same thread, inside the frame that was never left.
//!
//! # The feature `tokio`
//!
//! A frame then remembers the Tokio task it was entered for, or that there was none, and a read from any
//! other task finds [`Ambient::Masked`] instead of the context (CTX-07). It shuts the last row of the
//! table above for what is a Tokio task. It does not tell apart futures that are joined in one task, nor
//! the tasks of other executors. It only takes answers away; nothing may rest on it alone.
//!
//! # While a thread is torn down
//!
//! The thread-local has no destructor, so it outlives all others of its thread: a destructor that reads
//! finds what is bound, one that enters is inside, and neither panics (CTX-08). Where the platform has no
//! native thread-locals, the standard library sets a fresh one up, which binds nothing as yet.

mod ambient;
mod context;
mod owner;
mod scoped;
mod stack;
mod values;

pub use ambient::{Ambient, detached, with_ambient};
pub use context::{Context, ContextBuilder};
pub use scoped::{ContextSource, Detached, InScope, Scoped};
