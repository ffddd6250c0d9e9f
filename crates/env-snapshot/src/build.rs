use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use watertight_vocabulary::{
    CaseRule, ControlPlane, EnvSource, Name, NameSet, Platform, RUNNER_AUTH_SECRETS, RUNNER_PROCESS_IDENTITY,
    Refused, RefusedReason, Secret,
};

use crate::child_env::Variable;
use crate::lists::{WORKING_DIRECTORY_VARIABLE, base_list, is_terminal, loader_hooks};
use crate::spec::{RunnerChild, shown};
use crate::{ChildEnv, ChildEnvError, ChildSpec, DropReason, Dropped, EnvSnapshot, limits};

/// What a child environment is built out of: everything that is bound, as the host knows it.
///
/// No part has a default, so none is forgotten: a [`ChildEnv`] cannot be built without a control plane
/// (SNAP-22), and not without an answer to whether reading is refused (SNAP-27).
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
    pub answer: &'a mut dyn FnMut(&OsStr) -> Result<Option<Secret>, Refused>,
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
        refuse_own_identity(runner, &base, parts.own_runner_id)?;
    }
    let directory = spec.directory.as_deref().map(|path| absolute(path, &base)).transpose()?;

    let mut draft = Draft { case, variables: BTreeMap::new(), dropped: Vec::new() };
    draft.take_base_list(&base, &base_list(parts.platform));
    draft.pass(spec, &base, &parts.scope_names, parts.home_variable, parts.control_plane, parts.answer)?;
    if spec.terminal {
        for (name, value) in (parts.terminal)()? {
            draft.put(name, value);
        }
    }
    draft.set(spec, parts.home_variable);
    if let Some(directory) = &directory {
        draft.put_path(OsStr::new(WORKING_DIRECTORY_VARIABLE), directory);
    }
    draft.put_path(parts.home_variable, parts.home);
    draft.remove(DropReason::ProfileName, |name| {
        parts.profile_name_variables.iter().any(|variable| case.same(variable.as_os_str(), name))
    });
    draft.remove(DropReason::ControlPlane, |name| parts.control_plane.contains(name, case));
    draft.remove(DropReason::RunnerIdentity, |name| is_runner_identity(name, case));
    if let Some(runner) = &spec.runner {
        draft.become_runner(runner);
    }
    draft.report_unlisted(&base);

    let child = draft.finish(directory);
    limits::check(child.iter(), parts.platform, parts.total_limit)?;
    Ok(child)
}

/// A child environment on its way.
struct Draft {
    case: CaseRule,
    variables: BTreeMap<OsString, Variable>,
    dropped: Vec<Dropped>,
}

impl Draft {
    fn take_base_list(&mut self, base: &EnvSnapshot, list: &NameSet) {
        for name in base.duplicates() {
            self.drop(name, DropReason::Duplicate);
        }
        for (name, value) in base.iter() {
            if list.contains(name.as_os_str(), self.case) {
                self.put(name.clone(), Secret::from_os(name, value.to_os_string()));
            }
        }
    }

    fn pass(
        &mut self,
        spec: &ChildSpec,
        base: &EnvSnapshot,
        scope_names: &[Name],
        home_variable: &OsStr,
        control_plane: &ControlPlane,
        answer: &mut dyn FnMut(&OsStr) -> Result<Option<Secret>, Refused>,
    ) -> Result<(), ChildEnvError> {
        let (case, hooks) = (self.case, loader_hooks());
        for name in spec.passed.names() {
            self.offer(name, base, home_variable, control_plane, answer)?;
        }
        if spec.passed.prefixes().len() == 0 {
            return Ok(());
        }
        for name in base.names().chain(scope_names) {
            let text = name.as_os_str();
            if spec.passed.contains_exactly(text, case) || !spec.passed.contains(text, case) {
                continue;
            }
            if hooks.contains(text, case) {
                self.drop(name, DropReason::LoaderHook);
            } else {
                self.offer(name, base, home_variable, control_plane, answer)?;
            }
        }
        Ok(())
    }

