//! Every situation of a read there is, against a table of its own (TERM-20 to TERM-26).

use watertight_context::{Context, detached};
use watertight_env_snapshot::MapEnv;
use watertight_terminal_scope::{BoundTerminal, TerminalReader};
use watertight_vocabulary::Hosting;

use crate::support::{Profile, TestHost};

/// What is bound for the terminal in a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Held {
    Nothing,
    Policy,
    Refusal,
}

/// Where the read is made.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Where {
    /// Outside every frame.
    Outside,
    /// Inside the frame, detached from it.
    Detached,
    /// Inside the frame.
    Inside,
    /// Inside the frame, from another Tokio task than the one it was entered for.
    OtherTask,
    /// Through the frame's handle.
    Handle,
}

/// Which host the frame was built for, beside the one that reads.
#[derive(Debug, Clone, Copy, PartialEq)]
enum BuiltFor {
    Reader,
    Another,
    Nobody,
}

#[derive(Debug, Clone, Copy)]
struct Situation {
    place: Where,
    held: Held,
    built_for: BuiltFor,
    foreign: bool,
    closed: bool,
    many: bool,
}

/// What a plain read of `TERMINAL_ENV` and the deciding `backend()` are answered with.
fn expected(of: Situation) -> (Result<&'static str, &'static str>, Result<&'static str, &'static str>) {
    let unbound = |foreign: bool| match (of.many || foreign, of.place) {
        (true, _) => (Err("unscoped"), Err("unscoped")),
        (false, Where::Handle) => (Ok("ambient"), Err("unscoped")),
        (false, _) => (Ok("ambient"), Ok("modal")),
    };
    match of.place {
        Where::Outside | Where::Detached => unbound(false),
        Where::OtherTask => unbound(of.foreign),
        Where::Inside | Where::Handle => match (of.built_for, of.closed, of.held) {
            (BuiltFor::Another, _, _) => (Err("other-host"), Err("other-host")),
            (_, true, _) => (Err("closed"), Err("closed")),
            (_, _, Held::Policy) => (Ok("docker"), Ok("docker")),
            (_, _, Held::Refusal) => (Err("unavailable"), Err("unavailable")),
            (_, _, Held::Nothing) => unbound(of.foreign),
        },
    }
}

fn answers(of: Situation) -> (Result<String, &'static str>, Result<String, &'static str>) {
    let host = TestHost::new(MapEnv::from([("TERMINAL_ENV", "ambient")]));
    let other = TestHost::new(MapEnv::new());
    if of.many {
        host.activate();
    }
    let builder = Context::builder().foreign_home(of.foreign);
    let builder = match of.held {
        Held::Nothing => builder,
        Held::Policy => builder.with(Profile::empty().terminal("{backend: docker}").builder().build()),
        Held::Refusal => builder.with(Profile::empty().terminal("docker").builder().build()),
    };
    let frame = match of.built_for {
        BuiltFor::Reader => builder.host(host.host()).build(),
        BuiltFor::Another => builder.host(other.host()).build(),
        BuiltFor::Nobody => builder.build(),
    };
    let launch = || -> BoundTerminal { Profile::empty().terminal("{backend: modal}").builder().build() };
    let ask = |reader: TerminalReader<'_>| {
        let read = reader.read("TERMINAL_ENV", Some("default")).map_err(|error| error.code());
        let text = read.map(|value| value.expect("there is a default").expose().expect("text").to_owned());
        let allowed = reader.ensure_allowed().map_err(|error| error.code());
        let entries = reader.child_entries().map(drop).map_err(|error| error.code());
        let backend = reader.backend().map(|backend| backend.to_string()).map_err(|error| error.code());
        assert_eq!(allowed.err(), backend.as_ref().err().copied(), "one door, one answer: {of:?}");
        assert_eq!(entries.err(), backend.as_ref().err().copied(), "{of:?}");
        (text, backend)
    };
    if of.closed {
        frame.close();
    }
    let ambient = || ask(TerminalReader::ambient(&host, &launch));
    match of.place {
        Where::Outside => ambient(),
        Where::Detached => frame.run(|| detached(ambient)),
        Where::Inside => frame.run(ambient),
        Where::Handle => ask(TerminalReader::handle(&frame, Some(&host))),
        Where::OtherTask => {
            let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts");
            let local = tokio::task::LocalSet::new();
            frame.run(|| {
                // The frame was entered outside of any task; this future is polled as one.
                local.block_on(&runtime, async move {
                    tokio::task::spawn_local(async move { inside_a_task(of) })
                        .await
                        .expect("it does not panic")
                })
            })
        }
    }
}

/// The read of a task of its own, in the frame that its thread is in.
fn inside_a_task(of: Situation) -> (Result<String, &'static str>, Result<String, &'static str>) {
    let host = TestHost::new(MapEnv::from([("TERMINAL_ENV", "ambient")]));
    if of.many {
        host.activate();
    }
    let launch = || -> BoundTerminal { Profile::empty().terminal("{backend: modal}").builder().build() };
    let reader = TerminalReader::ambient(&host, &launch);
    let read = reader.read("TERMINAL_ENV", Some("default")).map_err(|error| error.code());
    let text = read.map(|value| value.expect("there is a default").expose().expect("text").to_owned());
    (text, reader.backend().map(|backend| backend.to_string()).map_err(|error| error.code()))
}

#[test]
fn term_23_every_situation_is_answered_as_the_table_says() {
    let mut situations = 0;
    for place in [Where::Outside, Where::Detached, Where::Inside, Where::OtherTask, Where::Handle] {
        for held in [Held::Nothing, Held::Policy, Held::Refusal] {
            for built_for in [BuiltFor::Reader, BuiltFor::Another, BuiltFor::Nobody] {
                for bits in 0..8_u8 {
                    let (foreign, closed, many) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0);
                    let of = Situation { place, held, built_for, foreign, closed, many };
                    let (read, backend) = answers(of);
                    let owned = |answer: Result<&str, &'static str>| answer.map(str::to_owned);
                    let (expected_read, expected_backend) = expected(of);
                    assert_eq!(read, owned(expected_read), "{of:?}");
                    assert_eq!(backend, owned(expected_backend), "{of:?}");
                    situations += 1;
                }
            }
        }
    }
    assert_eq!(situations, 360);
}

#[test]
fn term_26_a_hosts_scope_is_not_read_without_a_host() {
    let host = TestHost::new(MapEnv::new());
    let bound = Profile::empty().terminal("{backend: docker}").builder().build();
    let scope = Context::builder().host(host.host()).with(bound).build();
    let reader = TerminalReader::handle(&scope, None);
    assert_eq!(reader.read("TERMINAL_ENV", Some("local")).map(drop).map_err(|e| e.code()), Err("no-host"));
    assert_eq!(reader.backend().map(drop).map_err(|e| e.code()), Err("no-host"));
}
