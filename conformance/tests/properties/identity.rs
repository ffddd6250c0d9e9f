//! Any number of racing processes agree on one id (CONF-26).

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use watertight_conformance::case::Outcome;
use watertight_conformance::subject::Assignment;
use watertight_conformance::subject::protocol::{Ask, Reply, Request, Response};

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
        let request = Request { seq: 1, ask: Ask::Run(Box::new(assignment)) };
        let line = serde_json::to_string(&request).expect("a request is JSON") + "\n";
        let mut racers: Vec<Child> = (0..12).map(|_| racer()).collect();
        for racer in &mut racers {
            let input = racer.stdin.as_mut().expect("a pipe");
            input.write_all(line.as_bytes()).expect("it reads");
        }
        let ids: BTreeSet<String> = racers.into_iter().map(id).collect();
        assert_eq!(ids.len(), 1, "every process was given the same id: {ids:?}");
        let file = folder.path().join(".omnigent/runners/runner_id");
        let written = fs::read_to_string(file).expect("it was written");
        assert_eq!(ids.first().map(String::as_str), Some(written.trim()), "and it is the one on disk");
    }
}

fn racer() -> Child {
    Command::new(env!("CARGO_BIN_EXE_watertight-subject"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the subject starts")
}

fn id(mut racer: Child) -> String {
    let mut line = String::new();
    BufReader::new(racer.stdout.take().expect("a pipe")).read_line(&mut line).expect("it writes");
    drop(racer.stdin.take());
    racer.wait().expect("it ends");
    let response: Response = serde_json::from_str(&line).expect("a response is JSON");
    let Reply::Ran(answer) = response.answer else { panic!("{response:?}") };
    match answer.outcomes.get("id") {
        Some(Outcome::Value(id)) => id.as_str().expect("an id is text").to_owned(),
        other => panic!("{other:?}"),
    }
}
