//! Runs a program to its end: no shell, no input, a deadline, and an output that is capped.

use std::io::{self, Read};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

/// What may not be exceeded. Nothing here is too large: a time that no clock reaches is none.
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
/// The output counts as whole when every process that holds its end has closed it. If that or the program's
/// own end does not come in time, or whatever else goes wrong before both have come, the program is killed
/// and reaped before this returns, and on Unix the processes that it started with it. What a program that
/// has ended left behind without its output, as an agent for the next time, is left alone.
pub(super) fn run(command: &mut Command, limits: Limits) -> Result<Output, Fault> {
    let deadline = Deadline(Instant::now().checked_add(limits.time));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    lead_a_group(command);
    let child = command.spawn().map_err(|error| Fault::Start(error.kind()))?;
    let mut running = Running { child, reaped: false };

    let output = match running.child.stdout.take() {
        Some(stdout) => read_within(stdout, limits.output, deadline)?,
        None => return Err(Fault::Lost(io::ErrorKind::BrokenPipe)),
    };
    if output.len() > limits.output {
        return Err(Fault::TooLong);
    }
    let status = running.wait_until(deadline)?;
    if status.success() { Ok(output) } else { Err(Fault::Failed(status.code())) }
}

/// Reads to the end, or to one byte more than the limit. A process that has left the program's group and kept
/// its output holds nobody: this end of the pipe is closed whatever happens.
#[cfg(unix)]
fn read_within(stdout: ChildStdout, limit: usize, deadline: Deadline) -> Result<Output, Fault> {
    read_capped(InTime { stdout, deadline }, limit).map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut => Fault::Deadline,
        kind => Fault::Lost(kind),
    })
}

/// The end of a pipe, which is read from once something is there. That is waited for until the deadline.
#[cfg(unix)]
struct InTime {
    stdout: ChildStdout,
    deadline: Deadline,
}

#[cfg(unix)]
impl Read for InTime {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        loop {
            let left = self.deadline.left();
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let wait = match left.as_secs() {
                0 => Timespec { tv_sec: 0, tv_nsec: left.subsec_nanos().into() },
                _ => Timespec { tv_sec: 1, tv_nsec: 0 },
            };
            if poll(&mut [PollFd::new(&self.stdout, PollFlags::IN)], Some(&wait))? > 0 {
                return self.stdout.read(buffer);
            }
        }
    }
}

/// Reads to the end, or to one byte more than the limit, on a thread of its own, since a pipe has no
/// deadline. After a fault the program is killed, so that thread ends too; what it holds is wiped. A process
/// that the program started and that kept its output holds that thread, and nobody else, until it ends.
#[cfg(not(unix))]
fn read_within(stdout: ChildStdout, limit: usize, deadline: Deadline) -> Result<Output, Fault> {
    use std::sync::mpsc::{RecvTimeoutError, sync_channel};

    let (sender, receiver) = sync_channel(1);
    let reader = thread::Builder::new().name("secret-source".to_owned());
    let read = move || {
        // Nobody waits any more after the deadline, and that is no fault of this thread.
        let _ = sender.send(read_capped(stdout, limit));
    };
    reader.spawn(read).map_err(|error| Fault::Lost(error.kind()))?;
    match receiver.recv_timeout(deadline.left()) {
        Ok(Ok(output)) => Ok(output),
        Ok(Err(error)) => Err(Fault::Lost(error.kind())),
        Err(RecvTimeoutError::Timeout) => Err(Fault::Deadline),
        Err(RecvTimeoutError::Disconnected) => Err(Fault::Lost(io::ErrorKind::BrokenPipe)),
    }
}

/// The point in time, or none if no clock reaches it.
#[derive(Clone, Copy)]
struct Deadline(Option<Instant>);

impl Deadline {
    fn left(self) -> Duration {
        self.0.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()))
    }
}

/// The size of the first buffer. An output that needs more is copied into a larger one.
const FIRST_BUFFER: usize = 64 * 1024 + 1;

/// No buffer grows in place, where a copy of it could be left behind: each is wiped when it is dropped.
fn read_capped(mut stdout: impl Read, limit: usize) -> io::Result<Output> {
    let most = limit.saturating_add(1);
    let mut buffer = Zeroizing::new(vec![0; most.min(FIRST_BUFFER)]);
    let mut filled = 0;
    while filled < most {
        if filled == buffer.len() {
            let mut larger = Zeroizing::new(vec![0; most.min(filled.saturating_mul(2))]);
            larger.iter_mut().zip(buffer.iter()).for_each(|(to, from)| *to = *from);
            buffer = larger;
        }
        match stdout.read(buffer.get_mut(filled..).unwrap_or_default()) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    buffer.truncate(filled);
    Ok(buffer)
}

/// A program that is killed and reaped, with its group, unless it was reaped.
struct Running {
    child: Child,
    /// From then on its number, and its group's, may be another's.
    reaped: bool,
}

impl Running {
    /// Its output has ended, so its end is near; it is asked for at growing intervals.
    fn wait_until(&mut self, deadline: Deadline) -> Result<ExitStatus, Fault> {
        let mut pause = Duration::from_micros(200);
        loop {
            match self.child.try_wait() {
                Ok(None) => {}
                Ok(Some(status)) => {
                    self.reaped = true;
                    return Ok(status);
                }
                // The system knows no such child: somebody else has reaped it.
                Err(error) => {
                    self.reaped = true;
                    return Err(Fault::Lost(error.kind()));
                }
            }
            let left = deadline.left();
            if left.is_zero() {
                return Err(Fault::Deadline);
            }
            thread::park_timeout(pause.min(left));
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

impl Drop for Running {
    /// The group first, and nobody asks before whether the program has ended: that would reap it, and what
    /// it left running could not be found any more.
    fn drop(&mut self) {
        if !self.reaped {
            kill_group(&self.child);
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

#[cfg(unix)]
fn lead_a_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Not yet reaped, the program's number is still its own and so is its group's, also when it has ended.
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

#[cfg(test)]
mod tests {
    use super::read_capped;

    #[test]
    fn an_output_of_any_length_is_read_whole_up_to_the_limit_and_one_byte() {
        let text: Vec<u8> = (0..300_000_u32).map(|number| number.to_le_bytes()[0]).collect();
        for limit in [0, 1, 1000, 65_535, 65_536, 65_537, 131_073, 299_999, 300_000, usize::MAX] {
            let read = read_capped(text.as_slice(), limit).expect("a slice can be read");
            let wanted = text.len().min(limit.saturating_add(1));
            assert_eq!(read.as_slice(), &text[..wanted], "at most {limit}");
        }
    }
}
