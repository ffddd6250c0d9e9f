//! Any number of racing processes agree on one id (CONF-26).

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Barrier;
use std::thread;

use watertight_conformance::case::Outcome;
use watertight_conformance::subject::Assignment;
use watertight_conformance::subject::protocol::{Ask, PROTOCOL, Reply, Request, Response};

/// How many processes race.
const RACERS: usize = 12;

#[test]
fn conf_26_racing_processes_agree_on_one_id() {
    for _ in 0..4 {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().to_str().expect("a plain path");
        let script = r#"[{"runner_id": {"as": "id"}}]"#;
        let assignment: Assignment = serde_json::from_str(&format!(
            r#"{{"case": "runner-identity/race", "root": "{root}", "env": {{"HOME": "{root}"}}, "do": {script}}}"#
        ))
        .expect("an assignment");
        let request = Request { seq: 2, ask: Ask::Run(Box::new(assignment)) };
        let line = serde_json::to_string(&request).expect("a request is JSON") + "\n";
        let racers: Vec<Racer> = (0..RACERS).map(|_| Racer::start()).collect();
        // Every process is up and waits for its line; all lines are written at once.
        let start = Barrier::new(RACERS);
        let race = |racer: Racer| {
            start.wait();
            racer.id(&line)
        };
        let race = &race;
        let ids: BTreeSet<String> = thread::scope(|scope| {
            let threads: Vec<_> = racers.into_iter().map(|racer| scope.spawn(move || race(racer))).collect();
            threads.into_iter().map(|thread| thread.join().expect("it answers")).collect()
        });
        assert_eq!(ids.len(), 1, "every process was given the same id: {ids:?}");
        let file = folder.path().join(".omnigent/runners/runner_id");
        let written = fs::read_to_string(file).expect("it was written");
        assert_eq!(ids.first().map(String::as_str), Some(written.trim()), "and it is the one on disk");
    }
}

/// A process that has said who it is.
struct Racer {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Racer {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_watertight-subject"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the subject starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut racer = Self { child, output };
        let start = Request { seq: 1, ask: Ask::Start { protocol: PROTOCOL } };
        let started = racer.ask(&(serde_json::to_string(&start).expect("a request is JSON") + "\n"));
        assert!(matches!(started, Reply::Started(_)), "{started:?}");
        racer
    }

    fn ask(&mut self, line: &str) -> Reply {
        let input = self.child.stdin.as_mut().expect("a pipe");
        input.write_all(line.as_bytes()).expect("it reads");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it writes");
        serde_json::from_str::<Response>(&line).expect("a response is JSON").answer
    }

    fn id(mut self, line: &str) -> String {
        let reply = self.ask(line);
        drop(self.child.stdin.take());
        self.child.wait().expect("it ends");
        let Reply::Ran(answer) = reply else { panic!("{reply:?}") };
        match answer.outcomes.get("id") {
            Some(Outcome::Value(id)) => id.as_str().expect("an id is text").to_owned(),
            other => panic!("{other:?}"),
        }
    }
}
