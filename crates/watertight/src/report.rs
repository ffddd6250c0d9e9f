//! What this machine would do, without a single secret value (HOST-40).

use std::path::{Path, PathBuf};

use serde::Serialize;
use watertight_disk::home_at;
use watertight_profile_discovery::{LeftOutReason, ListError, ProfileName};
use watertight_profile_home::{ProfileFiles, ProfileHome};
use watertight_secret_scope::{Asking, BoundSecrets};
use watertight_terminal_scope::{BoundTerminal, Explanation as Setting};
use watertight_vocabulary::{Bound, Diagnostic, Name, Origin, Refusal, Severity, shown_path};

use crate::build::Material;
use crate::once::ReadOnce;
use crate::{Activation, Host};

/// What a host would do on this tree, and why (HOST-40).
///
/// It holds names, places and reasons; of terminal settings the values that the schema marks as shown
/// (TERM-11), and of secrets none. It is the same for the same tree and environment. Making it starts no
/// source, activates nothing and changes nothing.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The root of the tree.
    pub root: PathBuf,
    /// The home that the process was started for, resolved.
    pub launch_home: PathBuf,
    /// What eager activation would do, or that it was done.
    pub activation: Activation,
    /// Whether somebody captured the launch environment before anything was activated (SNAP-01).
    pub captured_early: bool,
    /// The homes that count for activation, and why each does.
    pub tenants: Vec<ReportedTenant>,
    /// The names of the profiles that are served.
    pub served: Vec<String>,
    /// The profiles and entries that are not served, and why.
    pub not_served: Vec<NotServed>,
    /// Each installed profile, and the launch home.
    pub profiles: Vec<ReportedProfile>,
    /// The external sources. A report asks none of them (SEC-32).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<ReportedSource>,
    /// Problems of the tree as a whole.
    pub problems: Vec<Diagnostic>,
}

/// An external source of every profile's secrets.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct ReportedSource {
    /// Its name.
    pub name: String,
    /// The names that it may hold.
    pub declares: Vec<Name>,
    /// Always *configured, not asked*.
    pub state: &'static str,
}

/// A home that counts for activation.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct ReportedTenant {
    /// Its name, where it is a profile of the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The home, resolved.
    pub home: PathBuf,
    /// The code of why it counts.
    pub why: &'static str,
    /// Other names that lead to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
}

/// Something in the tree that is not served.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct NotServed {
    /// The entry's name, escaped where it is not printable.
    pub entry: String,
    /// The code of the reason.
    pub code: &'static str,
    /// The reason.
    pub why: String,
}

/// One profile.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct ReportedProfile {
    /// Its name, where it is a profile of the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its home, resolved.
    pub home: PathBuf,
    /// Whether the process was started for it.
    pub launch: bool,
    /// Its secrets.
    pub secrets: Reported<Vec<ReportedSecret>>,
    /// Its terminal policy.
    pub terminal: Reported<Vec<Setting>>,
    /// The problems of its files.
    pub problems: Vec<Diagnostic>,
}

/// A part of a profile, or why every read of it would be refused.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::exhaustive_enums, reason = "it is built or it is refused")]
pub enum Reported<T> {
    /// It would be bound.
    Entries(T),
    /// Every read would be refused.
    Refused {
        /// The code of the refusal.
        code: &'static str,
        /// Where, why, and how to mend it.
        reason: String,
    },
}

/// The name of a secret and where its value comes from.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct ReportedSecret {
    /// The name.
    pub name: Name,
    /// The layer that wins; nothing where a source withholds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// Why nothing answers it, where a source declares it and was not asked, or failed (SEC-24).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld: Option<String>,
    /// The layers that it shadows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shadowed: Vec<Origin>,
}

impl Report {
    /// All problems: the tree's, then each profile's.
    pub fn all_problems(&self) -> impl Iterator<Item = &Diagnostic> {
        self.problems.iter().chain(self.profiles.iter().flat_map(|profile| &profile.problems))
    }

    /// Whether a strict reader has something to object to: a warning, an error, a refusal, or tenants that
    /// could not be counted.
    pub fn is_objectionable(&self) -> bool {
        self.all_problems().any(|problem| problem.severity() >= Severity::Warning)
            || self.profiles.iter().any(ReportedProfile::is_refused)
            || matches!(self.activation, Activation::CountingFailed { .. })
    }
}

impl ReportedProfile {
    fn is_refused(&self) -> bool {
        matches!(self.secrets, Reported::Refused { .. }) || matches!(self.terminal, Reported::Refused { .. })
    }
}

impl<T> Reported<T> {
    fn refused(refusal: &Refusal) -> Self {
        Self::Refused { code: refusal.code(), reason: refusal.to_string() }
    }
}

impl Host {
    /// Reports what this machine would do (HOST-40).
    pub fn report(&self) -> Report {
        let activation =
            if self.many_profiles() { Activation::AlreadyActive } else { self.decide_activation() };
        let mut report = Report {
            root: self.tree().root().path().to_owned(),
            launch_home: self.launch_home().path().to_owned(),
            activation,
            captured_early: self.inner().captured_early(),
            tenants: Vec::new(),
            served: Vec::new(),
            not_served: Vec::new(),
            profiles: Vec::new(),
            sources: self.report_sources(),
            problems: Vec::new(),
        };
        report.problems.extend(self.inner().environment_now().diagnostics());
        if let Err(error) = self.report_tree(&mut report) {
            report.problems.push(Diagnostic::error(error.code(), error.to_string()));
        }
        if !report.profiles.iter().any(|profile| profile.launch) {
            report.profiles.push(self.report_launch(self.launch_name()));
        }
        report
    }

