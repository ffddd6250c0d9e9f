//! The report as a person reads it.

use std::fmt;

use watertight_terminal_scope::{Explanation as Setting, Shown};
use watertight_vocabulary::{Diagnostic, Layer, Origin, shown_path};

use crate::report::{Report, Reported, ReportedProfile, ReportedSecret};

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "root         {}", shown_path(&self.root))?;
        writeln!(f, "launch home  {}", shown_path(&self.launch_home))?;
        writeln!(f, "activation   {}", self.activation)?;
        if self.captured_early {
            writeln!(f, "             the launch environment was captured by hand, before any activation")?;
        }
        writeln!(f, "\ntenants")?;
        for tenant in &self.tenants {
            let name = tenant.name.as_deref().unwrap_or("-");
            write!(f, "  {name:<20} {} ({})", shown_path(&tenant.home), tenant.why)?;
            if !tenant.aliases.is_empty() {
                write!(f, ", also {}", tenant.aliases.join(", "))?;
            }
            writeln!(f)?;
        }
        writeln!(f, "\nserved       {}", self.served.join(", "))?;
        if !self.not_served.is_empty() {
            writeln!(f, "not served")?;
            for left_out in &self.not_served {
                writeln!(f, "  {:<20} {} [{}]", left_out.entry, left_out.why, left_out.code)?;
            }
        }
        for source in &self.sources {
            let declares: Vec<String> = source.declares.iter().map(ToString::to_string).collect();
            writeln!(f, "source       {}: {} ({})", source.name, source.state, declares.join(", "))?;
        }
        write_problems(f, "", &self.problems)?;
        self.profiles.iter().try_for_each(|profile| write_profile(f, profile))
    }
}

fn write_profile(f: &mut fmt::Formatter<'_>, profile: &ReportedProfile) -> fmt::Result {
    let name = profile.name.as_deref().unwrap_or("(no profile of this tree)");
    let launch = if profile.launch { ", launch profile" } else { "" };
    writeln!(f, "\nprofile {name}  {}{launch}", shown_path(&profile.home))?;
    match &profile.secrets {
        Reported::Refused { code, reason } => writeln!(f, "  secrets    refused [{code}]: {reason}")?,
        Reported::Entries(secrets) if secrets.is_empty() => writeln!(f, "  secrets    none")?,
        Reported::Entries(secrets) => {
            writeln!(f, "  secrets")?;
            secrets.iter().try_for_each(|secret| write_secret(f, secret))?;
        }
    }
    match &profile.terminal {
        Reported::Refused { code, reason } => writeln!(f, "  terminal   refused [{code}]: {reason}")?,
        Reported::Entries(settings) => {
            writeln!(f, "  terminal")?;
            let (defaults, own): (Vec<_>, Vec<_>) =
                settings.iter().partition(|setting| is_a_default(setting));
            own.into_iter().try_for_each(|setting| write_setting(f, setting))?;
            writeln!(f, "    and {} at their defaults", defaults.len())?;
        }
    }
    write_problems(f, "  ", &profile.problems)
}

fn write_secret(f: &mut fmt::Formatter<'_>, secret: &ReportedSecret) -> fmt::Result {
    write!(f, "    {:<36} ", secret.name.to_string())?;
    if let Some(origin) = &secret.origin {
        write!(f, "{origin}")?;
    }
    if let Some(withheld) = &secret.withheld {
        write!(f, "withheld: {withheld}")?;
    }
    write_shadowed(f, &secret.shadowed)?;
    writeln!(f)
}

/// The backend is always shown: where commands run is never between the lines.
fn is_a_default(setting: &Setting) -> bool {
    let untouched = setting.origin.as_ref().is_none_or(|origin| origin.layer() == Layer::Default);
    untouched && setting.problem.is_none() && setting.key.as_deref() != Some("backend")
}

fn write_setting(f: &mut fmt::Formatter<'_>, setting: &Setting) -> fmt::Result {
    write!(f, "    {:<36} ", setting.variable.to_string())?;
    match &setting.value {
        Shown::Value(value) => write!(f, "= {value}, ")?,
        Shown::Default => f.write_str("set to the default, ")?,
        Shown::Set => f.write_str("set, ")?,
        Shown::Unreadable => f.write_str("set and unreadable, ")?,
        Shown::Absent => f.write_str("absent")?,
    }
    if let Some(origin) = &setting.origin {
        write!(f, "{origin}")?;
    }
    let above_defaults: Vec<_> =
        setting.shadowed.iter().filter(|origin| origin.layer() != Layer::Default).cloned().collect();
    write_shadowed(f, &above_defaults)?;
    if let Some(problem) = setting.problem {
        write!(f, " [{problem}]")?;
    }
    writeln!(f)
}

fn write_shadowed(f: &mut fmt::Formatter<'_>, shadowed: &[Origin]) -> fmt::Result {
    if shadowed.is_empty() {
        return Ok(());
    }
    let shadowed: Vec<String> = shadowed.iter().map(ToString::to_string).collect();
    write!(f, ", over {}", shadowed.join(", "))
}

fn write_problems(f: &mut fmt::Formatter<'_>, indent: &str, problems: &[Diagnostic]) -> fmt::Result {
    if problems.is_empty() {
        return Ok(());
    }
    writeln!(f, "{indent}problems")?;
    problems.iter().try_for_each(|problem| writeln!(f, "{indent}  {problem}"))
}
