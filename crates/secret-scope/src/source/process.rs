//! Runs a program to its end: no shell, no input, a deadline, and an output that is capped.

use std::io::{self, Read};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

/// What may not be exceeded.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) time: Duration,
    pub(super) output: usize,
}

/// Why a program has no output.
pub(super) enum Fault {
    Start(io::ErrorKind),
    Lost(io::ErrorKind),
    Deadline,
    TooLong,
    Failed(Option<i32>),
}

/// Bytes that are wiped when dropped.
pub(super) type Output = Zeroizing<Vec<u8>>;

/// Runs a command whose environment is set already. Its standard error goes nowhere: it is never shown.
///
/// The output counts as whole when every process that holds its end has closed it. Whatever goes wrong,
/// the program is killed and reaped before this returns, and on Unix the processes that it started with it.
pub(super) fn run(command: &mut Command, limits: Limits) -> Result<Output, Fault> {
    let deadline = Instant::now() + limits.time;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    lead_a_group(command);
    let mut running = Running(command.spawn().map_err(|error| Fault::Start(error.kind()))?);

    let output = match running.0.stdout.take() {
        Some(stdout) => read_within(stdout, limits.output, deadline)?,
        None => return Err(Fault::Lost(io::ErrorKind::BrokenPipe)),
    };
    if output.len() > limits.output {
        return Err(Fault::TooLong);
    }
    let status = running.wait_until(deadline)?;
    if status.success() { Ok(output) } else { Err(Fault::Failed(status.code())) }
}

/// Reads to the end, or to one byte more than the limit, on a thread of its own, since a pipe has no
/// deadline. After a fault the program is killed, so that thread ends too; what it holds is wiped. A process
/// that has left the program's group and kept its output holds that thread, and nobody else, until it ends.
fn read_within(stdout: ChildStdout, limit: usize, deadline: Instant) -> Result<Output, Fault> {
    let (sender, receiver) = sync_channel(1);
    let reader = thread::Builder::new().name("secret-source".to_owned());
    let read = move || {
        // Nobody waits any more after the deadline, and that is no fault of this thread.
        let _ = sender.send(read_capped(stdout, limit));
    };
    reader.spawn(read).map_err(|error| Fault::Lost(error.kind()))?;
    receive(&receiver, deadline)
}

fn receive(receiver: &Receiver<io::Result<Output>>, deadline: Instant) -> Result<Output, Fault> {
    match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(Ok(output)) => Ok(output),
        Ok(Err(error)) => Err(Fault::Lost(error.kind())),
        Err(RecvTimeoutError::Timeout) => Err(Fault::Deadline),
        Err(RecvTimeoutError::Disconnected) => Err(Fault::Lost(io::ErrorKind::BrokenPipe)),
    }
}

/// The buffer never grows, so no copy of it is left behind.
fn read_capped(mut stdout: ChildStdout, limit: usize) -> io::Result<Output> {
    let mut buffer = Zeroizing::new(vec![0; limit.saturating_add(1)]);
    let mut filled = 0;
    while let Some(free) = buffer.get_mut(filled..).filter(|free| !free.is_empty()) {
        match stdout.read(free) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    buffer.truncate(filled);
    Ok(buffer)
}

/// A program that is killed and reaped, with its group, unless it has ended.
struct Running(Child);

impl Running {
    /// Its output has ended, so its end is near; it is asked for at growing intervals.
    fn wait_until(&mut self, deadline: Instant) -> Result<ExitStatus, Fault> {
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(status) = self.0.try_wait().map_err(|error| Fault::Lost(error.kind()))? {
                return Ok(status);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Fault::Deadline);
            }
            thread::park_timeout(pause.min(left));
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that was reaped has no number any more that could be killed.
        if let Ok(None) = self.0.try_wait() {
            kill_group(&self.0);
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
}

#[cfg(unix)]
fn lead_a_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Not yet reaped, the program's number is still its own and so is its group's.
#[cfg(unix)]
fn kill_group(child: &Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn lead_a_group(_command: &mut Command) {}

#[cfg(not(unix))]
fn kill_group(_child: &Child) {}