    fn report_tree(&self, report: &mut Report) -> Result<(), ListError> {
        let tenants = self.tree().tenants(self.launch_home())?;
        report.tenants.extend(tenants.iter().map(|tenant| ReportedTenant {
            name: tenant.name().map(text),
            home: tenant.home().to_owned(),
            why: tenant.reason().code(),
            aliases: tenant.aliases().iter().map(text).collect(),
        }));
        let serving = self.tree().serving()?;
        report.served.extend(serving.residents().iter().map(|resident| text(resident.name())));
        report.not_served.extend(serving.left_out().iter().map(|left_out| NotServed {
            entry: text(left_out.profile().name()),
            code: left_out.reason().code(),
            why: why_left_out(left_out.reason()),
        }));
        report.not_served.extend(serving.skipped().iter().map(|skipped| NotServed {
            entry: skipped.name().to_string_lossy().escape_debug().to_string(),
            code: skipped.reason().code(),
            why: skipped.diagnostic().message().to_owned(),
        }));
        report.problems.extend(serving.diagnostics().iter().cloned());
        for resident in self.tree().installed()?.residents() {
            let profile = match home_at(&*self.inner().disk, resident.home()) {
                Ok(home) if self.tree().root().is_launch_home(&home) => {
                    self.report_launch(Some(text(resident.name())))
                }
                Ok(home) => {
                    self.report_profile(Some(text(resident.name())), &self.confined_home(home), false)
                }
                Err(error) => {
                    report.problems.push(Diagnostic::error(error.code(), error.to_string()));
                    continue;
                }
            };
            report.profiles.push(profile);
        }
        Ok(())
    }

    fn report_sources(&self) -> Vec<ReportedSource> {
        let sources = self.inner().sources.sources().iter();
        sources
            .map(|source| ReportedSource {
                name: source.name().to_owned(),
                declares: source.declares().to_vec(),
                state: "configured, not asked",
            })
            .collect()
    }

    fn report_launch(&self, name: Option<String>) -> ReportedProfile {
        match self.launch_profile_home() {
            Ok(home) => self.report_profile(name, &home, true),
            Err(error) => ReportedProfile {
                name,
                home: self.launch_home().path().to_owned(),
                launch: true,
                secrets: Reported::refused(&error.refusal()),
                terminal: Reported::refused(&error.refusal()),
                problems: Vec::new(),
            },
        }
    }

    fn report_profile(&self, name: Option<String>, home: &ProfileHome, is_launch: bool) -> ReportedProfile {
        let environment = self.inner().environment_now();
        let launch = is_launch.then_some(&*environment);
        let files = ReadOnce::new(&*self.inner().files);
        let managed = self.inner().managed.read(&*self.inner().disk);
        let material = Material { home, files: &files, managed: &managed, launch, environment: &environment };
        let secrets = self.secret_scope(material, Asking::Never);
        let terminal = self.terminal_policy(material);
        let mut problems = Vec::new();
        if let Ok(Some(dotenv)) = files.dotenv(home) {
            problems.extend(dotenv.diagnostics().iter().cloned());
        }
        if let Bound::Policy(scope) = &secrets {
            problems.extend(scope.diagnostics().iter().cloned());
        }
        if let Bound::Policy(policy) = &terminal {
            problems.extend(policy.problems().iter().cloned());
        }
        problems.sort_by(|a, b| place(a).cmp(&place(b)));
        problems.dedup();
        ReportedProfile {
            name,
            home: home.path().to_owned(),
            launch: is_launch,
            secrets: reported_secrets(&secrets),
            terminal: reported_terminal(&terminal),
            problems,
        }
    }
}

fn reported_secrets(bound: &BoundSecrets) -> Reported<Vec<ReportedSecret>> {
    match bound {
        Bound::Policy(scope) => {
            let mut names: Vec<_> = scope.names().into_iter().chain(scope.withheld()).collect();
            names.sort_unstable();
            let reported = names.into_iter().map(|name| {
                let origin = scope.origin(name);
                let withheld = match origin {
                    Some(_) => None,
                    None => scope.failures(name).next().map(ToString::to_string),
                };
                ReportedSecret { name: name.clone(), origin, withheld, shadowed: scope.shadowed(name) }
            });
            Reported::Entries(reported.collect())
        }
        Bound::Refusal(refusal) => Reported::refused(refusal),
    }
}

fn reported_terminal(bound: &BoundTerminal) -> Reported<Vec<Setting>> {
    match bound {
        Bound::Policy(policy) => Reported::Entries(policy.explanations().collect()),
        Bound::Refusal(refusal) => Reported::refused(refusal),
    }
}

/// Problems in the order of their places, whatever order an environment lists its names in.
fn place(problem: &Diagnostic) -> (Option<&Path>, Option<u32>, Option<&str>, &str) {
    (problem.path(), problem.line(), problem.subject(), problem.code())
}

fn why_left_out(reason: &LeftOutReason) -> String {
    match reason {
        LeftOutReason::Alias { of } => format!("another name of {}", of.as_str()),
        LeftOutReason::Parked => "parked".to_owned(),
        LeftOutReason::Standalone => "a gateway of its own (`gateway.standalone`)".to_owned(),
        LeftOutReason::Unknown { path, source } => {
            format!("cannot be examined: {}: {source}", shown_path(path))
        }
        other => other.code().to_owned(),
    }
}

fn text(name: &ProfileName) -> String {
    name.as_str().to_owned()
}
