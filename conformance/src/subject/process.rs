use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use watertight_env_snapshot::ProcessEnv;
use watertight_vocabulary::EnvSource;

use super::beside::{Errors, LARGEST_ANSWER, fills, left_behind};
use super::protocol::{Ask, PROTOCOL, Reply, Request, Response};
use super::{Afterthought, Answer, Assignment, Fault, Hello, Late};
use crate::check::shows_a_value;

/// How long a subject that has closed its output may take to end by itself.
const PATIENCE_AT_THE_END: Duration = Duration::from_millis(500);

/// How long is listened after an answer for what follows it in a write of its own. What comes later still is
/// seen before the process is asked again, while it answers, or when it is stopped.
const SILENCE: Duration = Duration::from_millis(1);

/// How often a subject that is awaited is looked at for how much it writes beside its answer.
const GLANCE: Duration = Duration::from_millis(50);

/// What a subject has of our environment: where programs lie. Nothing of the machine is in a case.
const INHERITED: [&str; 3] = ["PATH", "SystemRoot", "PATHEXT"];

/// What points a subject to the folder of its own, on any platform.
const OWN_FOLDER: [&str; 5] = ["HOME", "TMPDIR", "USERPROFILE", "TEMP", "TMP"];

/// One running subject. It and whatever it started is ended when this is dropped.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    /// A thread of its own writes: a subject that does not read holds nobody up.
    requests: Option<Sender<Vec<u8>>>,
    lines: Receiver<Line>,
    errors: Errors,
    /// Its home and its temporary folder, which are looked through for values.
    folder: TempDir,
    next: u64,
    /// The case that it ran last.
    last: Option<String>,
}

/// What came from standard output.
#[derive(Debug)]
enum Line {
    /// A line, and whether more was read together with it.
    Whole {
        text: String,
        goes_on: bool,
    },
    NoText,
    Half,
    Flood,
    End,
}

impl Process {
    pub(super) fn start(command: &[String], timeout: Duration) -> Result<(Self, Hello), Fault> {
        let mut process = Self::spawn(command)?;
        let started = match process.ask(Ask::Start { protocol: PROTOCOL }, timeout) {
            Ok(Reply::Started(hello)) => process.hears_nothing(SILENCE).map(|()| hello),
            Ok(_) => Err(Fault::Nonsense("an answer to `start` that is not `started`".to_owned())),
            Err(fault) => Err(fault),
        };
        match started {
            Ok(hello) => Ok((process, hello)),
            Err(fault) => Err(process.broken(fault)),
        }
    }

