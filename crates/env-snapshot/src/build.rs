use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use watertight_vocabulary::{
    CaseRule, ControlPlane, EnvSource, Name, Platform, Refused, RefusedReason, Secret,
};

use crate::child_env::Variable;
use crate::lists::{WORKING_DIRECTORY_VARIABLE, base_list, is_terminal, loader_hooks};
use crate::runner::is_runner_identity;
use crate::{ChildEnv, ChildEnvError, ChildSpec, DropReason, Dropped, EnvSnapshot, limits};

/// What a child environment is built out of: everything that is bound, as the host knows it.
///
/// No part has a default, so none is forgotten: a [`ChildEnv`] cannot be built without a control plane
/// (SNAP-22), nor without saying whether reading is refused (SNAP-27).
pub struct ChildParts<'a> {
    /// The platform whose lists, case rule and limits count.
    pub platform: Platform,
    /// The launch environment: live before activation, frozen after it.
    pub base: &'a dyn EnvSource,
    /// What only the runner reads.
    pub control_plane: &'a ControlPlane,
    /// Whether SEC and TERM answer at all for what is bound. The refusal of either is the refusal of the
    /// build, whatever the spec asks for (SNAP-27).
    pub allowed: Result<(), Refused>,
    /// How SEC answers a passed-through name for what is bound.
    pub answer: Answer<'a>,
    /// The names of the bound scope, for a pass-through by prefix. Empty where none is bound.
    pub scope_names: Vec<Name>,
    /// The bound terminal policy's entries; asked only if the spec asks for them.
    pub terminal: &'a mut dyn FnMut() -> Result<Vec<(Name, Secret)>, Refused>,
    /// The layout's home variable.
    pub home_variable: &'a OsStr,
    /// The bound home; the launch home where nothing is bound and one profile is hosted.
    pub home: &'a Path,
    /// The layout's profile-name variables, which no child gets.
    pub profile_name_variables: &'a [Name],
    /// This runner's own id, where it is one. What its environment says is known anyway (RUN-34).
    pub own_runner_id: Option<&'a str>,
    /// The most bytes that all entries together may take: [`TOTAL_LIMIT`](crate::TOTAL_LIMIT), or what the
    /// host sets (SNAP-25).
    pub total_limit: usize,
}

/// How SEC answers a name: a value, absence, or a refusal.
pub type Answer<'a> = &'a mut dyn FnMut(&OsStr) -> Result<Option<Secret>, Refused>;

/// No value is in reach of it.
impl fmt::Debug for ChildParts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildParts")
            .field("platform", &self.platform)
            .field("base", &self.base)
            .field("allowed", &self.allowed)
            .field("home", &self.home)
            .finish_non_exhaustive()
    }
}

/// The steps of SNAP-23, in their order.
pub(crate) fn build(spec: &ChildSpec, parts: ChildParts<'_>) -> Result<ChildEnv, ChildEnvError> {
    parts.allowed?;
    let case = parts.platform.case_rule();
    let base = EnvSnapshot::of(parts.base, case);
    if let Some(runner) = &spec.runner {
        runner.refuse_own_identity(&base, parts.own_runner_id)?;
    }
    let directory = spec.directory.as_deref().map(|path| absolute(path, &base)).transpose()?;

    let mut draft = Draft {
        base: &base,
        case,
        control_plane: parts.control_plane,
        home_variable: parts.home_variable,
        profile_name_variables: parts.profile_name_variables,
        variables: BTreeMap::new(),
        dropped: Vec::new(),
    };
    draft.take_base_list(parts.platform);
    draft.pass(spec, &parts.scope_names, parts.answer)?;
    if spec.terminal {
        for (name, value) in (parts.terminal)()? {
            draft.put(name, value);
        }
    }
    draft.set(spec);
    if let Some(directory) = &directory {
        draft.put_path(OsStr::new(WORKING_DIRECTORY_VARIABLE), directory);
    }
    draft.put_path(parts.home_variable, parts.home);
    draft.remove_what_no_child_gets();
    if let Some(runner) = &spec.runner {
        for (name, value) in runner.variables() {
            draft.put(name, value);
        }
    }
    let child = draft.finish(directory);
    limits::check(child.iter(), parts.platform, parts.total_limit)?;
    Ok(child)
}

/// A child environment on its way.
struct Draft<'a> {
    base: &'a EnvSnapshot,
    case: CaseRule,
    control_plane: &'a ControlPlane,
    home_variable: &'a OsStr,
    profile_name_variables: &'a [Name],
    variables: BTreeMap<OsString, Variable>,
    dropped: Vec<Dropped>,
}

