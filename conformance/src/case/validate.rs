use std::collections::BTreeSet;
use std::ffi::OsStr;

use watertight_vocabulary::{Classes, NameClass};

use super::{AREAS, Case, Step};
use crate::rules::Rules;

/// Why a case that reads well is no good case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// The id is not the folder's path.
    #[error("its id is {id:?} and its folder says {folder:?}")]
    Id {
        /// What it calls itself.
        id: String,
        /// Where it lies.
        folder: String,
    },
    /// The area is none of the specification's.
    #[error("{0:?} is no area")]
    Area(String),
    /// It is not about one thing.
    #[error("`about` is not one sentence with a full stop")]
    About,
    /// It names no rule.
    #[error("it names no rule")]
    NoRule,
    /// It names a rule that there is not (CONF-06).
    #[error("there is no rule {0:?}")]
    UnknownRule(String),
    /// Two steps share a label.
    #[error("two steps have the label {0:?}")]
    DoubledLabel(String),
    /// A step's outcome is not expected.
    #[error("no outcome is expected for the label {0:?}")]
    Unexpected(String),
    /// An expectation belongs to no step.
    #[error("no step has the label {0:?}")]
    NoSuchLabel(String),
    /// It expects nothing at all.
    #[error("it expects nothing")]
    ExpectsNothing,
    /// An expected code is none of the suite's.
    #[error("{0:?} is none of the suite's codes")]
    UnknownCode(String),
    /// A step says twice, or not at all, what it is to act on.
    #[error("a `{0}` step must say exactly one of {1}")]
    OneOf(&'static str, &'static str),
    /// A secret's value is no canary (CONF-05).
    #[error("the value of {0} is no canary")]
    NoCanary(String),
    /// The id or a label would itself look like a leak.
    #[error("an id or label must not hold the word that marks values")]
    CanaryInName,
}

impl Case {
    /// Every fault of the case.
    pub(crate) fn faults(&self, folder: &str, rules: &Rules) -> Vec<Invalid> {
        let mut faults = Vec::new();
        if self.id != folder {
            faults.push(Invalid::Id { id: self.id.clone(), folder: folder.to_owned() });
        }
        if !AREAS.contains(&self.area()) {
            faults.push(Invalid::Area(self.area().to_owned()));
        }
        let sentence = self.about.trim_end();
        if !sentence.ends_with('.') || sentence.contains('\n') || sentence.contains(". ") {
            faults.push(Invalid::About);
        }
        if self.rules.is_empty() {
            faults.push(Invalid::NoRule);
        }
        let unknown = self.rules.iter().filter(|rule| !rules.contains(rule));
        faults.extend(unknown.map(|rule| Invalid::UnknownRule(rule.clone())));
        self.check_labels(&mut faults);
        let codes = self.expect.values().flat_map(super::Expected::codes);
        let unknown = codes.filter(|code| !rules.knows_code(code));
        faults.extend(unknown.map(|code| Invalid::UnknownCode(code.to_owned())));
        faults.extend(self.steps().filter_map(ambiguous));
        self.check_canaries(&mut faults);
        faults
    }

    fn check_labels(&self, faults: &mut Vec<Invalid>) {
        let mut seen = BTreeSet::new();
        for label in self.labels() {
            if !seen.insert(label) {
                faults.push(Invalid::DoubledLabel(label.to_owned()));
            }
            if !self.expect.contains_key(label) {
                faults.push(Invalid::Unexpected(label.to_owned()));
            }
        }
        if self.expect.is_empty() {
            faults.push(Invalid::ExpectsNothing);
        }
        let homeless = self.expect.keys().filter(|label| !seen.contains(label.as_str()));
        faults.extend(homeless.map(|label| Invalid::NoSuchLabel(label.clone())));
        if self.id.contains("canary-") || self.expect.keys().any(|label| label.contains("canary-")) {
            faults.push(Invalid::CanaryInName);
        }
    }

    /// The value of a secret is a canary, so that the check of CONF-05 would see it.
    fn check_canaries(&self, faults: &mut Vec<Invalid>) {
        let classes = Classes::hermes();
        let secrets = self.given.env.iter().filter(|(name, value)| {
            classes.class_of(OsStr::new(name)) == NameClass::Secret
                && !name.starts_with("OMNIGENT")
                && !is_base_name(name)
                && !value.is_empty()
                && !value.contains("canary-")
        });
        faults.extend(secrets.map(|(name, _)| Invalid::NoCanary(name.clone())));
    }
}

/// Names that are no global names of the classes and hold nothing that anybody would hide.
fn is_base_name(name: &str) -> bool {
    matches!(name, "HERMES_MANAGED_DIR" | "LOGNAME" | "TERM" | "LANGUAGE") || name.starts_with("LC_")
}

fn ambiguous(step: &Step) -> Option<Invalid> {
    let count = |flags: &[bool]| flags.iter().filter(|flag| **flag).count() == 1;
    match step {
        Step::Scope { profile, launch, handle, .. }
            if !count(&[profile.is_some(), *launch, handle.is_some()]) =>
        {
            Some(Invalid::OneOf("scope", "profile, launch, handle"))
        }
        Step::Bind { profile, launch, .. } if !count(&[profile.is_some(), *launch]) => {
            Some(Invalid::OneOf("bind", "profile, launch"))
        }
        Step::ParseDotenv { text, base64, .. } | Step::DotenvReports { text, base64, .. }
            if !count(&[text.is_some(), base64.is_some()]) =>
        {
            Some(Invalid::OneOf("parse_dotenv", "text, base64"))
        }
        _ => None,
    }
}