    fn spawn(command: &[String]) -> Result<Self, Fault> {
        let not_started = |error: io::Error| Fault::NotStarted(error.to_string());
        let (program, arguments) =
            command.split_first().ok_or_else(|| Fault::NotStarted("the command is empty".to_owned()))?;
        let folder = tempfile::tempdir().map_err(not_started)?;
        let (written, errors) = Errors::to_a_file().map_err(not_started)?;
        let mut command = Command::new(program);
        command.args(arguments).env_clear();
        let machine = ProcessEnv::new();
        command.envs(INHERITED.iter().filter_map(|name| Some((name, machine.var_os(name.as_ref())?))));
        command.envs(OWN_FOLDER.iter().map(|name| (name, folder.path())));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::from(written));
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(not_started)?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Fault::NotStarted("it has no standard streams".to_owned()));
        };
        let (requests, waiting) = channel::<Vec<u8>>();
        thread::spawn(move || {
            // A subject that reads no more shows it by what it answers.
            while let Ok(line) = waiting.recv() {
                if input.write_all(&line).and_then(|()| input.flush()).is_err() {
                    return;
                }
            }
        });
        // One line is awaited at a time; a subject that writes more waits until it is asked again.
        let (sender, lines) = sync_channel(1);
        thread::spawn(move || read_lines(output, &sender));
        Ok(Self { child, requests: Some(requests), lines, errors, folder, next: 1, last: None })
    }

    /// The case that it ran last.
    pub(super) fn last(&self) -> Option<String> {
        self.last.clone()
    }

    /// Has it run a case. It can be asked again if that went well and [`Self::lately`] has nothing to tell.
    ///
    /// Whatever it does in the meantime may still be what came of the case before: it is told so.
    pub(super) fn run(&mut self, assignment: &Assignment, timeout: Duration) -> Result<Answer, Fault> {
        let answer = self.answer(assignment, timeout);
        let late = match &answer {
            Err(Fault::TimedOut) => None,
            Err(fault) => Some(Late::Broke(fault.clone())),
            Ok((_, beside)) => shows_a_value(&beside.join("\n"))
                .then(|| Late::Leaked("standard error or its own folder, after the answer".to_owned())),
        };
        if let (Some(what), Some(case)) = (late, self.last.take()) {
            return Err(Fault::AfterAnother(Box::new(Afterthought { case, what })));
        }
        let (mut answer, beside) = answer?;
        self.last = Some(assignment.case.clone());
        answer.log.extend(beside);
        Ok(answer)
    }

    /// The answer, and what was written beside it.
    fn answer(&mut self, assignment: &Assignment, timeout: Duration) -> Result<(Answer, Vec<String>), Fault> {
        let reply = self.ask(Ask::Run(Box::new(assignment.clone())), timeout)?;
        let answer = match reply {
            Reply::Ran(answer) => answer,
            // It may quote what it was given.
            Reply::Rejected { reason } if shows_a_value(&reason) => {
                let fault = Fault::Nonsense("rejected, for a reason with a value in it".to_owned());
                return Err(Fault::Leaked(Box::new(fault)));
            }
            Reply::Rejected { reason } => return Err(Fault::Nonsense(format!("rejected: {reason}"))),
            Reply::Started(_) | Reply::Stopped {} => {
                return Err(Fault::Nonsense("an answer to another question".to_owned()));
            }
        };
        self.hears_nothing(SILENCE)?;
        let beside = [self.errors.drain()?, left_behind(self.folder.path())?].into_iter().flatten().collect();
        Ok((answer, beside))
    }

    /// What it has done since its last answer that it should not have.
    pub(super) fn lately(&mut self) -> Vec<Late> {
        let mut late = Vec::new();
        late.extend(self.hears_nothing(Duration::ZERO).err().map(Late::Broke));
        late.extend(self.writings("after the answer"));
        late
    }

    /// Stops it: it says so, ends its output, and has written no value anywhere.
    pub(super) fn finish(mut self, timeout: Duration) -> Vec<Late> {
        let mut late = self.lately();
        if late.is_empty() {
            late.extend(self.stops(timeout).err().map(Late::Broke));
        }
        self.end(PATIENCE_AT_THE_END);
        late.extend(self.writings("when it was stopped"));
        late
    }

    fn stops(&mut self, timeout: Duration) -> Result<(), Fault> {
        let Reply::Stopped {} = self.ask(Ask::Stop {}, timeout)? else {
            return Err(Fault::Nonsense("an answer to `stop` that is not `stopped`".to_owned()));
        };
        self.requests = None;
        match self.awaited(Instant::now() + timeout)? {
            Line::End => Ok(()),
            _ => Err(after_the_answer()),
        }
    }

    /// Ends it, and adds to the fault what it has written besides.
    pub(super) fn broken(mut self, fault: Fault) -> Fault {
        self.end(Duration::ZERO);
        let leaks = self.writings("").iter().any(|late| matches!(late, Late::Leaked(_)));
        match fault {
            Fault::Leaked(fault) => Fault::Leaked(fault),
            Fault::AfterAnother(doubt) => Fault::AfterAnother(Box::new(match *doubt {
                Afterthought { case, what: Late::Broke(fault) } if leaks => {
                    Afterthought { case, what: Late::Broke(Fault::Leaked(Box::new(fault))) }
                }
                doubt => doubt,
            })),
            fault if leaks => Fault::Leaked(Box::new(fault)),
            fault => fault,
        }
    }

    /// Values in standard error or in its folder, and too much of either.
    fn writings(&mut self, when: &str) -> Vec<Late> {
        let errors = (self.errors.drain(), "standard error");
        let files = (left_behind(self.folder.path()), "its own folder");
        let judged = [errors, files].into_iter().filter_map(|(text, place)| match text {
            Ok(Some(text)) if shows_a_value(&text) => Some(Late::Leaked(format!("{place}, {when}"))),
            Ok(_) => None,
            Err(fault) => Some(Late::Broke(fault)),
        });
        judged.collect()
    }

    /// Asks, and waits for the answer: both within the time.
    fn ask(&mut self, ask: Ask, timeout: Duration) -> Result<Reply, Fault> {
        let deadline = Instant::now() + timeout;
        let seq = self.next;
        self.next += 1;
        let mut line =
            serde_json::to_vec(&Request { seq, ask }).map_err(|error| Fault::Nonsense(error.to_string()))?;
        line.push(b'\n');
        if let Some(requests) = &self.requests {
            // Where the thread that writes has ended, the output has ended too, or the time will.
            let _ = requests.send(line);
        }
        let (text, goes_on) = match self.awaited(deadline)? {
            Line::Whole { text, goes_on } => (text, goes_on),
            Line::NoText => return Err(Fault::Nonsense("it is no UTF-8".to_owned())),
            Line::Half => return Err(Fault::HalfLine),
            Line::Flood => return Err(Fault::Flooded),
            Line::End => return Err(self.crashed()),
        };
        // The text of a parser's error may hold a piece of the line, so it is only placed.
        let response: Response = serde_json::from_str(&text)
            .map_err(|error| Fault::Nonsense(format!("no response, at column {}", error.column())))?;
        if response.seq < seq && self.last.is_some() {
            // The answer to a request that was answered before.
            return Err(after_the_answer());
        }
        if response.seq != seq {
            return Err(Fault::WrongSequence);
        }
        if goes_on { Err(after_the_answer()) } else { Ok(response.answer) }
    }

    /// The next line. A subject that fills the disk instead is not waited for.
    fn awaited(&mut self, deadline: Instant) -> Result<Line, Fault> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(GLANCE)) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Ok(Line::End),
                Err(RecvTimeoutError::Timeout) if self.errors.are_too_many() || fills(self.folder.path()) => {
                    return Err(Fault::Flooded);
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(Fault::TimedOut),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Nothing may follow an answer before the next request.
    fn hears_nothing(&mut self, within: Duration) -> Result<(), Fault> {
        let heard = if within.is_zero() {
            self.lines.try_recv().map_err(|error| error == TryRecvError::Empty)
        } else {
            self.lines.recv_timeout(within).map_err(|error| error == RecvTimeoutError::Timeout)
        };
        match heard {
            Err(true) => Ok(()),
            Err(false) | Ok(Line::End) => Err(self.crashed()),
            Ok(_) => Err(after_the_answer()),
        }
    }

    /// It has closed its output: its own exit status is the better report, where it comes to one.
    fn crashed(&mut self) -> Fault {
        let ended = self.end(PATIENCE_AT_THE_END);
        Fault::Crashed(ended.unwrap_or_else(|| "it closed its output and went on".to_owned()))
    }

    /// Waits for it to end by itself, then ends it and whatever it started. The status is its own.
    fn end(&mut self, patience: Duration) -> Option<String> {
        self.requests = None;
        let deadline = Instant::now() + patience;
        let mut ended = self.has_ended();
        while !ended && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
            ended = self.has_ended();
        }
        self.kill();
        let status = self.child.wait().ok()?;
        ended.then(|| status.to_string())
    }

    /// Whether it has ended. Its number stays taken: the group that bears it is still to be ended.
    #[cfg(unix)]
    fn has_ended(&mut self) -> bool {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(Pid::from_child(&self.child)), options), Ok(None))
    }

    #[cfg(not(unix))]
    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    #[cfg(unix)]
    fn kill(&mut self) {
        use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
        let pid = Pid::from_child(&self.child);
        // Once it has been waited for, its number may be another's.
        let is_ours =
            waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT);
        if is_ours.is_ok() {
            #[cfg(target_os = "linux")]
            super::descendants::end(pid, self.folder.path());
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }

    #[cfg(not(unix))]
    fn kill(&mut self) {
        let _ = self.child.kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end(Duration::ZERO);
    }
}

fn after_the_answer() -> Fault {
    Fault::Nonsense("something that follows an answer".to_owned())
}

fn read_lines(output: impl Read, sender: &SyncSender<Line>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let read = (&mut output).take(LARGEST_ANSWER).read_until(b'\n', &mut line);
        let whole = line.pop_if(|last| *last == b'\n').is_some();
        let goes_on = !output.buffer().is_empty();
        let message = match read {
            Ok(0) | Err(_) => Line::End,
            Ok(_) if whole => {
                String::from_utf8(line).map_or(Line::NoText, |text| Line::Whole { text, goes_on })
            }
            Ok(length) if length as u64 >= LARGEST_ANSWER => Line::Flood,
            Ok(_) => Line::Half,
        };
        let is_last = !matches!(message, Line::Whole { .. });
        if sender.send(message).is_err() || is_last {
            return;
        }
    }
}