    /// One passed-through name: SEC's answer, unless the name has one giver only and that is not SEC.
    fn offer(
        &mut self,
        name: &Name,
        base: &EnvSnapshot,
        home_variable: &OsStr,
        control_plane: &ControlPlane,
        answer: &mut dyn FnMut(&OsStr) -> Result<Option<Secret>, Refused>,
    ) -> Result<(), ChildEnvError> {
        let text = name.as_os_str();
        if self.case.same(text, home_variable) {
            return Ok(());
        }
        if control_plane.contains(text, self.case) {
            self.drop(name, DropReason::ControlPlane);
            return Ok(());
        }
        if is_runner_identity(text, self.case) {
            self.drop(name, DropReason::RunnerIdentity);
            return Ok(());
        }
        if let Some(reason) = self.other_giver(text) {
            self.drop(name, reason);
            return Ok(());
        }
        match answer(text) {
            Ok(Some(value)) => self.put(name.clone(), value),
            Ok(None) => {
                if base.get_os(text).is_some() && !self.holds(text) {
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

    /// What the caller sets, except where a name has one giver only.
    fn set(&mut self, spec: &ChildSpec, home_variable: &OsStr) {
        for (name, value) in &spec.set {
            let text = name.as_os_str();
            if self.case.same(text, home_variable) {
                self.drop(name, DropReason::Home);
            } else if let Some(reason) = self.other_giver(text) {
                self.drop(name, reason);
            } else {
                self.put(name.clone(), value.clone());
            }
        }
    }

    /// Names that neither a pass-through nor the caller gives.
    fn other_giver(&self, name: &OsStr) -> Option<DropReason> {
        if is_terminal(name, self.case) {
            Some(DropReason::Terminal)
        } else if self.case.same(name, OsStr::new(WORKING_DIRECTORY_VARIABLE)) {
            Some(DropReason::WorkingDirectory)
        } else {
            None
        }
    }

    /// What a runner's child is given, after everything of the kind was removed (RUN-34).
    fn become_runner(&mut self, runner: &RunnerChild) {
        let [id, parent] = RUNNER_PROCESS_IDENTITY.map(Name::from);
        let [token, _] = RUNNER_AUTH_SECRETS.map(Name::from);
        self.put(id, Secret::from(runner.id.clone()));
        self.put(parent, Secret::from(std::process::id().to_string()));
        self.put(token, runner.token.clone());
    }

    /// A name stands once; where case does not matter it keeps the spelling in which it came first.
    fn put(&mut self, name: Name, value: Secret) {
        match self.variables.entry(self.case.fold(name.as_os_str()).into_owned()) {
            std::collections::btree_map::Entry::Occupied(mut slot) => slot.get_mut().value = value,
            std::collections::btree_map::Entry::Vacant(slot) => {
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
        self.dropped.push(Dropped::new(shown(name), reason));
    }

    fn remove(&mut self, reason: DropReason, named: impl Fn(&OsStr) -> bool) {
        let dropped = &mut self.dropped;
        self.variables.retain(|_, variable| {
            let goes = named(variable.name.as_os_str());
            if goes {
                dropped.push(Dropped::new(shown(&variable.name), reason));
            }
            !goes
        });
    }

    /// What the launch environment has and no step above spoke of.
    fn report_unlisted(&mut self, base: &EnvSnapshot) {
        for name in base.names() {
            let text = name.as_os_str();
            let spoken_of =
                self.dropped.iter().any(|dropped| self.case.same(dropped.name().as_os_str(), text));
            if !spoken_of && !self.holds(text) {
                self.drop(name, DropReason::NotListed);
            }
        }
    }

    fn finish(mut self, directory: Option<PathBuf>) -> ChildEnv {
        self.dropped.sort();
        self.dropped.dedup();
        ChildEnv { variables: self.variables, dropped: self.dropped, directory, case: self.case }
    }
}

fn is_runner_identity(name: &OsStr, case: CaseRule) -> bool {
    RUNNER_PROCESS_IDENTITY.iter().any(|variable| case.same(name, OsStr::new(variable)))
}

/// A child that had this runner's id or token would be taken for it (RUN-34).
fn refuse_own_identity(
    runner: &RunnerChild,
    base: &EnvSnapshot,
    own_id: Option<&str>,
) -> Result<(), ChildEnvError> {
    let [id_variable, _] = RUNNER_PROCESS_IDENTITY;
    let inherited = base.get_os(id_variable).map(|value| trimmed(value.as_encoded_bytes()));
    let id = trimmed(runner.id.as_bytes());
    if inherited == Some(id) || own_id.map(|own| trimmed(own.as_bytes())) == Some(id) {
        return Err(ChildEnvError::OwnIdentity { name: Name::from(id_variable) });
    }
    let [token_variable, _] = RUNNER_AUTH_SECRETS;
    let own_token = RUNNER_AUTH_SECRETS
        .iter()
        .filter_map(|variable| base.get_os(variable))
        .any(|own| trimmed(own.as_encoded_bytes()) == trimmed(runner.token.expose_bytes()));
    if own_token {
        return Err(ChildEnvError::OwnIdentity { name: Name::from(token_variable) });
    }
    Ok(())
}

/// Without the leading mark and the white space that an id or a token may be written with.
fn trimmed(value: &[u8]) -> &[u8] {
    let value = value.trim_ascii();
    value.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(value).trim_ascii()
}

fn absolute(path: &Path, base: &EnvSnapshot) -> Result<PathBuf, ChildEnvError> {
    if path.is_absolute() {
        return Ok(path.to_path_buf());
    }
    let current = base.current_dir().map_err(ChildEnvError::NoCurrentDirectory)?;
    Ok(current.join(path))
}
