use std::ffi::OsStr;

use crate::{CaseRule, Name};

/// Exact names plus prefixes (SNAP-20).
///
/// Membership is the one test that global names, pass-through lists and strip lists share.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameSet {
    exact: Vec<Name>,
    prefixes: Vec<Name>,
}

/// The longest list of exact names that is looked through and not searched.
const LOOKED_THROUGH: usize = 8;

impl NameSet {
    /// The set that holds nothing.
    pub const fn new() -> Self {
        Self { exact: Vec::new(), prefixes: Vec::new() }
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
        self
    }

    /// Adds a prefix: every name that begins with it is a member. An empty prefix adds nothing.
    pub fn with_prefix(mut self, prefix: impl Into<Name>) -> Self {
        let prefix = prefix.into();
        if !prefix.as_os_str().is_empty() && !self.prefixes.contains(&prefix) {
            self.prefixes.push(prefix);
            self.prefixes.sort_unstable();
        }
        self
    }

    /// Whether `name` is a member, by exact name or by prefix.
    #[inline]
    pub fn contains(&self, name: &OsStr, case: CaseRule) -> bool {
        self.contains_exactly(name, case)
            || self.prefixes.iter().any(|prefix| case.has_prefix(name, prefix.as_os_str()))
    }

    /// Whether `name` is a member by its exact name.
    #[inline]
    pub fn contains_exactly(&self, name: &OsStr, case: CaseRule) -> bool {
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
