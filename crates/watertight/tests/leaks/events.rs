//! What a host says while it serves: every event of every level, with all its fields.

use std::io;
use std::sync::{Arc, LazyLock, Mutex};

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::FmtSpan;
use watertight_env_snapshot::ChildSpec;

use crate::everything::EVERYTHING;
use crate::host::Forwarding;
use crate::texts::{CANARY, shows_the_canary};
use crate::tree::Tree;

/// All that was written, shared with the subscriber that writes it.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A piece of work, and every event and span of it, as text.
pub(crate) fn events_of<R>(work: impl FnOnce() -> R) -> (R, String) {
    let written = Written::default();
    let writer = written.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(LevelFilter::TRACE)
        .with_span_events(FmtSpan::FULL)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let done = tracing::subscriber::with_default(subscriber, work);
    let bytes = written.0.lock().unwrap().clone();
    (done, String::from_utf8(bytes).unwrap())
}

/// None of the events holds a piece of the canary, and these were among them.
fn check(events: &str, expected: &[&str]) {
    let missing: Vec<_> = expected.iter().filter(|expected| !events.contains(**expected)).collect();
    assert!(missing.is_empty(), "no event says {missing:?}");
    let leaking = if shows_the_canary(events) { events } else { "" };
    let leaks: Vec<_> = leaking.lines().filter(|line| shows_the_canary(line)).collect();
    assert!(leaks.is_empty(), "{leaks:#?}");
}

/// What a host says while it serves the whole tree.
static SERVING: LazyLock<String> = LazyLock::new(|| {
    let tree = Tree::new();
    events_of(|| serve(&tree)).1
});

/// Serves the whole tree: activation, every scope, its reads, its children, a refresh, and the report.
fn serve(tree: &Tree) {
    let mut builder = tree.builder();
    for source in crate::secret_scope::sources(&Arc::default()) {
        builder = builder.source(Forwarding(source));
    }
    let host = builder.build().unwrap();
    let scope = host.launch_scope().unwrap();
    drop((scope.secret("MODEL_KEY"), scope.terminal("TERMINAL_TIMEOUT"), scope.backend()));
    assert!(host.activate_eagerly().activated_now());
    for home in tree.homes().iter().skip(1) {
        let name = home.path().file_name().unwrap().to_str().unwrap();
        let Ok(scope) = host.profile_scope(name) else { continue };
        for name in ["MODEL_KEY", "VAULT_KEY", "FAILING_KEY", "PANIC_KEY", "TERMINAL_TIMEOUT", "TERMINAL_CWD"]
        {
            drop((scope.secret(name), scope.terminal(name)));
        }
        drop(scope.child_env(&ChildSpec::new().pass(["MODEL_KEY"]).set("KEY", CANARY).with_terminal()));
        drop(scope.child_env(&ChildSpec::new().set("KEY", format!("{CANARY}\0"))));
        drop(scope.refresh());
        scope.close();
    }
    drop(host.report());
}

#[test]
fn file_04_no_event_about_a_broken_file_holds_a_value() {
    check(&SERVING, &["secrets are refused", "no-assignment", "it is not UTF-8", "it is not valid YAML"]);
}

#[test]
fn term_11_no_event_about_a_setting_holds_a_value() {
    check(&SERVING, &["the terminal policy has problems", "no terminal policy"]);
}

#[test]
fn sec_31_no_event_about_a_source_that_fails_holds_a_value() {
    check(&SERVING, &["a source failed", "source=\"failing\"", "source=\"encoded\"", "source=\"watching\""]);
}

#[test]
fn conf_05_no_event_of_any_crate_holds_a_value() {
    check(&EVERYTHING.1, &["made a runner id", "the launch environment is frozen", "runner-id-cloned"]);
}
