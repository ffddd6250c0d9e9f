//! The one table that says what a read of a secret is answered with (SEC-01 to SEC-17).
//!
//! [`decide`] is pure: a [`Question`] in, a [`Decision`] out. Every public way to read asks it, and a test
//! compares it with a table of its own over every question there is.

use watertight_vocabulary::NameClass;

/// All that the answer to a read depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a further input would change every row of the table")]
pub struct Question {
    /// Whether a variable can have this name at all.
    pub possible: bool,
    /// The name's class.
    pub class: NameClass,
    /// What hosts the read.
    pub hosting: HostedBy,
    /// What is bound in the innermost frame, or held by the handle.
    pub bound: Binding,
    /// Whose home is bound.
    pub home: BoundHome,
    /// Whether that frame or handle may be read through.
    pub standing: Standing,
    /// Whether the bound scope holds the name.
    pub held: Held,
}

/// What hosts the read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a column of the table")]
pub enum HostedBy {
    /// No host was set up in this process (SEC-11).
    Nobody,
    /// No host is needed: the read goes through the handle of a scope that was built without one.
    HandleAlone,
    /// A host with one profile.
    OneProfile,
    /// A host with many profiles.
    ManyProfiles,
}

/// What is bound for secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a column of the table")]
pub enum Binding {
    /// No scope.
    Nothing,
    /// A scope.
    Scope,
    /// A refusal in a scope's place (SEC-30).
    Refusal,
}

/// Whose home is bound, with or without a scope; a masked frame of a foreign home counts (CTX-07).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a column of the table")]
pub enum BoundHome {
    /// None.
    Nothing,
    /// The launch home.
    Own,
    /// Another one.
    Foreign,
}

/// Whether the frame or handle may be read through (SEC-17).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a column of the table")]
pub enum Standing {
    /// It may.
    Open,
    /// It was closed (CTX-09).
    Closed,
    /// It belongs to another host of this process (HOST-32).
    OtherHost,
}

/// Whether the bound scope holds the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a column of the table")]
pub enum Held {
    /// It does, the empty value included.
    Yes,
    /// It does not.
    No,
    /// A source failed that may hold it: absence cannot be known (SEC-24).
    Unknowable,
}

/// The answer, and the row that gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "it is an answer and its reason, nothing else")]
pub struct Decision {
    /// The answer.
    pub answer: Answer,
    /// The rule that gave it.
    pub rule: &'static str,
}

/// What a read is answered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "value, absent and refused are all there is (SEC-12)")]
pub enum Answer {
    /// The scope's value.
    Scope,
    /// What "env" holds, else absent.
    Environment,
    /// Absent; no environment is asked.
    Absent,
    /// Refused.
    Refused(Denial),
}

/// Why a read is refused. The reader adds the reason of a refusal scope or a failed source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a column of the table")]
pub enum Denial {
    /// SEC-11.
    NoHost,
    /// SEC-16.
    ControlPlane,
    /// SEC-10.
    NotASecret,
    /// SEC-17.
    Closed,
    /// SEC-17.
    OtherHost,
    /// SEC-09, SEC-24.
    Unavailable,
    /// SEC-06, SEC-08.
    Unscoped,
}

/// Answers a question by the first row that matches, in the order that the specification gives them.
///
/// # Fail-closed behaviour
///
/// The environment answers in four rows only: a global name (SEC-01), a terminal name where one profile is
/// hosted and nothing is bound (SEC-10), a miss in the launch profile's own scope while one profile is
/// hosted (SEC-05), and a name read without a scope there (SEC-07). Everything that is not one of them ends
/// in the scope's value, absence or a refusal.
///
/// Where the table is silent, the stricter reading holds: without a host no environment answers, not even
/// for a global name; a terminal name under a foreign home, or in a closed frame, is refused.
#[inline]
pub const fn decide(question: Question) -> Decision {
    match question {
        Question { possible: false, .. } => Decision::of("SEC", Answer::Absent),
        Question { class: NameClass::Secret, .. } => secret(question),
        Question { class: NameClass::ControlPlane, .. } => refused("SEC-16", Denial::ControlPlane),
        Question { class: NameClass::Global, .. } => global(question.hosting),
        Question { class: NameClass::Terminal, .. } => terminal(question),
    }
}

