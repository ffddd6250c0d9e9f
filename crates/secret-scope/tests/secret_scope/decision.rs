//! The decision table, held against a literal one that shares nothing with it.

use std::collections::BTreeSet;

use watertight_secret_scope::decision::{
    Answer, Binding, BoundHome, Decision, Denial, Held, HostedBy, Question, Standing, decide,
};
use watertight_vocabulary::NameClass;

/// The specification's table, row by row in its order; the first row that matches answers. `*` is anything.
/// The rows without a counterpart there (a host-less handle, a foreign home under a terminal name, a closed
/// frame without a scope) take the stricter side.
const TABLE: &str = "
    rule   possible class    hosting  bound  home     standing held       answer
    SEC    no       *        *        *      *        *        *          absent
    SEC-11 *        secret   nobody   *      *        *        *          no-host
    SEC-16 *        control  *        *      *        *        *          control-plane
    SEC-01 *        global   one,many *      *        *        *          env
    SEC-11 *        global   handle   *      *        *        *          absent
    SEC-11 *        global   nobody   *      *        *        *          no-host
    SEC-10 *        terminal many     *      *        *        *          not-a-secret
    SEC-10 *        terminal *        scope,refusal * *        *          not-a-secret
    SEC-10 *        terminal *        *      foreign  *        *          not-a-secret
    SEC-10 *        terminal one      *      *        open     *          env
    SEC-17 *        *        *        *      *        closed   *          closed
    SEC-17 *        *        *        *      *        other    *          other-host
    SEC-11 *        terminal nobody,handle * *        *        *          no-host
    SEC-09 *        secret   *        refusal *       *        *          unavailable
    SEC-02 *        secret   *        scope  *        *        yes        scope
    SEC-24 *        secret   *        scope  *        *        unknowable unavailable
    SEC-11 *        secret   handle   scope  *        *        no         absent
    SEC-03 *        secret   many     scope  *        *        no         absent
    SEC-04 *        secret   one      scope  foreign,none *    no         absent
    SEC-05 *        secret   one      scope  own      *        no         env
    SEC-11 *        secret   handle   nothing *       *        *          no-host
    SEC-06 *        secret   many     nothing *       *        *          unscoped
    SEC-08 *        secret   one      nothing foreign *        *          unscoped
    SEC-07 *        secret   one      nothing own,none *       *          env
";

const POSSIBLE: [(&str, bool); 2] = [("yes", true), ("no", false)];
const CLASSES: [(&str, NameClass); 4] = [
    ("global", NameClass::Global),
    ("control", NameClass::ControlPlane),
    ("terminal", NameClass::Terminal),
    ("secret", NameClass::Secret),
];
const HOSTINGS: [(&str, HostedBy); 4] = [
    ("nobody", HostedBy::Nobody),
    ("handle", HostedBy::HandleAlone),
    ("one", HostedBy::OneProfile),
    ("many", HostedBy::ManyProfiles),
];
const BINDINGS: [(&str, Binding); 3] =
    [("nothing", Binding::Nothing), ("scope", Binding::Scope), ("refusal", Binding::Refusal)];
const HOMES: [(&str, BoundHome); 3] =
    [("none", BoundHome::Nothing), ("own", BoundHome::Own), ("foreign", BoundHome::Foreign)];
const STANDINGS: [(&str, Standing); 3] =
    [("open", Standing::Open), ("closed", Standing::Closed), ("other", Standing::OtherHost)];
const HELD: [(&str, Held); 3] = [("yes", Held::Yes), ("no", Held::No), ("unknowable", Held::Unknowable)];

fn spelled(answer: Answer) -> &'static str {
    match answer {
        Answer::Scope => "scope",
        Answer::Environment => "env",
        Answer::Absent => "absent",
        Answer::Refused(Denial::NoHost) => "no-host",
        Answer::Refused(Denial::ControlPlane) => "control-plane",
        Answer::Refused(Denial::NotASecret) => "not-a-secret",
        Answer::Refused(Denial::Closed) => "closed",
        Answer::Refused(Denial::OtherHost) => "other-host",
        Answer::Refused(Denial::Unavailable) => "unavailable",
        Answer::Refused(Denial::Unscoped) => "unscoped",
    }
}

