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

/// One point of view; every read is answered from here.
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

/// What an open scope answers alone.
pub(crate) enum Quick<S> {
    Value(S),
    Absent,
    /// It takes a closer look.
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
        let standing = standing(context, hosting);
        Self { hosting, frame: Frame::Context(context), bound, standing }
    }

    pub(crate) fn of_scope(scope: &'a SecretScope) -> Self {
        Self { hosting: None, frame: Frame::Scope, bound: Seen::Scope(scope), standing: Standing::Open }
    }

    fn without_a_scope(hosting: &'a dyn Hosting, frame: Frame<'a>) -> Self {
        Self { hosting: Some(hosting), frame, bound: Seen::Nothing, standing: Standing::Open }
    }

    /// The answer to any read, after that closer look.
    #[inline(never)]
    pub(crate) fn answer(&self, name: &OsStr) -> Result<Option<Value<'a>>, Refused> {
        let found = self.judge(name);
        let question = self.question(name, found.held());
        let decision = decide(question);
        let (decision, value) = self.carried_out(name, question, decision, found);
        match self.denial(decision, found) {
            Some(reason) => Err(Refused::new(name, reason)),
            None => Ok(value),
        }
    }

    /// That answer, owned.
    pub(crate) fn owned(&self, name: &OsStr) -> Result<Option<Secret>, Refused> {
        self.answer(name).map(|value| value.map(Value::into_secret))
    }

    /// That answer, lent to a closure.
    pub(crate) fn lent<R>(
        &self,
        name: &OsStr,
        body: impl FnOnce(Option<&Secret>) -> R,
    ) -> Result<R, Refused> {
        self.answer(name).map(|value| body(value.as_ref().map(Value::secret)))
    }

    /// The answer where no environment can be asked, so that it can be borrowed.
    pub(crate) fn borrow(&self, name: &OsStr) -> Result<Option<&'a Secret>, Refused> {
        match self.answer(name)? {
            Some(Value::Scope(secret)) => Ok(Some(secret)),
            Some(Value::Environment(_)) | None => Ok(None),
        }
    }

    pub(crate) fn explain(&self, name: &OsStr) -> Explanation {
        let found = self.judge(name);
        let question = self.question(name, found.held());
        let (decision, value) = self.carried_out(name, question, decide(question), found);
        let refused = self.denial(decision, found).map(|reason| Refused::new(name, reason));
        let ruling = Ruling { class: question.class, decision, scope: self.bound.scope(), value, refused };
        Explanation::of(Name::new(name), ruling)
    }

    /// What the scope says of the name.
    fn judge(&self, name: &OsStr) -> Found<'a> {
        match self.bound {
            Seen::Scope(scope) => scope.judge(scope.entries().get(name)),
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

    fn question(&self, name: &OsStr, held: Held) -> Question {
        let (class, hosting) = (self.class_of(name), self.hosted_by());
        Question {
            possible: Name::is_possible(name),
            class,
            hosting,
            bound: match self.bound {
                Seen::Nothing => Binding::Nothing,
                Seen::Scope(_) => Binding::Scope,
                Seen::Refusal(_) => Binding::Refusal,
            },
            // Where many profiles are hosted, no row of a secret asks whose home is bound.
            home: match (class, hosting) {
                (NameClass::Secret, HostedBy::ManyProfiles) => BoundHome::Nothing,
                _ => self.home(),
            },
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

/// Whether the frame or handle may be read through (SEC-17).
#[inline]
fn standing(context: &Context, hosting: Option<&dyn Hosting>) -> Standing {
    match (hosting, context.host()) {
        (Some(hosting), Some(host)) if hosting.host() != host => Standing::OtherHost,
        _ if context.is_closed() => Standing::Closed,
        _ => Standing::Open,
    }
}

/// The way of nearly every read: a scope is bound that may be read through, and a host is there. What a row
/// does not ask is not looked up, and stands in its question as anything.
///
/// A scope holds secrets only (SEC-26), so a hit's class is known, and neither the home nor how many profiles
/// are hosted is in a row that it can reach. Absence is found here where many profiles are hosted: of a
/// secret, no row asks for the home then, and whether a variable can have the name changes nothing, since
/// one that none can have is absent too.
///
/// All that goes in and comes out fits into registers, which a [`Sight`] does not: putting one together in
/// memory takes as long as the lookup. The table was asked when this was compiled.
#[inline(never)]
pub(crate) fn quick<'a>(context: &'a Context, hosting: &dyn Hosting, name: &OsStr) -> Quick<&'a Secret> {
    const HIT: Answer = secret_in_open_scope(Held::Yes);
    const MISS: Answer = secret_in_open_scope(Held::No);

    let Some(Bound::Policy(scope)) = context.get::<BoundSecrets>() else { return Quick::Neither };
    if standing(context, Some(hosting)) != Standing::Open {
        return Quick::Neither;
    }
    match scope.entries().find(name) {
        Some(Entry { value: Some(secret), .. }) if matches!(HIT, Answer::Scope) => Quick::Value(secret),
        None if matches!(MISS, Answer::Absent)
            && !scope.has_failures()
            && hosting.many_profiles()
            && scope.classes().class_of(name) == NameClass::Secret =>
        {
            Quick::Absent
        }
        _ => Quick::Neither,
    }
}

/// What the table says of a secret in an open scope, where many profiles are hosted.
const fn secret_in_open_scope(held: Held) -> Answer {
    let question = Question {
        possible: true,
        class: NameClass::Secret,
        hosting: HostedBy::ManyProfiles,
        bound: Binding::Scope,
        home: BoundHome::Nothing,
        standing: Standing::Open,
        held,
    };
    decide(question).answer
}

/// Whether the table refuses the read as *unscoped* where nothing is bound, without a closer look.
#[inline]
pub(crate) fn is_unscoped(hosting: &dyn Hosting, name: &OsStr) -> bool {
    const ANSWER: Answer = decide(Question {
        possible: true,
        class: NameClass::Secret,
        hosting: HostedBy::ManyProfiles,
        bound: Binding::Nothing,
        home: BoundHome::Nothing,
        standing: Standing::Open,
        held: Held::No,
    })
    .answer;

    matches!(ANSWER, Answer::Refused(Denial::Unscoped))
        && hosting.many_profiles()
        && Name::is_possible(name)
        && hosting.classes().class_of(name) == NameClass::Secret
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
    fn into_secret(self) -> Secret {
        match self {
            Self::Scope(secret) => secret.clone(),
            Self::Environment(secret) => secret,
        }
    }

    fn secret(&self) -> &Secret {
        match self {
            Self::Scope(secret) => secret,
            Self::Environment(secret) => secret,
        }
    }
}
