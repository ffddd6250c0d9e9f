//! What each broken subject fails, and what it leaves alone.

use watertight_conformance::subject::Flaw;

/// The cases that a flaw must fail, and the labels that differ in each: these and no others. There may be more
/// such cases. A flaw that leaks differs in no label.
pub(super) type Named = &'static [(&'static str, &'static [&'static str])];

const NAMED: &[(Flaw, Named)] = &[
    (
        Flaw::FailOpen,
        &[
            ("secret-scope/unscoped-with-many", &["key", "missing"]),
            ("secret-scope/default-does-not-mend-a-refusal", &["refused"]),
            ("secret-scope/refusal-scope", &["key", "other"]),
            ("secret-scope/closed-scope", &["hit", "inside", "miss"]),
            ("secret-scope/control-plane", &["many", "one", "scoped"]),
            ("secret-scope/without-a-host", &["default", "inside", "key"]),
            ("launch-policy/counting-failed", &["key"]),
            ("context/detached", &["inside"]),
        ],
    ),
    (
        Flaw::StickyScope,
        &[
            ("context/five-jobs-on-one-worker", &["five", "two"]),
            ("context/nesting-restores", &["none2"]),
            ("context/panic-restores", &["none"]),
        ],
    ),
    (
        Flaw::LeakyDebug,
        &[
            ("secret-scope/hit", &[]),
            ("secret-scope/unscoped-with-one", &[]),
            ("launch-policy/lazy-activation", &[]),
        ],
    ),
    (
        Flaw::InheritOnSpawn,
        &[
            ("context/thread-inherits-nothing", &["bare", "home"]),
            ("context/task-inherits-nothing", &["bare", "home"]),
            ("context/blocking-inherits-nothing", &["bare", "home"]),
            ("context/lanes-nest", &["bare"]),
        ],
    ),
    (
        Flaw::LiveEnvAfterActivation,
        &[
            ("secret-scope/launch-environment-is-frozen", &["key"]),
            ("secret-scope/activation-keeps-scoped-reads", &["after"]),
            ("env-snapshot/snapshot-never-changes", &["key", "new"]),
            ("env-snapshot/globals-are-frozen", &["tz"]),
        ],
    ),
    (Flaw::RacyId, &[("runner-identity/racers-agree", &["ids"])]),
    (
        Flaw::EmptyEnvCounts,
        &[
            ("launch-policy/crashed-creation", &["decision", "key"]),
            ("profile-tree/tenants-empty-env", &["tenants"]),
        ],
    ),
    (
        Flaw::InterpolatingDotenv,
        &[
            ("profile-files/references-are-data", &["entries"]),
            ("secret-scope/references-do-not-reach-the-environment", &["stolen"]),
        ],
    ),
    (
        Flaw::YamlErrorMeansDefaults,
        &[
            ("terminal-scope/bound-refusal", &["allowed", "backend", "default", "read"]),
            ("terminal-scope/duplicate-section", &["read"]),
            ("terminal-scope/broken-config-of-a-single-profile", &["allowed", "backend"]),
            ("secret-scope/broken-yaml-does-not-touch-secrets", &["backend"]),
        ],
    ),
    (
        Flaw::ChildInherits,
        &[
            ("env-snapshot/child-base-list", &["child"]),
            ("env-snapshot/child-lists-what-was-dropped", &["child", "dropped"]),
            ("env-snapshot/child-of-a-secondary", &["child"]),
            ("env-snapshot/child-control-plane", &["child"]),
            ("env-snapshot/child-runner-identity", &["child"]),
            ("env-snapshot/child-without-scope-and-many", &["child"]),
        ],
    ),
    (
        Flaw::AmbientTerminal,
        &[
            ("terminal-scope/secondary-sees-no-launch-environment", &["default", "image", "knob"]),
            ("terminal-scope/unbound-with-many", &["read"]),
            ("terminal-scope/bound-refusal", &["read"]),
            ("terminal-scope/bound-policy-answers-alone", &["absent", "default", "own"]),
        ],
    ),
    (
        Flaw::GuessedBackend,
        &[
            ("terminal-scope/backend-unknown", &["allowed", "backend"]),
            ("terminal-scope/backend-empty", &["allowed", "backend"]),
            ("terminal-scope/unbound-with-many", &["allowed", "backend"]),
            ("terminal-scope/broken-config-of-a-single-profile", &["allowed", "backend"]),
        ],
    ),
    (
        Flaw::LaunchFallback,
        &[
            ("launch-policy/no-fallback-to-the-launch-profile", &["handle", "scope"]),
            ("launch-policy/deleted-while-bound", &["next"]),
            ("launch-policy/misspelt-name-activates-nothing", &["scope"]),
            ("context/failed-entry-leaves-the-caller", &["failed"]),
        ],
    ),
    (
        Flaw::EveryFolderCounts,
        &[
            ("profile-tree/parked-is-not-served", &["profiles"]),
            ("profile-tree/files-among-the-profiles", &["profiles"]),
        ],
    ),
    (
        Flaw::HomeIsItsRoot,
        &[
            ("profile-tree/root-above-a-profiles-folder", &["root"]),
            ("profile-tree/root-through-a-link", &["root"]),
            ("profile-tree/home-from-the-user-home", &["home"]),
        ],
    ),
    (Flaw::SplitAtEquals, &[("profile-files/quoted", &["entries"]), ("profile-files/export", &["entries"])]),
    (
        Flaw::TrustedIdentity,
        &[
            ("runner-identity/strip", &["stripped"]),
            ("runner-identity/tunnel", &["tunnel"]),
            ("runner-identity/load-makes-nothing", &["first", "second"]),
            ("runner-identity/variable-with-slash", &["id"]),
        ],
    ),
    (
        Flaw::AbsentUnlessAFile,
        &[
            ("profile-files/dangling-link-in-the-place-of-env", &["read"]),
            ("profile-files/link-to-the-process-environment", &["read"]),
        ],
    ),
    (Flaw::LineContinuation, &[("profile-files/no-line-continuation", &["entries"])]),
    (
        Flaw::UnquotedWriter,
        &[("profile-files/writer-spaces", &["written"]), ("profile-files/writer-apostrophe", &["written"])],
    ),
    (Flaw::ScalarsOfYaml11, &[("profile-files/yaml-words-stay-text", &["section"])]),
    (
        Flaw::ConfigIsRequired,
        &[
            ("profile-files/yaml-missing-section", &["section"]),
            ("profile-files/yaml-null-section", &["section"]),
            ("terminal-scope/absent-files", &["allowed", "backend"]),
        ],
    ),
    (
        Flaw::ReservedMeansForbidden,
        &[
            ("profile-tree/request-for-a-reserved-name", &["name1"]),
            ("profile-tree/reserved-names-are-listed", &["profiles"]),
        ],
    ),
    (
        Flaw::MissFallsThrough,
        &[
            ("secret-scope/miss-in-a-foreign-scope", &["key"]),
            ("secret-scope/miss-with-many-profiles", &["key"]),
        ],
    ),
    (
        Flaw::FollowsTheDisk,
        &[("terminal-scope/policy-is-frozen", &["after"]), ("secret-scope/scope-is-immutable", &["after"])],
    ),
    (
        Flaw::TerminalNeedsAScope,
        &[("terminal-scope/unbound-with-one", &["absent", "default", "env", "live"])],
    ),
    (
        Flaw::KeysAsVariables,
        &[
            ("terminal-scope/null-leaves-the-lower-layer", &["read"]),
            ("terminal-scope/mapping-of-keys", &["read"]),
        ],
    ),
    (Flaw::CurrentDirectory, &[("terminal-scope/placeholder-dot", &["read"])]),
    (Flaw::PinnedByValue, &[("terminal-scope/pinned-yaml-null", &["read"])]),
    (
        Flaw::CoercedBackend,
        &[("terminal-scope/backend-word-no", &["read"]), ("terminal-scope/backend-quoted-off", &["read"])],
    ),
    (Flaw::FirstAssignmentWins, &[("profile-files/last-assignment-wins", &["entries"])]),
    (Flaw::FirstLayerIsNamed, &[("terminal-scope/provenance", &["backend", "timeout", "host"])]),
    (
        Flaw::ProblemsQuoteValues,
        &[
            ("terminal-scope/problem-quotes-no-value", &[]),
            ("profile-files/line-without-equals-is-reported", &[]),
            ("profile-files/keys-that-are-none-is-reported", &[]),
        ],
    ),
    (
        Flaw::DerivedDebug,
        &[
            ("context/debug-text-shows-no-value", &[]),
            ("env-snapshot/debug-text-shows-no-value", &[]),
            ("runner-identity/wiring-whole", &[]),
        ],
    ),
    (Flaw::BoundAtFirstPoll, &[("context/task-keeps-its-scope-from-poll-to-poll", &["second", "third"])]),
    (
        Flaw::FrozenAtBoot,
        &[
            ("launch-policy/single-profile-host-follows-the-environment", &["key", "scoped"]),
            ("secret-scope/launch-environment-is-live-before", &["key"]),
            ("env-snapshot/boot-is-seen", &["before"]),
        ],
    ),
    (Flaw::LaunchAlwaysBound, &[("launch-policy/if-many-before-activation", &["key"])]),
    (Flaw::HomeIsTheLaunchHome, &[("launch-policy/home-without-scope", &["after", "inside"])]),
    (Flaw::SourceAskedOnce, &[("secret-scope/source-of-another-home", &["writer"])]),
    (
        Flaw::OneHostForAll,
        &[
            ("secret-scope/other-hosts-state-is-its-own", &["there"]),
            ("secret-scope/frame-of-another-host", &["key", "miss"]),
            ("terminal-scope/terminal-of-another-host", &["backend", "read"]),
        ],
    ),
    (Flaw::OpenToOthers, &[("runner-identity/regenerate", &[]), ("runner-identity/racers-agree", &[])]),
    (
        Flaw::TrustedActiveFile,
        &[
            ("profile-tree/active-profile-gone", &["active"]),
            ("profile-tree/active-profile-invalid", &["active"]),
            ("profile-tree/active-profile-not-utf-8", &["active"]),
            ("profile-tree/active-profile-blank", &["active"]),
        ],
    ),
    (
        Flaw::FailedCountMeansOne,
        &[
            ("launch-policy/counting-failed", &["decision", "key"]),
            ("launch-policy/unmounted-profiles", &["decision", "key"]),
        ],
    ),
    (
        Flaw::SwitchDecides,
        &[
            ("launch-policy/multiplex-switch-is-not-consulted", &["decision", "key"]),
            ("launch-policy/multiplex-switch-turns-nothing-on", &["decision", "key"]),
        ],
    ),
];

