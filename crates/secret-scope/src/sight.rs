//! What a read sees: a frame, a handle or a scope alone, through one host or none.

use std::ffi::OsStr;

use watertight_context::{Ambient, Context};
use watertight_vocabulary::{
    Bound, Classes, HomeId, Hosting, Name, NameClass, Refusal, Refused, RefusedReason, Secret,
};

use crate::decision::{
    Answer, Binding, BoundHome, Decision, Denial, Held, HostedBy, Question, Standing, decide,
};
use crate::entries::Entry;
use crate::explain::Explanation;
use crate::scope::Found;
use crate::{BoundSecrets, SecretScope};

/// One point of view; every read is answered from here. What a hit needs is looked up once, when it is
/// taken.
#[derive(Clone, Copy)]
pub(crate) struct Sight<'a> {
    hosting: Option<&'a dyn Hosting>,
    frame: Frame<'a>,
    bound: Seen<'a>,
    standing: Standing,
}

/// What is read through.
#[derive(Clone, Copy)]
enum Frame<'a> {
    Nothing,
    Context(&'a Context),
    /// Bound for another Tokio task: only that its home may be foreign counts (CTX-07).
    Masked(&'a Context),
    Scope,
}

/// What is bound for secrets.
#[derive(Clone, Copy)]
enum Seen<'a> {
    Nothing,
    Scope(&'a SecretScope),
    Refusal(&'a Refusal),
}

/// What the bound scope answers alone.
pub(crate) enum Quick {
    Value(Secret),
    Absent,
    /// It takes more than the scope to answer.
    Neither,
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
    pub(crate) value: Option<Value<'a>>,
    pub(crate) refused: Option<Refused>,
}

impl<'a> Sight<'a> {
    #[inline]
    pub(crate) fn ambient(hosting: &'a dyn Hosting, ambient: Ambient<'a>) -> Self {
        match ambient {
            Ambient::Bound(context) => Self::of_context(context, Some(hosting)),
            Ambient::Unbound => Self::without_a_scope(hosting, Frame::Nothing),
            Ambient::Masked(context) => Self::without_a_scope(hosting, Frame::Masked(context)),
        }
    }

    #[inline]
    pub(crate) fn of_context(context: &'a Context, hosting: Option<&'a dyn Hosting>) -> Self {
        let bound = match context.get::<BoundSecrets>() {
            Some(Bound::Policy(scope)) => Seen::Scope(scope),
            Some(Bound::Refusal(refusal)) => Seen::Refusal(refusal),
            None => Seen::Nothing,
        };
        let standing = match (hosting, context.host()) {
            (Some(hosting), Some(host)) if hosting.host() != host => Standing::OtherHost,
            _ if context.is_closed() => Standing::Closed,
            _ => Standing::Open,
        };
        Self { hosting, frame: Frame::Context(context), bound, standing }
    }

    pub(crate) fn of_scope(scope: &'a SecretScope) -> Self {
        Self { hosting: None, frame: Frame::Scope, bound: Seen::Scope(scope), standing: Standing::Open }
    }

    fn without_a_scope(hosting: &'a dyn Hosting, frame: Frame<'a>) -> Self {
        Self { hosting: Some(hosting), frame, bound: Seen::Nothing, standing: Standing::Open }
    }

    /// The entry of a name in the bound scope: nothing is decided by it yet.
    #[inline]
    pub(crate) fn entry(&self, name: &OsStr) -> Option<&'a Entry> {
        match self.bound {
            Seen::Scope(scope) => scope.entry(name),
            Seen::Nothing | Seen::Refusal(_) => None,
        }
    }

    /// The value of a name that the bound scope holds, if the table says so; `None` for everything else.
    ///
    /// A scope holds secrets only (SEC-26), so the table's question is known but for the frame's standing:
    /// no class is looked up, and neither the home nor how many profiles are hosted is in a row that a hit
    /// can reach.
    #[inline]
    pub(crate) fn hit(&self, entry: Option<&'a Entry>) -> Option<&'a Secret> {
        let value = entry?.value.as_ref()?;
        let hosting = match (self.hosting, self.frame) {
            (None, Frame::Context(context)) if context.host().is_some() => HostedBy::Nobody,
            (None, _) => HostedBy::HandleAlone,
            (Some(_), _) => HostedBy::ManyProfiles,
        };
        let question = Question {
            possible: true,
            class: NameClass::Secret,
            hosting,
            bound: Binding::Scope,
            home: BoundHome::Nothing,
            standing: self.standing,
            held: Held::Yes,
        };
        match decide(question).answer {
            Answer::Scope => Some(value),
            Answer::Environment | Answer::Absent | Answer::Refused(_) => None,
        }
    }

    /// The answer where the bound scope gives it alone.
    #[inline]
    pub(crate) fn quick(&self, name: &OsStr) -> Quick {
        let entry = self.entry(name);
        match self.hit(entry) {
            Some(secret) => Quick::Value(secret.clone()),
            None if matches!(self.bound, Seen::Scope(_)) && self.is_absent(name, entry) => Quick::Absent,
            None => Quick::Neither,
        }
    }

    #[inline(never)]
    fn is_absent(&self, name: &OsStr, entry: Option<&'a Entry>) -> bool {
        decide(self.question(name, self.judge(entry).held())).answer == Answer::Absent
    }

    /// The answer to a read that is no hit; it answers a hit alike, but not as fast.
    #[inline(never)]
    pub(crate) fn answer(
        &self,
        name: &OsStr,
        entry: Option<&'a Entry>,
    ) -> Result<Option<Value<'a>>, Refused> {
        let found = self.judge(entry);
        let question = self.question(name, found.held());
        let decision = decide(question);
        if decision.answer == Answer::Absent {
            return Ok(None);
        }
        let (decision, value) = self.carried_out(name, question, decision, found);
        match self.denial(decision, found) {
            Some(reason) => Err(Refused::new(name, reason)),
            None => Ok(value),
        }
    }

    /// The answer where no environment can be asked, so that it can be borrowed.
    pub(crate) fn borrow(&self, name: &OsStr) -> Result<Option<&'a Secret>, Refused> {
        match self.answer(name, self.entry(name))? {
            Some(Value::Scope(secret)) => Ok(Some(secret)),
            Some(Value::Environment(_)) | None => Ok(None),
        }
    }

    pub(crate) fn explain(&self, name: &OsStr) -> Explanation {
        let found = self.judge(self.entry(name));
        let question = self.question(name, found.held());
        let (decision, value) = self.carried_out(name, question, decide(question), found);
        let refused = self.denial(decision, found).map(|reason| Refused::new(name, reason));
        let ruling = Ruling { class: question.class, decision, scope: self.bound.scope(), value, refused };
        Explanation::of(Name::new(name), ruling)
    }

    /// What the scope says of the name.
    fn judge(&self, entry: Option<&'a Entry>) -> Found<'a> {
        match self.bound {
            Seen::Scope(scope) => scope.judge(entry),
            Seen::Refusal(_) | Seen::Nothing => Found::Missing,
        }
    }

    /// The value, from whom the decision names. Asking the environment may change the decision (SNAP-03).
    fn carried_out(
        &self,
        name: &OsStr,
        question: Question,
        decision: Decision,
        found: Found<'a>,
    ) -> (Decision, Option<Value<'a>>) {
        match (decision.answer, found) {
            (Answer::Environment, _) => self.environment(name, question, decision),
            (Answer::Scope, Found::Value(secret)) => (decision, Some(Value::Scope(secret))),
            _ => (decision, None),
        }
    }

    /// Why the read is refused, if it is.
    fn denial(&self, decision: Decision, found: Found<'a>) -> Option<RefusedReason> {
        let Answer::Refused(denial) = decision.answer else { return None };
        Some(match denial {
            Denial::NoHost => RefusedReason::NoHost,
            Denial::ControlPlane => RefusedReason::ControlPlane,
            Denial::NotASecret => RefusedReason::NotASecret,
            Denial::Closed => RefusedReason::Closed,
            Denial::OtherHost => RefusedReason::OtherHost,
            Denial::Unscoped => RefusedReason::Unscoped,
            Denial::Unavailable => RefusedReason::Unavailable(match (self.bound, found) {
                (Seen::Refusal(refusal), _) | (_, Found::Unknowable(refusal)) => refusal.clone(),
                _ => Refusal::new("unavailable", "the profile's secrets could not be built"),
            }),
        })
    }

    /// Asks "env". Hosting is looked at once more after the live environment answered: if it has changed,
    /// that answer is dropped and the table decides anew (SNAP-03).
    fn environment(
        &self,
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

    #[inline]
    fn question(&self, name: &OsStr, held: Held) -> Question {
        Question {
            possible: Name::is_possible(name),
            class: self.class_of(name),
            hosting: self.hosted_by(),
            bound: match self.bound {
                Seen::Nothing => Binding::Nothing,
                Seen::Scope(_) => Binding::Scope,
                Seen::Refusal(_) => Binding::Refusal,
            },
            home: self.home(),
            standing: self.standing,
            held,
        }
    }

    #[inline]
    fn hosted_by(&self) -> HostedBy {
        match (self.hosting, self.frame) {
            (Some(hosting), _) if hosting.many_profiles() => HostedBy::ManyProfiles,
            (Some(_), _) => HostedBy::OneProfile,
            (None, Frame::Scope) => HostedBy::HandleAlone,
            (None, Frame::Context(context)) if context.host().is_none() => HostedBy::HandleAlone,
            (None, Frame::Context(_) | Frame::Masked(_) | Frame::Nothing) => HostedBy::Nobody,
        }
    }

    /// Own is what is proved to be: the context says so and so do the homes. A frame of no host or another
    /// one is foreign for what it does not hold.
    #[inline]
    fn home(&self) -> BoundHome {
        let context = match self.frame {
            Frame::Nothing => return BoundHome::Nothing,
            Frame::Scope => return BoundHome::Foreign,
            Frame::Context(context) | Frame::Masked(context) => context,
        };
        if context.is_foreign() {
            return BoundHome::Foreign;
        }
        let (home, scope) = (context.home(), self.bound.scope());
        if home.is_none() && scope.is_none() {
            return BoundHome::Nothing;
        }
        let Some(hosting) = self.hosting else { return BoundHome::Foreign };
        let is_launch = |home: &HomeId| home.same_place(hosting.launch_home(), hosting.classes().case_rule());
        let own = context.host() == Some(hosting.host())
            && home.is_none_or(is_launch)
            && scope.is_none_or(|scope| is_launch(scope.home()));
        if own { BoundHome::Own } else { BoundHome::Foreign }
    }

    /// By the classes of the bound scope, unless another host brought it; else by the host's.
    #[inline]
    fn class_of(&self, name: &OsStr) -> NameClass {
        match (self.bound.scope(), self.hosting) {
            (Some(scope), _) if self.standing != Standing::OtherHost => scope.classes().class_of(name),
            (_, Some(hosting)) => hosting.classes().class_of(name),
            (_, None) => Classes::hermes().class_of(name),
        }
    }
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
