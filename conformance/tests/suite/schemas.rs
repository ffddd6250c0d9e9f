use std::collections::BTreeSet;
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

/// Wherever a name may stand in a case, one that is not known is refused.
#[test]
fn conf_02_the_schema_knows_no_other_fields_at_any_depth() {
    let schema = schema("case");
    let mut refused = 0;
    for case in suite().cases.iter().step_by(11) {
        let case = serde_json::to_value(case).expect("it is JSON");
        for at in ["/given", "/given/host", "/given/tree/0", "/given/env_bytes/0", "/do/0"] {
            let mut broken = case.clone();
            let Some(Value::Object(fields)) = broken.pointer_mut(at) else { continue };
            // Of a step its own fields: those of the one object that it holds.
            let fields = match fields.iter_mut().next() {
                Some((_, Value::Object(inner))) if at == "/do/0" => inner,
                _ => fields,
            };
            fields.insert("extra".to_owned(), "x".into());
            assert!(!schema.is_valid(&broken), "{at}: {broken}");
            refused += 1;
        }
    }
    assert!(refused > 50, "there are such places");
}

/// The lines of the worked exchange, each told whole.
fn worked_exchange() -> Vec<(char, String)> {
    let text = include_str!("../../PROTOCOL.md");
    let (_, section) = text.split_once("## A worked exchange").expect("a section");
    let block = section.split("```").nth(1).expect("a block");
    let mut lines: Vec<(char, String)> = Vec::new();
    for line in block.lines().filter(|line| !line.trim().is_empty()) {
        match (line.strip_prefix("> "), line.strip_prefix("< ")) {
            (Some(read), _) => lines.push(('>', read.to_owned())),
            (_, Some(written)) => lines.push(('<', written.to_owned())),
            _ => lines.last_mut().expect("a line goes on").1.push_str(line.trim()),
        }
    }
    lines
}

#[test]
fn conf_11_the_worked_exchange_is_one() {
    let schema = schema("protocol");
    let lines = worked_exchange();
    let (requests, responses): (Vec<_>, Vec<_>) = lines.iter().partition(|(side, _)| *side == '>');
    assert_eq!(requests.len(), responses.len(), "each request has its answer");
    for (_, line) in &lines {
        check(&schema, &serde_json::from_str::<Value>(line).expect("JSON"), line);
    }
    for ((_, request), (_, response)) in requests.into_iter().zip(responses) {
        let request: Request = serde_json::from_str(request).expect("a request");
        let response: Response = serde_json::from_str(response).expect("a response");
        assert_eq!(request.seq, response.seq);
        let is_answer = match (&request.ask, &response.answer) {
            (Ask::Start { protocol }, Reply::Started(_)) => *protocol == PROTOCOL,
            (Ask::Run(_), Reply::Ran(_)) | (Ask::Stop {}, Reply::Stopped {}) => true,
            _ => false,
        };
        assert!(is_answer, "{response:?} answers no {request:?}");
    }
}

#[test]
fn conf_11_the_protocol_describes_every_step_with_its_fields() {
    let text = include_str!("../../PROTOCOL.md");
    let schema = include_str!("../../schemas/case.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("JSON");
    let steps = schema["$defs"]["step"]["oneOf"].as_array().expect("a list of steps");
    for step in steps {
        let (name, shape) = step["properties"].as_object().and_then(|all| all.iter().next()).expect("a step");
        let row = format!("| `{name}` {{");
        let row =
            text.lines().find(|line| line.starts_with(&row)).unwrap_or_else(|| panic!("{name} has no row"));
        let fields = row.split(['{', '}']).nth(1).unwrap_or_default();
        let told: BTreeSet<_> =
            fields.split(", ").filter(|field| !field.is_empty()).map(str::to_owned).collect();
        let required: Vec<_> = shape["required"].as_array().into_iter().flatten().collect();
        let known = shape["properties"].as_object().into_iter().flat_map(serde_json::Map::keys);
        let known: BTreeSet<_> =
            known
                .map(|field| {
                    if required.iter().any(|one| *one == field) { field.clone() } else { format!("{field}?") }
                })
                .collect();
        assert_eq!(told, known, "the row of {name}");
    }
    let rows = text.lines().filter(|line| line.starts_with("| `") && line.contains("` {")).count();
    assert_eq!(rows, steps.len(), "and there is no other row");
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
