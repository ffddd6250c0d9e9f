use std::collections::BTreeMap;

use base64::Engine;
use serde_json::{Value, json};
use watertight_disk::{RealFileSystem, home_at};
use watertight_profile_home::{Dotenv, FileError, ProfileHome, Yaml, parse_dotenv, write_value};

use super::flaw::{Flaw, expanded, refers};
use super::world::{World, text};
use crate::case::{Outcome, Step};

impl World {
    pub(super) fn file_leaf(&self, step: &Step) -> Option<Result<Outcome, Outcome>> {
        Some(match step {
            Step::ParseDotenv { text, base64, .. } => {
                self.parsed(text.as_deref(), base64.as_deref()).map(|dotenv| entries(&dotenv))
            }
            Step::DotenvReports { text, base64, .. } => {
                self.parsed(text.as_deref(), base64.as_deref()).map(|dotenv| reports(&dotenv))
            }
            Step::WriteDotenv { value, .. } => match write_value(value) {
                Ok(written) => Ok(text(written.as_str())),
                Err(error) => Err(self.error(&error, error.code())),
            },
            Step::ReadDotenv { home, .. } => self.home(home).and_then(|home| {
                let read = self.files.dotenv(&home).map_err(|error| self.file_error(&error))?;
                self.log.debug(&read);
                Ok(read.map_or(Outcome::Absent, |dotenv| entries(&dotenv)))
            }),
            Step::ReadConfig { home, section, .. } => {
                self.home(home).and_then(|home| self.read_config(&home, section))
            }
            _ => return None,
        })
    }

    fn home(&self, relative: &str) -> Result<ProfileHome, Outcome> {
        let id = home_at(&RealFileSystem, &self.path(relative));
        id.map(ProfileHome::confined).map_err(|error| self.error(&error, error.code()))
    }

    fn file_error(&self, error: &FileError) -> Outcome {
        self.error(error, error.reason())
    }

    fn parsed(&self, text: Option<&str>, base64: Option<&str>) -> Result<Dotenv, Outcome> {
        let bytes = match (text, base64) {
            (Some(text), _) => text.as_bytes().to_vec(),
            (None, base64) => base64::engine::general_purpose::STANDARD
                .decode(base64.unwrap_or_default())
                .map_err(|_| Outcome::Error("no-base64".to_owned()))?,
        };
        let bytes = self.rewritten(bytes);
        let dotenv = parse_dotenv(&bytes).map_err(|error| self.file_error(&error))?;
        self.log.debug(&dotenv);
        for diagnostic in dotenv.diagnostics() {
            self.log.line(&diagnostic.to_string());
            self.log.debug(diagnostic);
            if self.shows(Flaw::ProblemsQuoteValues) {
                let line = diagnostic.line().and_then(|line| usize::try_from(line).ok()?.checked_sub(1));
                let quoted =
                    String::from_utf8_lossy(&bytes).lines().nth(line.unwrap_or(0)).map(str::to_owned);
                self.log.line(&format!("{diagnostic}: {}", quoted.unwrap_or_default()));
            }
        }
        if refers(&dotenv) && self.shows(Flaw::InterpolatingDotenv) {
            return expanded(&dotenv, &*self.env).map_err(|error| self.file_error(&error));
        }
        Ok(dotenv)
    }

    fn read_config(&self, home: &ProfileHome, section: &str) -> Result<Outcome, Outcome> {
        let Some(config) = self.files.config(home).map_err(|error| self.file_error(&error))? else {
            return Ok(Outcome::Absent);
        };
        self.log.debug(&config);
        let section = config.section(section).map_err(|error| self.file_error(&error))?;
        if section.is_empty() && self.shows(Flaw::ConfigIsRequired) {
            return Err(Outcome::Error("invalid".to_owned()));
        }
        let pairs =
            section.entries().map(|(key, value)| (shown(key), Value::String(self.resolved(shown(value)))));
        Ok(Outcome::Value(Value::Object(pairs.collect())))
    }
}

fn entries(dotenv: &Dotenv) -> Outcome {
    let entries: BTreeMap<String, &str> = dotenv
        .entries()
        .map(|entry| {
            (entry.name().as_str().unwrap_or_default().to_owned(), entry.value().expose().unwrap_or_default())
        })
        .collect();
    Outcome::Value(json!(entries))
}

/// `3`, or `3-5`, each once and in order.
fn reports(dotenv: &Dotenv) -> Outcome {
    let mut lines: Vec<(u32, u32)> = dotenv
        .diagnostics()
        .iter()
        .filter_map(|diagnostic| {
            let first = diagnostic.line()?;
            Some((first, diagnostic.last_line().unwrap_or(first)))
        })
        .collect();
    lines.sort_unstable();
    lines.dedup();
    let shown = lines.iter().map(
        |(first, last)| {
            if first == last { first.to_string() } else { format!("{first}-{last}") }
        },
    );
    Outcome::Value(json!(shown.collect::<Vec<_>>()))
}

/// A scalar as its text; anything else by its kind.
fn shown(value: &Yaml) -> String {
    match value {
        Yaml::Null => String::new(),
        Yaml::Bool(value) => value.to_string(),
        Yaml::Int(digits) | Yaml::Text(digits) => digits.as_str().to_owned(),
        Yaml::Float(value) => value.value().to_string(),
        Yaml::List(_) | Yaml::Map(_) | Yaml::Tagged(_) => value.kind().to_owned(),
    }
}
