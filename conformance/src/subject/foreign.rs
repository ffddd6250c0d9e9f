use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use tempfile::NamedTempFile;

use super::protocol::{Ask, PROTOCOL, Reply, Request, Response};
use super::{Answer, Assignment, Fault, Hello, Subject};

/// The most that one answer, or what stands beside it on standard error, may be.
const LARGEST_ANSWER: u64 = 4 * 1024 * 1024;

/// How long a subject that is no longer needed may take to say so.
const PATIENCE_AT_THE_END: Duration = Duration::from_millis(200);

/// A program that speaks the protocol (CONF-11). Each thread that runs cases has a process of its own; one
/// that breaks is ended, and the next case starts another.
#[derive(Debug)]
pub struct Foreign {
    command: String,
    timeout: Duration,
    hello: Hello,
    idle: Mutex<Vec<Process>>,
}

impl Foreign {
    /// Starts a command, split at white space, and asks who it is.
    ///
    /// # Errors
    ///
    /// It does not start, or breaks while it says who it is.
    pub fn start(command: &str, timeout: Duration) -> Result<Self, Fault> {
        let (process, hello) = Process::start(command, timeout)?;
        Ok(Self { command: command.to_owned(), timeout, hello, idle: Mutex::new(vec![process]) })
    }

    fn take(&self) -> Result<Process, Fault> {
        let idle = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        idle.map_or_else(|| Process::start(&self.command, self.timeout).map(|(process, _)| process), Ok)
    }
}

impl Subject for Foreign {
    fn hello(&self) -> &Hello {
        &self.hello
    }

    fn run(&self, assignment: &Assignment) -> Result<Answer, Fault> {
        let mut process = self.take()?;
        let reply = process.ask(Ask::Run(Box::new(assignment.clone())), self.timeout)?;
        let mut answer = match reply {
            Reply::Ran(answer) => answer,
            Reply::Rejected { reason } => return Err(Fault::Nonsense(reason)),
            Reply::Started(_) | Reply::Stopped {} => {
                return Err(Fault::Nonsense("an answer to another question".to_owned()));
            }
        };
        answer.log.extend(process.standard_error());
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(process);
        }
        Ok(answer)
    }
}

/// One running subject. It is ended when this is dropped.
#[derive(Debug)]
struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Line>,
    /// What it wrote to standard error, read up to where the last case ended.
    errors: File,
    next: u64,
}

/// What came from standard output.
enum Line {
    Whole(String),
    NoText,
    Half,
    Flood,
    End,
}

impl Process {
    fn start(command: &str, timeout: Duration) -> Result<(Self, Hello), Fault> {
        let mut words = command.split_whitespace();
        let program = words.next().ok_or_else(|| Fault::NotStarted("the command is empty".to_owned()))?;
        // A file and no pipe: what was written before an answer is there when the answer is.
        let (written, errors) = temporary().map_err(|error| Fault::NotStarted(error.to_string()))?;
        let mut child = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::from(written))
            .spawn()
            .map_err(|error| Fault::NotStarted(error.to_string()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Fault::NotStarted("it has no standard streams".to_owned()));
        };
        // One line is awaited at a time; a subject that writes more waits until it is asked again.
        let (sender, lines) = sync_channel(1);
        thread::spawn(move || read_lines(output, &sender));
        let mut process = Self { child, input: Some(input), lines, errors, next: 1 };
        match process.ask(Ask::Start { protocol: PROTOCOL }, timeout)? {
            Reply::Started(hello) => Ok((process, hello)),
            _ => Err(Fault::Nonsense("an answer to `start` that is not `started`".to_owned())),
        }
    }

    fn ask(&mut self, ask: Ask, timeout: Duration) -> Result<Reply, Fault> {
        let seq = self.next;
        self.next += 1;
        let mut line =
            serde_json::to_vec(&Request { seq, ask }).map_err(|error| Fault::Nonsense(error.to_string()))?;
        line.push(b'\n');
        let written = self.input.as_mut().map(|input| input.write_all(&line).and_then(|()| input.flush()));
        if !matches!(written, Some(Ok(()))) {
            return Err(self.crashed());
        }
        let line = match self.lines.recv_timeout(timeout) {
            Ok(Line::Whole(line)) => line,
            Ok(Line::NoText) => return Err(Fault::Nonsense("it is no UTF-8".to_owned())),
            Ok(Line::Half) => return Err(Fault::HalfLine),
            Ok(Line::Flood) => return Err(Fault::Flooded),
            Ok(Line::End) | Err(RecvTimeoutError::Disconnected) => return Err(self.crashed()),
            Err(RecvTimeoutError::Timeout) => return Err(Fault::TimedOut),
        };
        // The text of a parser's error may hold a piece of the line, so it is only placed.
        let response: Response = serde_json::from_str(&line)
            .map_err(|error| Fault::Nonsense(format!("no response, at column {}", error.column())))?;
        if response.seq == seq { Ok(response.answer) } else { Err(Fault::WrongSequence) }
    }

    fn crashed(&mut self) -> Fault {
        self.input = None;
        let _ = self.child.kill();
        match self.child.wait() {
            Ok(status) => Fault::Crashed(status.to_string()),
            Err(error) => Fault::Crashed(error.to_string()),
        }
    }

    fn standard_error(&mut self) -> Option<String> {
        let mut text = Vec::new();
        Read::by_ref(&mut self.errors).take(LARGEST_ANSWER).read_to_end(&mut text).ok()?;
        (!text.is_empty()).then(|| String::from_utf8_lossy(&text).into_owned())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A subject that stops, or reads to the end of its input, ends by itself; one that does not is ended.
        let _ = self.ask(Ask::Stop {}, PATIENCE_AT_THE_END);
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_lines(output: impl Read, sender: &SyncSender<Line>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let read = (&mut output).take(LARGEST_ANSWER).read_until(b'\n', &mut line);
        let whole = line.pop_if(|last| *last == b'\n').is_some();
        let message = match read {
            Ok(0) | Err(_) => Line::End,
            Ok(_) if whole => String::from_utf8(line).map_or(Line::NoText, Line::Whole),
            Ok(length) if length as u64 >= LARGEST_ANSWER => Line::Flood,
            Ok(_) => Line::Half,
        };
        let goes_on = matches!(message, Line::Whole(_));
        if sender.send(message).is_err() || !goes_on {
            return;
        }
    }
}

/// A file that is gone once nobody has it open, to write to and to read from, each at its own place.
fn temporary() -> io::Result<(File, File)> {
    let file = NamedTempFile::new()?;
    Ok((file.reopen()?, file.reopen()?))
}
