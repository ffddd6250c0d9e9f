use watertight_conformance::layout::Layout;
use watertight_conformance::subject::protocol::{Ask, PROTOCOL, Reply, Request, Response};
use watertight_conformance::subject::{Answer, Assignment, InProcess, Subject, serve};

use crate::suite;

fn exchange(requests: &[Request]) -> Vec<Response> {
    let mut input = String::new();
    for request in requests {
        input += &(serde_json::to_string(request).expect("a request is JSON") + "\n");
    }
    let mut output = Vec::new();
    serve(&InProcess::new(), input.as_bytes(), &mut output).expect("memory does not fail");
    let output = String::from_utf8(output).expect("JSON is text");
    output.lines().map(|line| serde_json::from_str(line).expect("a response is JSON")).collect()
}

#[test]
fn conf_12_the_protocol_gives_what_the_subject_gives() {
    let suite = suite();
    for case in suite.cases.iter().step_by(7) {
        let ours = Layout::of(case).expect("a tree");
        let theirs = Layout::of(case).expect("a tree");
        let assignment = |layout: &Layout| Assignment::of(case, layout).expect("an assignment");
        let answer = InProcess::new().run(&assignment(&ours)).expect("it runs");
        let requests = [
            Request { seq: 1, ask: Ask::Start { protocol: PROTOCOL } },
            Request { seq: 2, ask: Ask::Run(Box::new(assignment(&theirs))) },
            Request { seq: 3, ask: Ask::Stop {} },
        ];
        let responses = exchange(&requests);
        assert_eq!(responses.len(), 3, "one response for each request");
        assert!(responses.iter().zip(&requests).all(|(response, request)| response.seq == request.seq));
        let Reply::Ran(over_the_wire) = &responses[1].answer else { panic!("{:?}", responses[1]) };
        let (here, there) = (told(&answer, &ours), told(over_the_wire, &theirs));
        assert_eq!(here, there, "{}: the protocol changes no outcome", case.id);
    }
}

/// The outcomes, with a sign in place of what is another one each time: the root, and ids that were made.
fn told(answer: &Answer, layout: &Layout) -> String {
    let text = serde_json::to_string_pretty(&answer.outcomes).expect("outcomes are JSON");
    let mut told = String::new();
    for (number, part) in layout.masked(&text).split("runner_").enumerate() {
        let digits = part.chars().take_while(char::is_ascii_hexdigit).count();
        let rest = part.get(digits..).filter(|_| number > 0 && digits == 32);
        told.extend([if number > 0 { "runner_" } else { "" }, rest.unwrap_or(part)]);
    }
    told
}

#[test]
fn conf_11_a_line_that_is_no_request_is_rejected_and_the_next_is_answered() {
    let input = "{\"seq\":\"canary-number\"}\n{\"seq\":7,\"ask\":{\"start\":{\"protocol\":99}}}\n{\"seq\":8,\"ask\":{\"stop\":{}}}\n";
    let mut output = Vec::new();
    serve(&InProcess::new(), input.as_bytes(), &mut output).expect("memory does not fail");
    let output = String::from_utf8(output).expect("JSON is text");
    let responses: Vec<Response> =
        output.lines().map(|line| serde_json::from_str(line).expect("a response is JSON")).collect();
    let Reply::Rejected { reason } = &responses[0].answer else { panic!("nonsense") };
    assert!(!reason.contains("canary-"), "{reason}: the line is not quoted");
    assert!(matches!(responses[1].answer, Reply::Rejected { .. }), "another protocol");
    assert!(matches!(responses[2].answer, Reply::Stopped {}));
}