/// Every question there is, with its inputs spelled as in the table.
fn questions() -> Vec<([&'static str; 7], Question)> {
    let mut all = Vec::new();
    for (possible, is_possible) in POSSIBLE {
        for (class, name_class) in CLASSES {
            for (hosting, hosted_by) in HOSTINGS {
                for (bound, binding) in BINDINGS {
                    for (home, bound_home) in HOMES {
                        for (standing, stands) in STANDINGS {
                            for (held, is_held) in HELD {
                                all.push((
                                    [possible, class, hosting, bound, home, standing, held],
                                    Question {
                                        possible: is_possible,
                                        class: name_class,
                                        hosting: hosted_by,
                                        bound: binding,
                                        home: bound_home,
                                        standing: stands,
                                        held: is_held,
                                    },
                                ));
                            }
                        }
                    }
                }
            }
        }
    }
    all
}

fn rows() -> Vec<Vec<&'static str>> {
    TABLE.trim().lines().skip(1).map(|line| line.split_whitespace().collect()).collect()
}

fn row_for(rows: &[Vec<&'static str>], inputs: &[&str; 7]) -> usize {
    let matches = |row: &Vec<&str>| {
        inputs
            .iter()
            .zip(&row[1..8])
            .all(|(input, cell)| *cell == "*" || cell.split(',').any(|alternative| alternative == *input))
    };
    rows.iter().position(matches).unwrap_or_else(|| panic!("no row for {inputs:?}"))
}

#[test]
fn the_table_answers_every_question_as_the_literal_one_does() {
    let (rows, all) = (rows(), questions());
    assert_eq!(all.len(), 2 * 4 * 4 * 3 * 3 * 3 * 3, "every question is asked");
    let mut used = BTreeSet::new();
    for (inputs, question) in all {
        let row = row_for(&rows, &inputs);
        used.insert(row);
        let Decision { answer, rule } = decide(question);
        assert_eq!((rule, spelled(answer)), (rows[row][0], rows[row][8]), "{inputs:?}");
    }
    let dead: Vec<_> = (0..rows.len()).filter(|row| !used.contains(row)).map(|row| &rows[row]).collect();
    assert!(dead.is_empty(), "rows that no question reaches: {dead:?}");
}

/// The questions that hold for a predicate over their spelled inputs, with their decisions.
fn decisions(holds: impl Fn(&[&str; 7]) -> bool) -> Vec<([&'static str; 7], Decision)> {
    questions()
        .into_iter()
        .filter(|(inputs, _)| inputs[0] == "yes" && holds(inputs))
        .map(|(inputs, question)| (inputs, decide(question)))
        .collect()
}

#[test]
fn sec_03_and_sec_06_no_secret_is_answered_from_the_environment_when_many_profiles_are_hosted() {
    for (inputs, decision) in decisions(|i| i[1] == "secret" && i[2] == "many") {
        assert_ne!(decision.answer, Answer::Environment, "{inputs:?}");
    }
}

/// What a read leaves out where many profiles are hosted, since it changes no answer.
#[test]
fn sec_03_and_sec_06_no_secret_is_answered_by_whose_home_is_bound_when_many_profiles_are_hosted() {
    let of_home = |home: &str| decisions(|i| i[1] == "secret" && i[2] == "many" && i[4] == home);
    let bare = |home: &str| of_home(home).into_iter().map(|(_, decision)| decision).collect::<Vec<_>>();
    assert_eq!(bare("own"), bare("none"));
    assert_eq!(bare("foreign"), bare("none"));
    for (inputs, question) in questions() {
        let impossible = decide(Question { possible: false, ..question });
        assert_eq!(impossible.answer, Answer::Absent, "{inputs:?}: absent whatever the rest is");
    }
}

#[test]
fn sec_04_and_sec_08_no_secret_is_answered_from_the_environment_under_a_foreign_home() {
    for (inputs, decision) in decisions(|i| i[1] == "secret" && i[4] == "foreign") {
        assert_ne!(decision.answer, Answer::Environment, "{inputs:?}");
    }
}

#[test]
fn sec_16_no_question_about_the_control_plane_is_answered_otherwise_than_by_refusing() {
    for (inputs, decision) in decisions(|i| i[1] == "control") {
        assert_eq!(decision.answer, Answer::Refused(Denial::ControlPlane), "{inputs:?}");
    }
}

#[test]
fn sec_12_whoever_may_not_be_told_is_never_told_that_a_secret_is_absent() {
    let hidden = |i: &[&str; 7]| {
        i[1] == "secret" && (i[2] == "nobody" || i[3] != "scope" && i[2] == "many" || i[5] != "open")
    };
    for (inputs, decision) in decisions(hidden) {
        assert!(matches!(decision.answer, Answer::Refused(_)), "{inputs:?}: {decision:?}");
    }
}
