use std::ffi::OsStr;
use std::fmt;

use watertight_context::{Ambient, Context, with_ambient};
use watertight_vocabulary::{Hosting, Name, NameClass, Refused, RefusedReason, Secret};

use crate::{Backend, BoundTerminal, SettingError, TerminalPolicy};

/// The launch home's own policy, for whoever decides where a command runs while nothing is bound and one
/// profile is hosted (TERM-25). A host implements it; a closure is one.
pub trait LaunchPolicy {
    /// The policy in TERM-01's launch form, or the refusal in its place.
    fn launch_policy(&self) -> BoundTerminal;
}

impl<F: Fn() -> BoundTerminal> LaunchPolicy for F {
    fn launch_policy(&self) -> BoundTerminal {
        self()
    }
}

/// A terminal setting was not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(clippy::exhaustive_enums, reason = "a read is refused as a whole, or one key is at fault")]
pub enum TerminalError {
    /// There is no policy that may answer.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The policy answers, and this key cannot be read.
    #[error(transparent)]
    Setting(#[from] SettingError),
}

impl TerminalError {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused(refused) => refused.code(),
            Self::Setting(error) => error.code(),
        }
    }
}

/// Answers terminal questions from what is bound here, or from a handle.
///
/// | bound | hosted | [`read`](Self::read) | [`with_policy`](Self::with_policy), [`backend`](Self::backend), [`ensure_allowed`](Self::ensure_allowed), [`child_entries`](Self::child_entries) |
/// | --- | --- | --- | --- |
/// | a policy | any | its value, else the default (TERM-20) | the policy |
/// | a refusal | any | refused: unavailable (TERM-21) | the same |
/// | nothing | one profile | the live environment, else the default (TERM-22) | the launch home's own policy (TERM-25) |
/// | nothing | many, or a foreign home is bound | refused: unscoped (TERM-23) | the same |
/// | a closed scope, or another host's | any | refused: closed, other host (TERM-26) | the same |
/// | a host's scope | read without a host | refused: no host (as SEC-11) | the same |
///
/// # Fail-closed behaviour
///
/// A default is applied to absence alone, never to a refusal. Who decides where a command runs is given no
/// default at all.
///
/// ```
/// use watertight_context::Context;
/// use watertight_profile_home::{MemoryFiles, ProfileHome};
/// use watertight_terminal_scope::{TerminalPolicy, TerminalReader};
/// use watertight_vocabulary::HomeId;
///
/// let home = ProfileHome::confined(HomeId::new("/srv/agents/coder".into(), None));
/// let files = MemoryFiles::new();
/// files.set_config(&home, "terminal: {backend: docker}");
/// let scope = Context::builder().with(TerminalPolicy::builder(&home).files(&files).build()).build();
///
/// let reader = TerminalReader::handle(&scope, None);
/// assert_eq!(reader.backend()?.as_str(), "docker");
///
/// files.set_config(&home, "terminal: docker");
/// let scope = Context::builder().with(TerminalPolicy::builder(&home).files(&files).build()).build();
/// let refused = TerminalReader::handle(&scope, None).read("TERMINAL_TIMEOUT", Some("60"));
/// assert_eq!(refused.map_err(|error| error.code()).err(), Some("unavailable"));
/// # Ok::<(), watertight_terminal_scope::TerminalError>(())
/// ```
#[derive(Clone, Copy)]
pub struct TerminalReader<'a> {
    hosting: Option<&'a dyn Hosting>,
    place: Place<'a>,
}