#[inline]
const fn secret(question: Question) -> Decision {
    if matches!(question.hosting, HostedBy::Nobody) {
        return refused("SEC-11", Denial::NoHost);
    }
    match question.standing {
        Standing::Closed => return refused("SEC-17", Denial::Closed),
        Standing::OtherHost => return refused("SEC-17", Denial::OtherHost),
        Standing::Open => {}
    }
    match question.bound {
        Binding::Refusal => refused("SEC-09", Denial::Unavailable),
        Binding::Scope => in_scope(question),
        Binding::Nothing => unscoped(question),
    }
}

/// A secret, with a scope bound: SEC-02, SEC-24, SEC-03, SEC-04, SEC-05.
#[inline]
const fn in_scope(question: Question) -> Decision {
    match (question.held, question.hosting, question.home) {
        (Held::Yes, ..) => Decision::of("SEC-02", Answer::Scope),
        (Held::Unknowable, ..) => refused("SEC-24", Denial::Unavailable),
        (Held::No, HostedBy::Nobody | HostedBy::HandleAlone, _) => Decision::of("SEC-11", Answer::Absent),
        (Held::No, HostedBy::ManyProfiles, _) => Decision::of("SEC-03", Answer::Absent),
        (Held::No, HostedBy::OneProfile, BoundHome::Own) => Decision::of("SEC-05", Answer::Environment),
        (Held::No, HostedBy::OneProfile, BoundHome::Foreign | BoundHome::Nothing) => {
            Decision::of("SEC-04", Answer::Absent)
        }
    }
}

/// A secret, with no scope bound: SEC-11, SEC-06, SEC-08, SEC-07.
#[inline]
const fn unscoped(question: Question) -> Decision {
    match (question.hosting, question.home) {
        (HostedBy::Nobody | HostedBy::HandleAlone, _) => refused("SEC-11", Denial::NoHost),
        (HostedBy::ManyProfiles, _) => refused("SEC-06", Denial::Unscoped),
        (HostedBy::OneProfile, BoundHome::Foreign) => refused("SEC-08", Denial::Unscoped),
        (HostedBy::OneProfile, BoundHome::Own | BoundHome::Nothing) => {
            Decision::of("SEC-07", Answer::Environment)
        }
    }
}

#[inline]
const fn global(hosting: HostedBy) -> Decision {
    match hosting {
        HostedBy::OneProfile | HostedBy::ManyProfiles => Decision::of("SEC-01", Answer::Environment),
        HostedBy::HandleAlone => Decision::of("SEC-11", Answer::Absent),
        HostedBy::Nobody => refused("SEC-11", Denial::NoHost),
    }
}

#[inline]
const fn terminal(question: Question) -> Decision {
    match question {
        Question { bound: Binding::Scope | Binding::Refusal, .. }
        | Question { home: BoundHome::Foreign, .. }
        | Question { hosting: HostedBy::ManyProfiles, .. } => refused("SEC-10", Denial::NotASecret),
        Question { standing: Standing::Closed, .. } => refused("SEC-17", Denial::Closed),
        Question { standing: Standing::OtherHost, .. } => refused("SEC-17", Denial::OtherHost),
        Question { hosting: HostedBy::Nobody | HostedBy::HandleAlone, .. } => {
            refused("SEC-11", Denial::NoHost)
        }
        Question { hosting: HostedBy::OneProfile, .. } => Decision::of("SEC-10", Answer::Environment),
    }
}

#[inline]
const fn refused(rule: &'static str, denial: Denial) -> Decision {
    Decision::of(rule, Answer::Refused(denial))
}

impl Decision {
    #[inline]
    const fn of(rule: &'static str, answer: Answer) -> Self {
        Self { answer, rule }
    }
}