impl Draft<'_> {
    fn take_base_list(&mut self, platform: Platform) {
        let list = base_list(platform);
        for (name, value) in self.base.iter() {
            if list.contains(name.as_os_str(), self.case) {
                self.put(name.clone(), Secret::from_os(name, value.to_os_string()));
            }
        }
    }

    /// Exact names first; a prefix then reaches what is there and is no hook.
    fn pass(
        &mut self,
        spec: &ChildSpec,
        scope_names: &[Name],
        answer: Answer<'_>,
    ) -> Result<(), ChildEnvError> {
        for name in spec.passed.names() {
            self.offer(name, answer)?;
        }
        let hooks = loader_hooks();
        for name in self.base.names().chain(scope_names) {
            let text = name.as_os_str();
            if spec.passed.contains_exactly(text, self.case) || !spec.passed.contains(text, self.case) {
                continue;
            }
            if hooks.contains(text, self.case) {
                self.drop(name, DropReason::LoaderHook);
            } else {
                self.offer(name, answer)?;
            }
        }
        Ok(())
    }

    /// One passed-through name, as SEC answers it. Nobody is asked for a name that no pass-through gives.
    fn offer(&mut self, name: &Name, answer: Answer<'_>) -> Result<(), ChildEnvError> {
        let text = name.as_os_str();
        if self.case.same(text, self.home_variable) {
            return Ok(());
        }
        if let Some(reason) = self.forbidden(text) {
            self.drop(name, reason);
            return Ok(());
        }
        match answer(text) {
            Ok(Some(value)) => self.put(name.clone(), value),
            Ok(None) => {
                if self.base.get_os(text).is_some() && !self.holds(text) {
                    self.drop(name, DropReason::NotBound);
                }
            }
            Err(refused) => match refused.reason() {
                RefusedReason::NotASecret => self.drop(name, DropReason::Terminal),
                RefusedReason::ControlPlane => self.drop(name, DropReason::ControlPlane),
                _ => return Err(refused.into()),
            },
        }
        Ok(())
    }

    fn set(&mut self, spec: &ChildSpec) {
        for (name, value) in &spec.set {
            let text = name.as_os_str();
            if self.case.same(text, self.home_variable) {
                self.drop(name, DropReason::Home);
            } else if let Some(reason) = self.forbidden(text) {
                self.drop(name, reason);
            } else {
                self.put(name.clone(), value.clone());
            }
        }
    }

    /// Removed last, whatever allowed it (SNAP-22, SNAP-23, RUN-34).
    fn remove_what_no_child_gets(&mut self) {
        let mut removed = Vec::new();
        for (key, variable) in &self.variables {
            if let Some(reason) = self.no_child_gets(variable.name.as_os_str()) {
                removed.push((key.clone(), variable.name.clone(), reason));
            }
        }
        for (key, name, reason) in removed {
            self.variables.remove(&key);
            self.drop(&name, reason);
        }
    }

    fn no_child_gets(&self, name: &OsStr) -> Option<DropReason> {
        if self.control_plane.contains(name, self.case) {
            Some(DropReason::ControlPlane)
        } else if is_runner_identity(name, self.case) {
            Some(DropReason::RunnerIdentity)
        } else if self.profile_name_variables.iter().any(|own| self.case.same(own.as_os_str(), name)) {
            Some(DropReason::ProfileName)
        } else {
            None
        }
    }

    /// What neither a pass-through nor the caller gives: it has one giver, or none.
    fn forbidden(&self, name: &OsStr) -> Option<DropReason> {
        if is_terminal(name, self.case) {
            Some(DropReason::Terminal)
        } else if self.case.same(name, OsStr::new(WORKING_DIRECTORY_VARIABLE)) {
            Some(DropReason::WorkingDirectory)
        } else {
            self.no_child_gets(name)
        }
    }

    /// A name stands once; where case does not matter it keeps the spelling in which it came first.
    fn put(&mut self, name: Name, value: Secret) {
        match self.variables.entry(self.case.fold(name.as_os_str()).into_owned()) {
            Entry::Occupied(mut slot) => slot.get_mut().value = value,
            Entry::Vacant(slot) => {
                slot.insert(Variable { name, value });
            }
        }
    }

    fn put_path(&mut self, name: &OsStr, path: &Path) {
        let name = Name::new(name);
        let value = Secret::from_os(&name, path.as_os_str().to_os_string());
        self.put(name, value);
    }

    fn holds(&self, name: &OsStr) -> bool {
        self.variables.contains_key(&*self.case.fold(name))
    }

    fn drop(&mut self, name: &Name, reason: DropReason) {
        self.dropped.push(Dropped::new(name.without_value(), reason));
    }

    fn finish(mut self, directory: Option<PathBuf>) -> ChildEnv {
        self.report_what_stays_behind();
        self.dropped.sort();
        self.dropped.dedup();
        ChildEnv { variables: self.variables, dropped: self.dropped, directory, case: self.case }
    }

    /// What the launch environment has, the child has not, and no step spoke of (SNAP-26).
    fn report_what_stays_behind(&mut self) {
        // What a later step gave after all is not missing.
        let mut dropped = std::mem::take(&mut self.dropped);
        dropped.retain(|drop| drop.reason() != DropReason::NotBound || !self.holds(drop.name().as_os_str()));
        self.dropped = dropped;
        let case = self.case;
        let folded = |name: &Name| case.fold(name.as_os_str()).into_owned();
        let mut spoken_of: HashSet<_> = self.dropped.iter().map(|dropped| folded(dropped.name())).collect();
        for name in self.base.names() {
            let text = name.as_os_str();
            if !self.holds(text) && spoken_of.insert(folded(&name.without_value())) {
                self.drop(name, self.forbidden(text).unwrap_or(DropReason::NotListed));
            }
        }
        for name in self.base.duplicates() {
            self.drop(name, DropReason::Duplicate);
        }
    }
}

/// A relative path stands on the launch environment's current directory, so that `PWD` and the command agree.
fn absolute(path: &Path, base: &EnvSnapshot) -> Result<PathBuf, ChildEnvError> {
    if path.is_absolute() {
        return Ok(path.to_path_buf());
    }
    let current = base.current_dir().map_err(ChildEnvError::NoCurrentDirectory)?;
    Ok(current.join(path))
}
