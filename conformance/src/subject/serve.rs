use std::io::{self, BufRead, Write};

use super::Subject;
use super::protocol::{Ask, PROTOCOL, Reply, Request, Response};

/// Is a subject over two streams: one request a line in, one response a line out (CONF-12).
///
/// # Errors
///
/// What reading or writing gave. A line that is no request is answered with `rejected`.
pub fn serve(subject: &dyn Subject, input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    for line in input.lines() {
        let line = line?;
        let (seq, answer) = match serde_json::from_str::<Request>(&line) {
            Ok(Request { seq, ask }) => (seq, answer_to(subject, ask)),
            // A parser's own words quote what stands in the line.
            Err(error) => {
                (0, Reply::Rejected { reason: format!("no request, at column {}", error.column()) })
            }
        };
        let stops = matches!(answer, Reply::Stopped {});
        serde_json::to_writer(&mut output, &Response { seq, answer })?;
        output.write_all(b"\n")?;
        output.flush()?;
        if stops {
            return Ok(());
        }
    }
    Ok(())
}

fn answer_to(subject: &dyn Subject, ask: Ask) -> Reply {
    match ask {
        Ask::Start { protocol: PROTOCOL } => Reply::Started(subject.hello().clone()),
        Ask::Start { protocol } => {
            Reply::Rejected { reason: format!("protocol {protocol} is not spoken here") }
        }
        Ask::Run(assignment) => match subject.run(&assignment) {
            Ok(answer) => Reply::Ran(answer),
            Err(fault) => Reply::Rejected { reason: fault.class().to_owned() },
        },
        Ask::Stop {} => Reply::Stopped {},
    }
}
