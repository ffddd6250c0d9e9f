//! What a read sees: a frame, a handle or a scope alone, through one host or none.

use std::ffi::OsStr;

use watertight_context::{Ambient, Context};
use watertight_vocabulary::{
    Bound, Classes, HomeId, Hosting, Name, NameClass, Refusal, Refused, RefusedReason, Secret,
};

use crate::decision::{
    Answer, Binding, BoundHome, Decision, Denial, Held, HostedBy, Question, Standing, decide,
};
use crate::explain::Explanation;
use crate::scope::Found;
use crate::{BoundSecrets, SecretScope};

/// One point of view; every read is answered from here.
#[derive(Clone, Copy)]
pub(crate) struct Sight<'a> {
    hosting: Option<&'a dyn Hosting>,
    frame: Frame<'a>,
}

/// What is read through.
#[derive(Clone, Copy)]
enum Frame<'a> {
    Nothing,
    Context(&'a Context),
    /// Bound for another Tokio task: only that its home may be foreign counts (CTX-07).
    Masked(&'a Context),
    Scope(&'a SecretScope),
}

/// A value that may be handed out.
pub(crate) enum Value<'a> {
    Scope(&'a Secret),
    Environment(Secret),
}

/// A decision with what it was made from.
pub(crate) struct Ruling<'a> {
    pub(crate) class: NameClass,
    pub(crate) decision: Decision,
    pub(crate) scope: Option<&'a SecretScope>,
    pub(crate) refusal: Option<&'a Refusal>,
    pub(crate) value: Option<Value<'a>>,
}

impl<'a> Sight<'a> {
    #[inline]
    pub(crate) fn ambient(hosting: &'a dyn Hosting, ambient: Ambient<'a>) -> Self {
        let frame = match ambient {
            Ambient::Unbound => Frame::Nothing,
            Ambient::Bound(context) => Frame::Context(context),
            Ambient::Masked(context) => Frame::Masked(context),
        };
        Self { hosting: Some(hosting), frame }
    }

    #[inline]
    pub(crate) fn of_context(context: &'a Context, hosting: Option<&'a dyn Hosting>) -> Self {
        Self { hosting, frame: Frame::Context(context) }
    }

    #[inline]
    pub(crate) fn of_scope(scope: &'a SecretScope) -> Self {
        Self { hosting: None, frame: Frame::Scope(scope) }
    }

    /// The value of a name that the bound scope holds, or `None` for everything else.
    ///
    /// A scope holds secrets only (SEC-26), so the table's question is known but for the frame's standing:
    /// no class is looked up, and hosting and home are in no row that a hit can reach.
    #[inline]
    pub(crate) fn hit(self, name: &OsStr) -> Option<&'a Secret> {
        let Frame::Context(context) = self.frame else { return None };
        let Some(Bound::Policy(scope)) = context.get::<BoundSecrets>() else { return None };
        let hosting = match (self.hosting, context.host()) {
            (Some(_), _) => HostedBy::ManyProfiles,
            (None, None) => HostedBy::HandleAlone,
            (None, Some(_)) => HostedBy::Nobody,
        };
        let question = Question {
            possible: true,
            class: NameClass::Secret,
            hosting,
            bound: Binding::Scope,
            home: BoundHome::Nothing,
            standing: self.standing(context),
            held: Held::Yes,
        };
        match decide(question).answer {
            Answer::Scope => scope.hit(name),
            Answer::Environment | Answer::Absent | Answer::Refused(_) => None,
        }
    }

    /// The answer to a read that is no hit; it answers a hit alike, but not as fast.
    #[inline(never)]
    pub(crate) fn answer(self, name: &OsStr) -> Result<Option<Value<'a>>, Refused> {
        let ruling = self.ruling(name);
        match ruling.denial() {
            Some(reason) => Err(Refused::new(name, reason)),
            None => Ok(ruling.value),
        }
    }

    /// The answer where no environment can be asked, so that it can be borrowed.
    pub(crate) fn borrow(self, name: &OsStr) -> Result<Option<&'a Secret>, Refused> {
        match self.answer(name)? {
            Some(Value::Scope(secret)) => Ok(Some(secret)),
            Some(Value::Environment(_)) | None => Ok(None),
        }
    }

    pub(crate) fn explain(self, name: &OsStr) -> Explanation {
        Explanation::of(Name::new(name), &self.ruling(name))
    }

    /// Asks the table, and whom it names.
    pub(crate) fn ruling(self, name: &OsStr) -> Ruling<'a> {
        let (found, refusal) = match self.bound() {
            Seen::Scope(scope) => match scope.find(name) {
                Found::Unknowable(refusal) => (Found::Unknowable(refusal), Some(refusal)),
                found => (found, None),
            },
            Seen::Refusal(refusal) => (Found::Missing, Some(refusal)),
            Seen::Nothing => (Found::Missing, None),
        };
        let question = self.question(name, found.held());
        let (decision, value) = match (decide(question), found) {
            (decision @ Decision { answer: Answer::Environment, .. }, _) => {
                self.environment(name, question, decision)
            }
            (decision @ Decision { answer: Answer::Scope, .. }, Found::Value(secret)) => {
                (decision, Some(Value::Scope(secret)))
            }
            (decision, _) => (decision, None),
        };
        let scope = self.bound().scope();
        Ruling { class: question.class, decision, scope, refusal, value }
    }

    /// Asks "env". Hosting is looked at once more after the live environment answered: if it has changed,
    /// that answer is dropped and the table decides anew (SNAP-03).
    fn environment(
        self,
        name: &OsStr,
        question: Question,
        decision: Decision,
    ) -> (Decision, Option<Value<'a>>) {
        let Some(hosting) = self.hosting else { return (decision, None) };
        let ask = || {
            let value = hosting.environment_value(name)?;
            Some(Value::Environment(Secret::from_os(&Name::new(name), value)))
        };
        let live = ask();
        if question.hosting == HostedBy::ManyProfiles || !hosting.many_profiles() {
            return (decision, live);
        }
        drop(live);
        // Hosting only grows, so this answer needs no second look.
        let decision = decide(Question { hosting: HostedBy::ManyProfiles, ..question });
        let frozen = if decision.answer == Answer::Environment { ask() } else { None };
        (decision, frozen)
    }

    fn question(self, name: &OsStr, held: Held) -> Question {
        Question {
            possible: Name::is_possible(name),
            class: self.class_of(name),
            hosting: self.hosted_by(),
            bound: match self.bound() {
                Seen::Nothing => Binding::Nothing,
                Seen::Scope(_) => Binding::Scope,
                Seen::Refusal(_) => Binding::Refusal,
            },
            home: self.home(),
            standing: match self.frame {
                Frame::Context(context) => self.standing(context),
                Frame::Nothing | Frame::Masked(_) | Frame::Scope(_) => Standing::Open,
            },
            held,
        }
    }

    fn hosted_by(self) -> HostedBy {
        match (self.hosting, self.frame) {
            (Some(hosting), _) if hosting.many_profiles() => HostedBy::ManyProfiles,
            (Some(_), _) => HostedBy::OneProfile,
            (None, Frame::Scope(_)) => HostedBy::HandleAlone,
            (None, Frame::Context(context)) if context.host().is_none() => HostedBy::HandleAlone,
            (None, Frame::Context(_) | Frame::Masked(_) | Frame::Nothing) => HostedBy::Nobody,
        }
    }

    #[inline]
    fn standing(self, context: &Context) -> Standing {
        if self.is_of_another_host(context) {
            Standing::OtherHost
        } else if context.is_closed() {
            Standing::Closed
        } else {
            Standing::Open
        }
    }

    #[inline]
    fn is_of_another_host(self, context: &Context) -> bool {
        match (self.hosting, context.host()) {
            (Some(hosting), Some(host)) => hosting.host() != host,
            (None, _) | (_, None) => false,
        }
    }

    fn bound(self) -> Seen<'a> {
        match self.frame {
            Frame::Nothing | Frame::Masked(_) => Seen::Nothing,
            Frame::Scope(scope) => Seen::Scope(scope),
            Frame::Context(context) => match context.get::<BoundSecrets>() {
                None => Seen::Nothing,
                Some(Bound::Policy(scope)) => Seen::Scope(scope),
                Some(Bound::Refusal(refusal)) => Seen::Refusal(refusal),
            },
        }
    }

    /// Own is what is proved to be: the context says so and so do the homes. A frame of no host or another
    /// one is foreign for what it does not hold.
    fn home(self) -> BoundHome {
        let (context, scope) = match self.frame {
            Frame::Nothing => return BoundHome::Nothing,
            Frame::Scope(_) => return BoundHome::Foreign,
            Frame::Masked(context) => (context, None),
            Frame::Context(context) => (context, self.bound().scope()),
        };
        if context.home().is_none() && scope.is_none() && !context.is_foreign() {
            return BoundHome::Nothing;
        }
        let Some(hosting) = self.hosting else { return BoundHome::Foreign };
        let is_launch = |home: &HomeId| home.same_place(hosting.launch_home(), hosting.classes().case_rule());
        let own = !context.is_foreign()
            && context.host() == Some(hosting.host())
            && context.home().is_none_or(is_launch)
            && scope.is_none_or(|scope| is_launch(scope.home()));
        if own { BoundHome::Own } else { BoundHome::Foreign }
    }

    /// By the classes of the bound scope, unless another host brought it; else by the host's.
    fn class_of(self, name: &OsStr) -> NameClass {
        let of_another_host = match self.frame {
            Frame::Context(context) => self.is_of_another_host(context),
            Frame::Nothing | Frame::Masked(_) | Frame::Scope(_) => false,
        };
        match (self.bound().scope(), self.hosting) {
            (Some(scope), _) if !of_another_host => scope.classes().class_of(name),
            (_, Some(hosting)) => hosting.classes().class_of(name),
            (_, None) => Classes::hermes().class_of(name),
        }
    }
}

