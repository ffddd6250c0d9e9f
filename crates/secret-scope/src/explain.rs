use std::fmt;

use watertight_vocabulary::{Name, NameClass, Origin, Refusal, Refused, RefusedReason};

use crate::sight::{Ruling, Value};

/// Why a read is answered as it is: which layer answered and which it shadows, or why nothing did
/// (SEC-29). It holds no value.
///
/// ```
/// use watertight_profile_home::{MemoryFiles, ProfileHome};
/// use watertight_secret_scope::SecretScope;
/// use watertight_vocabulary::HomeId;
///
/// let home = ProfileHome::confined(HomeId::new("/srv/agents/coder".into(), None));
/// let files = MemoryFiles::new();
/// files.set_dotenv(&home, "MODEL_KEY=canary-1\n");
/// let bound = SecretScope::builder(&home).files(&files).build();
/// let scope = bound.policy().expect("the file can be read");
///
/// let text = scope.explain("MODEL_KEY").to_string();
/// assert_eq!(text, "MODEL_KEY: a value from .env (/srv/agents/coder/.env:1) [SEC-02]");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    name: Name,
    class: NameClass,
    rule: &'static str,
    verdict: Verdict,
    shadowed: Vec<Origin>,
    failures: Vec<Refusal>,
}

/// How a read is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "value, absent and refused are all there is (SEC-12)")]
pub enum Verdict {
    /// With the value that this layer of the scope holds.
    Scope(Origin),
    /// With the value that the environment of the process holds.
    Environment,
    /// With absence.
    Absent,
    /// With a refusal.
    Refused(Refused),
}

impl Explanation {
    pub(crate) fn of(name: Name, ruling: Ruling<'_>) -> Self {
        let origin = ruling.scope.and_then(|scope| scope.origin(&name));
        let verdict = match (ruling.refused, ruling.value, origin) {
            (Some(refused), ..) => Verdict::Refused(refused),
            (None, Some(Value::Scope(_)), Some(origin)) => Verdict::Scope(origin),
            (None, Some(Value::Environment(_)), _) => Verdict::Environment,
            (None, ..) => Verdict::Absent,
        };
        let speaks_for_the_scope = match &verdict {
            Verdict::Scope(_) => true,
            Verdict::Refused(refused) => matches!(refused.reason(), RefusedReason::Unavailable(_)),
            Verdict::Environment | Verdict::Absent => false,
        };
        let scope = ruling.scope.filter(|_| speaks_for_the_scope);
        Self {
            class: ruling.class,
            rule: ruling.decision.rule,
            shadowed: scope.map(|scope| scope.shadowed(&name)).unwrap_or_default(),
            failures: scope.map(|scope| scope.failures(&name).cloned().collect()).unwrap_or_default(),
            verdict,
            name,
        }
    }

    /// The name.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// Its class.
    pub fn class(&self) -> NameClass {
        self.class
    }

    /// The rule that decided.
    pub fn rule(&self) -> &'static str {
        self.rule
    }

    /// The answer.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// The layers that hold the name beneath the one that answered, or beneath the failed source that
    /// withholds it; the next one first.
    pub fn shadowed(&self) -> &[Origin] {
        &self.shadowed
    }

    /// The failed sources above the layer that answered: one of them may hold another value (SEC-24).
    pub fn failures(&self) -> &[Refusal] {
        &self.failures
    }

    /// The suite's code: `value`, `absent`, or the code of the refusal.
    pub fn code(&self) -> &'static str {
        match &self.verdict {
            Verdict::Scope(_) | Verdict::Environment => "value",
            Verdict::Absent => "absent",
            Verdict::Refused(refused) => refused.code(),
        }
    }

    /// Why the name is absent, in one sentence.
    fn why_absent(&self) -> &'static str {
        match self.rule {
            "SEC" => "no variable can have this name",
            "SEC-01" | "SEC-10" => "the environment of the process does not set it",
            "SEC-03" => "the profile does not set it, and many profiles are hosted",
            "SEC-04" => {
                "the profile does not set it, and the environment of the process is another profile's"
            }
            "SEC-05" => "neither the profile nor the environment of the process sets it",
            "SEC-07" => "no scope is bound, and the environment of the process does not set it",
            _ => "the scope does not set it, and it was built without a host",
        }
    }
}

/// One line for the answer, and one for each layer or source beside it.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, rule, .. } = self;
        match &self.verdict {
            Verdict::Scope(origin) => write!(f, "{name}: a value from {origin} [{rule}]")?,
            Verdict::Environment => write!(f, "{name}: a value from the process environment [{rule}]")?,
            Verdict::Absent => write!(f, "{name}: absent, because {} [{rule}]", self.why_absent())?,
            Verdict::Refused(refused) => {
                let refused = Refused::nameless(refused.reason().clone());
                write!(f, "{name}: {refused} [{rule}]")?;
            }
        }
        let beneath = if matches!(self.verdict, Verdict::Refused(_)) { "withholds" } else { "shadows" };
        for origin in &self.shadowed {
            write!(f, "\n  {beneath} {origin}")?;
        }
        if matches!(self.verdict, Verdict::Scope(_)) {
            for failure in &self.failures {
                write!(f, "\n  may hold another value: {failure}")?;
            }
        }
        Ok(())
    }
}