/// Where a reader looks for a policy.
#[derive(Clone, Copy)]
enum Place<'a> {
    Ambient(&'a dyn LaunchPolicy),
    Handle(&'a Context),
}

/// Who answers.
enum Answerer<'a> {
    Policy(&'a TerminalPolicy),
    /// Nothing is bound and one profile is hosted.
    OneProfile(&'a dyn Hosting),
}

impl<'a> TerminalReader<'a> {
    /// Reads from whatever is bound where it is asked.
    pub fn ambient(hosting: &'a dyn Hosting, launch: &'a dyn LaunchPolicy) -> Self {
        Self { hosting: Some(hosting), place: Place::Ambient(launch) }
    }

    /// Reads through a handle; without a host if the scope was built without one.
    pub fn handle(context: &'a Context, hosting: Option<&'a dyn Hosting>) -> Self {
        Self { hosting, place: Place::Handle(context) }
    }

    /// The text of a variable, else the caller's default, else absent.
    ///
    /// A name that is no terminal setting is in no policy, and is not looked for in an environment.
    ///
    /// # Errors
    ///
    /// [`TerminalError::Refused`] under TERM-21, TERM-23 and TERM-26, and for a name of the control plane (SEC-16);
    /// [`TerminalError::Setting`] for a value that has no text (TERM-09). A default changes neither.
    pub fn read(&self, variable: &str, default: Option<&str>) -> Result<Option<Secret>, TerminalError> {
        let name = OsStr::new(variable);
        let found = self.answer::<_, TerminalError>(Some(name), |answerer| match answerer {
            Answerer::Policy(policy) => match policy.get(name)? {
                Some(value) => Ok(Some(value.clone())),
                None => Ok(self.ensure_not_control_plane(name).map(|()| None)?),
            },
            Answerer::OneProfile(hosting) => {
                self.ensure_not_control_plane(name)?;
                Ok(read_environment(hosting, name)?)
            }
        })?;
        Ok(found.or_else(|| default.map(Secret::from)))
    }

    /// Asks the policy that decides: the bound one, else the launch home's own (TERM-25).
    ///
    /// # Errors
    ///
    /// [`Refused`] under TERM-21, TERM-23 and TERM-26, or as the launch home's policy is.
    pub fn with_policy<R>(&self, ask: impl FnOnce(&TerminalPolicy) -> R) -> Result<R, Refused> {
        self.decide(|policy| Ok::<_, Refused>(ask(policy)))
    }

    /// The backend. It is never guessed, and no default is taken.
    ///
    /// # Errors
    ///
    /// As [`TerminalReader::with_policy`] and [`TerminalPolicy::backend`].
    pub fn backend(&self) -> Result<Backend, TerminalError> {
        self.decide(|policy| Ok(policy.backend()?))
    }

    /// For whoever is about to start something: whether it may (TERM-24).
    ///
    /// # Errors
    ///
    /// As [`TerminalReader::backend`].
    pub fn ensure_allowed(&self) -> Result<(), TerminalError> {
        self.backend().map(drop)
    }

    /// The terminal part of a child's environment (TERM-25).
    ///
    /// # Errors
    ///
    /// As [`TerminalReader::with_policy`]; and *unavailable* where [`TerminalPolicy::child_entries`] fails.
    pub fn child_entries(&self) -> Result<Vec<(Name, Secret)>, Refused> {
        self.decide(|policy| policy.child_entries().map_err(Refused::from))
    }

    fn decide<R, E: From<Refused>>(&self, ask: impl FnOnce(&TerminalPolicy) -> Result<R, E>) -> Result<R, E> {
        self.answer(None, |answerer| match (answerer, self.place) {
            (Answerer::Policy(policy), _) => ask(policy),
            (Answerer::OneProfile(hosting), Place::Ambient(launch)) => {
                let bound = launch.launch_policy();
                if hosting.many_profiles() {
                    // Built from an environment that is nobody's by now (SNAP-03).
                    return Err(Refused::nameless(RefusedReason::Unscoped).into());
                }
                let policy = bound
                    .policy()
                    .map_err(|refusal| Refused::nameless(RefusedReason::Unavailable(refusal.clone())))?;
                ask(policy)
            }
            (Answerer::OneProfile(_), Place::Handle(_)) => {
                Err(Refused::nameless(RefusedReason::Unscoped).into())
            }
        })
    }

    /// Finds who answers, and asks; nothing is cloned and nothing allocated on the way.
    fn answer<R, E: From<Refused>>(
        &self,
        name: Option<&OsStr>,
        ask: impl FnOnce(Answerer<'_>) -> Result<R, E>,
    ) -> Result<R, E> {
        let refused = |reason| match name {
            Some(name) => Refused::new(name, reason),
            None => Refused::nameless(reason),
        };
        match self.place {
            Place::Handle(context) => ask(self.bound(context).map_err(refused)?),
            Place::Ambient(_) => with_ambient(|ambient| {
                let answerer = match ambient {
                    Ambient::Bound(context) => self.bound(context),
                    Ambient::Masked(context) => self.unbound(context.is_foreign()),
                    Ambient::Unbound => self.unbound(false),
                };
                ask(answerer.map_err(refused)?)
            }),
        }
    }

    fn bound<'c>(&self, context: &'c Context) -> Result<Answerer<'c>, RefusedReason>
    where
        'a: 'c,
    {
        match (self.hosting, context.host()) {
            (None, Some(_)) => return Err(RefusedReason::NoHost),
            (Some(reader), Some(entered)) if reader.host() != entered => {
                return Err(RefusedReason::OtherHost);
            }
            _ => {}
        }
        if context.is_closed() {
            return Err(RefusedReason::Closed);
        }
        match context.get::<BoundTerminal>().map(BoundTerminal::policy) {
            Some(Ok(policy)) => Ok(Answerer::Policy(policy)),
            Some(Err(refusal)) => Err(RefusedReason::Unavailable(refusal.clone())),
            None => self.unbound(context.is_foreign()),
        }
    }

    fn unbound<'c>(&self, foreign: bool) -> Result<Answerer<'c>, RefusedReason>
    where
        'a: 'c,
    {
        match self.hosting {
            None => Err(RefusedReason::NoHost),
            Some(hosting) if foreign || hosting.many_profiles() => Err(RefusedReason::Unscoped),
            Some(hosting) => Ok(Answerer::OneProfile(hosting)),
        }
    }

    fn ensure_not_control_plane(&self, name: &OsStr) -> Result<(), Refused> {
        let class = self.hosting.map(|hosting| hosting.classes().class_of(name));
        match class {
            Some(NameClass::ControlPlane) => Err(Refused::new(name, RefusedReason::ControlPlane)),
            _ => Ok(()),
        }
    }
}

/// TERM-22: the live environment, unless a second profile came up while it was asked (SNAP-03).
fn read_environment(hosting: &dyn Hosting, name: &OsStr) -> Result<Option<Secret>, Refused> {
    if !Name::is_possible(name) || hosting.classes().class_of(name) != NameClass::Terminal {
        return Ok(None);
    }
    let value = hosting.environment_value(name);
    if hosting.many_profiles() {
        return Err(Refused::new(name, RefusedReason::Unscoped));
    }
    Ok(value.map(|value| Secret::from_os(&Name::new(name), value)))
}

impl fmt::Debug for TerminalReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.place {
            Place::Ambient(_) => "ambient",
            Place::Handle(_) => "handle",
        };
        f.debug_struct("TerminalReader").field("place", &place).field("hosting", &self.hosting).finish()
    }
}