/// What is bound for secrets.
enum Seen<'a> {
    Nothing,
    Scope(&'a SecretScope),
    Refusal(&'a Refusal),
}

impl<'a> Seen<'a> {
    fn scope(self) -> Option<&'a SecretScope> {
        match self {
            Self::Scope(scope) => Some(scope),
            Self::Nothing | Self::Refusal(_) => None,
        }
    }
}

impl Value<'_> {
    pub(crate) fn into_secret(self) -> Secret {
        match self {
            Self::Scope(secret) => secret.clone(),
            Self::Environment(secret) => secret,
        }
    }

    pub(crate) fn secret(&self) -> &Secret {
        match self {
            Self::Scope(secret) => secret,
            Self::Environment(secret) => secret,
        }
    }
}

impl Ruling<'_> {
    /// Why the read is refused, if it is.
    pub(crate) fn denial(&self) -> Option<RefusedReason> {
        let Answer::Refused(denial) = self.decision.answer else { return None };
        Some(match denial {
            Denial::NoHost => RefusedReason::NoHost,
            Denial::ControlPlane => RefusedReason::ControlPlane,
            Denial::NotASecret => RefusedReason::NotASecret,
            Denial::Closed => RefusedReason::Closed,
            Denial::OtherHost => RefusedReason::OtherHost,
            Denial::Unscoped => RefusedReason::Unscoped,
            Denial::Unavailable => RefusedReason::Unavailable(match self.refusal {
                Some(refusal) => refusal.clone(),
                None => Refusal::new("unavailable", "the profile's secrets could not be built"),
            }),
        })
    }
}