pub(super) fn named(flaw: Flaw) -> Named {
    let found = NAMED.iter().find(|(named, _)| *named == flaw);
    found.unwrap_or_else(|| panic!("{} has no cases that are named for it", flaw.name())).1
}

/// The flaws that show in what is written and in no outcome.
pub(super) const LEAKS: [Flaw; 3] = [Flaw::LeakyDebug, Flaw::ProblemsQuoteValues, Flaw::DerivedDebug];

/// The rules about what is shown: a flaw that leaks breaks these and no other, however many cases it fails.
pub(super) const SHOWN: [&str; 6] = ["CTX-10", "FILE-04", "RUN-11", "SEC-31", "SNAP-07", "TERM-11"];

/// The areas that a flaw fails cases of. Every case of the other ones still passes: it fails what it is named for,
/// and is not just broken.
pub(super) fn reach(flaw: Flaw) -> &'static [&'static str] {
    match flaw {
        Flaw::FailOpen => &["context", "launch-policy", "profile-files", "secret-scope"],
        Flaw::StickyScope | Flaw::LaunchFallback | Flaw::HomeIsTheLaunchHome => &["context", "launch-policy"],
        Flaw::LeakyDebug => &["context", "env-snapshot", "launch-policy", "profile-files", "secret-scope"],
        Flaw::DerivedDebug => {
            &["context", "env-snapshot", "launch-policy", "profile-files", "runner-identity", "secret-scope"]
        }
        Flaw::LaunchAlwaysBound | Flaw::FailedCountMeansOne | Flaw::SwitchDecides => &["launch-policy"],
        Flaw::SourceAskedOnce => &["secret-scope"],
        Flaw::InheritOnSpawn | Flaw::BoundAtFirstPoll => &["context"],
        Flaw::LiveEnvAfterActivation => &["env-snapshot", "secret-scope"],
        Flaw::RacyId | Flaw::TrustedIdentity | Flaw::OpenToOthers => &["runner-identity"],
        Flaw::EmptyEnvCounts | Flaw::HomeIsItsRoot => &["launch-policy", "profile-tree"],
        Flaw::EveryFolderCounts | Flaw::ReservedMeansForbidden | Flaw::TrustedActiveFile => &["profile-tree"],
        Flaw::InterpolatingDotenv => &["profile-files", "secret-scope"],
        Flaw::YamlErrorMeansDefaults => &["profile-files", "secret-scope", "terminal-scope"],
        Flaw::ChildInherits => &["env-snapshot"],
        Flaw::AbsentUnlessAFile => &["env-snapshot", "profile-files", "secret-scope", "terminal-scope"],
        Flaw::SplitAtEquals
        | Flaw::LineContinuation
        | Flaw::FirstAssignmentWins
        | Flaw::UnquotedWriter
        | Flaw::ScalarsOfYaml11 => &["profile-files"],
        Flaw::ConfigIsRequired => {
            &["env-snapshot", "launch-policy", "profile-files", "secret-scope", "terminal-scope"]
        }
        Flaw::MissFallsThrough | Flaw::FrozenAtBoot => &["env-snapshot", "launch-policy", "secret-scope"],
        Flaw::FollowsTheDisk | Flaw::FirstLayerIsNamed | Flaw::OneHostForAll => {
            &["secret-scope", "terminal-scope"]
        }
        Flaw::KeysAsVariables => &["context", "launch-policy", "terminal-scope"],
        Flaw::ProblemsQuoteValues => &["profile-files", "terminal-scope"],
        Flaw::AmbientTerminal
        | Flaw::GuessedBackend
        | Flaw::TerminalNeedsAScope
        | Flaw::CurrentDirectory
        | Flaw::PinnedByValue
        | Flaw::CoercedBackend => &["terminal-scope"],
        other => panic!("{} has no areas that are named for it", other.name()),
    }
}
