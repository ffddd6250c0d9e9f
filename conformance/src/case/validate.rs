use std::collections::BTreeSet;

use base64::Engine;

use super::{AREAS, CAPABILITIES, Case, Level, Step, canaries};
use crate::layout::{EntryFault, fault_of};
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
    /// A plain implementation would be held to a rule that it need not promise.
    #[error("it is a core case and names {0}, which is a hardened rule")]
    HardenedRule(String),
    /// It needs something that no subject can say it has.
    #[error("there is no capability {0:?}")]
    UnknownCapability(String),
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
    /// A value is no canary (CONF-05).
    #[error("the value of {0} is no canary")]
    NoCanary(String),
    /// An entry of the tree that no platform can lay out.
    #[error("{path}: {fault}")]
    Entry {
        /// Which.
        path: String,
        /// Why.
        fault: EntryFault,
    },
    /// Bytes that are written wrongly.
    #[error("{0}: the bytes are no base64")]
    Base64(String),
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
        if self.level == Level::Core {
            let hardened = rules.iter().filter(|rule| rule.level == Level::Hardened);
            let named = hardened.filter(|rule| self.rules.contains(&rule.id));
            faults.extend(named.map(|rule| Invalid::HardenedRule(rule.id.clone())));
        }
        let unknown = self.requires.iter().filter(|needed| !CAPABILITIES.contains(&needed.as_str()));
        faults.extend(unknown.map(|needed| Invalid::UnknownCapability(needed.clone())));
        self.check_labels(&mut faults);
        let codes = self.expect.values().flat_map(super::Expected::codes);
        let unknown = codes.filter(|code| !rules.knows_code(code));
        faults.extend(unknown.map(|code| Invalid::UnknownCode(code.to_owned())));
        faults.extend(self.steps().filter_map(ambiguous));
        self.check_world(&mut faults);
        faults.extend(canaries::lacking(self).into_iter().map(Invalid::NoCanary));
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

    /// What is to be laid out can be, and bytes are bytes.
    fn check_world(&self, faults: &mut Vec<Invalid>) {
        for entry in &self.given.tree {
            if let Some(fault) = fault_of(entry) {
                faults.push(Invalid::Entry { path: entry.path.clone(), fault });
            }
        }
        let is_base64 = |text: &str| base64::engine::general_purpose::STANDARD.decode(text).is_ok();
        let variables = self.given.env_bytes.iter().filter(|bytes| !is_base64(&bytes.base64));
        faults.extend(variables.map(|bytes| Invalid::Base64(bytes.name.clone())));
        for step in self.steps() {
            if let Step::ParseDotenv { label, base64: Some(base64), .. }
            | Step::DotenvReports { label, base64: Some(base64), .. } = step
                && !is_base64(base64)
            {
                faults.push(Invalid::Base64(label.clone()));
            }
        }
    }
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
