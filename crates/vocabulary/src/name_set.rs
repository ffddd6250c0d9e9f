use std::ffi::OsStr;

use crate::{CaseRule, Name};

/// Exact names plus prefixes (SNAP-20).
///
/// Membership is the one test that global names, pass-through lists and strip lists share.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameSet {
    exact: Vec<Name>,
    prefixes: Vec<Name>,
    /// The lengths that a member may have, a bit for each: most names that are asked for have another.
    lengths: u64,
}

/// The longest list of exact names that is looked through and not searched.
const LOOKED_THROUGH: usize = 8;

impl NameSet {
    /// The set that holds nothing.
    pub const fn new() -> Self {
        Self { exact: Vec::new(), prefixes: Vec::new(), lengths: 0 }
    }

    /// The set with these exact names.
    pub fn of<N: Into<Name>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::new().with_names(names)
    }

    /// Adds exact names.
    pub fn with_names<N: Into<Name>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.exact.extend(names.into_iter().map(Into::into));
        self.exact.sort_unstable();
        self.exact.dedup();
        self.lengths = self.exact.iter().fold(self.lengths, |all, name| all | length_bit(name.as_os_str()));
        self
    }

    /// Adds a prefix: every name that begins with it is a member. An empty prefix adds nothing.
    pub fn with_prefix(mut self, prefix: impl Into<Name>) -> Self {
        let prefix = prefix.into();
        if !prefix.as_os_str().is_empty() && !self.prefixes.contains(&prefix) {
            // This bit and all above it.
            self.lengths |= length_bit(prefix.as_os_str()).wrapping_neg();
            self.prefixes.push(prefix);
            self.prefixes.sort_unstable();
        }
        self
    }

    /// Whether `name` is a member, by exact name or by prefix.
    #[inline]
    pub fn contains(&self, name: &OsStr, case: CaseRule) -> bool {
        self.may_hold(name) && self.holds(name, case)
    }

    #[inline(never)]
    fn holds(&self, name: &OsStr, case: CaseRule) -> bool {
        self.holds_exactly(name, case)
            || self.prefixes.iter().any(|prefix| case.has_prefix(name, prefix.as_os_str()))
    }

    /// Whether `name` is a member by its exact name.
    #[inline]
    pub fn contains_exactly(&self, name: &OsStr, case: CaseRule) -> bool {
        self.may_hold(name) && self.holds_exactly(name, case)
    }

    /// Whether a name of this length can be a member: for most names this is the whole answer.
    #[inline]
    pub(crate) fn may_hold(&self, name: &OsStr) -> bool {
        self.lengths & length_bit(name) != 0
    }

    fn holds_exactly(&self, name: &OsStr, case: CaseRule) -> bool {
        match case {
            // Unequal lengths are seen at a glance, so a short list is faster looked through than searched.
            CaseRule::Sensitive if self.exact.len() <= LOOKED_THROUGH => {
                self.exact.iter().any(|member| member.as_os_str() == name)
            }
            CaseRule::Sensitive => self.exact.binary_search_by(|member| member.as_os_str().cmp(name)).is_ok(),
            CaseRule::AsciiInsensitive => self.exact.iter().any(|member| case.same(member.as_os_str(), name)),
        }
    }

    /// The exact names, in byte order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &Name> {
        self.exact.iter()
    }

    /// The prefixes, in byte order.
    pub fn prefixes(&self) -> impl ExactSizeIterator<Item = &Name> {
        self.prefixes.iter()
    }

    /// Whether the set holds nothing.
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.prefixes.is_empty()
    }
}

/// The bit of a name's length; all that are too long share one. Under no case rule are names of different
/// lengths one name.
#[inline]
fn length_bit(name: &OsStr) -> u64 {
    1 << name.len().min(63)
}
