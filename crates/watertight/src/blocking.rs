//! The bridge from blocking work to a future, with the runtime's own way to block (HOST-22).

use futures_channel::oneshot;

/// Work that blocks, to be run where the runtime allows it.
pub type BlockingJob = Box<dyn FnOnce() + Send + 'static>;

/// Hands `work` to `spawn` as a job and waits for its answer; `None` when the job was dropped without
/// having run to its end.
pub(crate) async fn blocking<T: Send + 'static>(
    spawn: impl FnOnce(BlockingJob),
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, answer) = oneshot::channel();
    spawn(Box::new(move || {
        // Whoever waited may have been cancelled: then nobody wants the answer.
        drop(sender.send(work()));
    }));
    answer.await.ok()
}
