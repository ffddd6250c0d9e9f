use std::fs;
use std::path::Path;

use jsonschema::Validator;
use serde_json::Value;
use watertight_conformance::layout::Layout;
use watertight_conformance::report;
use watertight_conformance::runner::{Selection, run};
use watertight_conformance::subject::protocol::{Ask, PROTOCOL, Reply, Request, Response};
use watertight_conformance::subject::{Answer, Assignment, InProcess, Subject};

use crate::suite;

fn schema(name: &str) -> Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("schemas/{name}.schema.json"));
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).expect("a schema")).expect("JSON");
    jsonschema::validator_for(&schema).expect("a schema")
}

fn check(schema: &Validator, value: &impl serde::Serialize, what: &str) {
    let value = serde_json::to_value(value).expect("it is JSON");
    let errors: Vec<_> = schema.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{what}: {errors:?}");
}

#[test]
fn conf_02_every_case_is_what_the_schema_says() {
    let schema = schema("case");
    for case in suite().cases {
        check(&schema, &case, &case.id);
    }
}

#[test]
fn conf_02_the_schema_refuses_what_the_loader_refuses() {
    let schema = schema("case");
    let case = serde_json::to_value(&suite().cases[0]).expect("it is JSON");
    for (field, value) in [("extra", "x".into()), ("rules", Value::Array(Vec::new())), ("do", "x".into())] {
        let mut broken = case.clone();
        broken[field] = value;
        assert!(!schema.is_valid(&broken), "{field}");
    }
}

#[test]
fn conf_11_every_line_of_the_protocol_is_what_the_schema_says() {
    let schema = schema("protocol");
    let subject = InProcess::new();
    check(&schema, &Request { seq: 1, ask: Ask::Start { protocol: PROTOCOL } }, "start");
    check(&schema, &Response { seq: 1, answer: Reply::Started(subject.hello().clone()) }, "started");
    check(&schema, &Request { seq: 2, ask: Ask::Stop {} }, "stop");
    check(&schema, &Response { seq: 2, answer: Reply::Stopped {} }, "stopped");
    let reason = "no".to_owned();
    check(&schema, &Response { seq: 2, answer: Reply::Rejected { reason } }, "rejected");
    for case in suite().cases.iter().step_by(5) {
        let layout = Layout::of(case).expect("a tree");
        let assignment = Assignment::of(case, &layout).expect("an assignment");
        let answer: Answer = subject.run(&assignment).expect("it runs");
        check(&schema, &Request { seq: 3, ask: Ask::Run(Box::new(assignment)) }, &case.id);
        check(&schema, &Response { seq: 3, answer: Reply::Ran(answer) }, &case.id);
    }
}

#[test]
fn conf_10_every_line_of_the_report_is_what_the_schema_says() {
    let only = Selection::all().only("context/*").expect("a glob");
    let results = run(&suite(), &InProcess::new(), &only, 2, &|_| ());
    let mut lines = Vec::new();
    report::json_lines(&results, &mut lines).expect("memory does not fail");
    let lines = String::from_utf8(lines).expect("JSON is text");
    assert_eq!(lines.lines().count(), results.len(), "one line for each case, in order");
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        check(&schema("report"), &line, "a line");
    }
}
