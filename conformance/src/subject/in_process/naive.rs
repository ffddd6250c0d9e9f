use std::collections::BTreeMap;
use std::fs;

use serde_json::json;
use watertight_vocabulary::EnvSource;

use super::flaw::Flaw;
use super::world::{Which, World, shown, text};
use crate::case::{Outcome, Step};

impl World {
    /// What a flaw answers that has none of the rules for a step (CONF-14).
    pub(super) fn naive_leaf(&self, step: &Step, which: Which) -> Option<Result<Outcome, Outcome>> {
        match (self.flaw?, step) {
            (Flaw::EveryFolderCounts, Step::ListProfiles { .. }) => Some(self.every_folder(which)),
            (Flaw::EveryFolderCounts, Step::FindProfile { name, .. }) => Some(Ok(text(name.trim()))),
            (Flaw::HomeIsItsRoot, Step::Root { .. }) => {
                Some(self.host(which).map(|host| text(shown(host.launch_home().path()))))
            }
            (Flaw::HomeIsItsRoot, Step::LaunchHome { .. }) => {
                let home = self.env.var_os("HERMES_HOME".as_ref());
                Some(Ok(home.map_or(Outcome::Absent, |home| text(home.to_string_lossy()))))
            }
            (Flaw::SplitAtEquals, Step::ParseDotenv { text: Some(dotenv), .. }) => {
                Some(Ok(split_at_equals(dotenv)))
            }
            (Flaw::TrustedIdentity, step) => self.trusted(step),
            _ => None,
        }
    }

    fn every_folder(&self, which: Which) -> Result<Outcome, Outcome> {
        let folder = self.host(which)?.tree().root().path().join("profiles");
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.push("default".to_owned());
        names.sort_unstable();
        Ok(Outcome::Value(json!(names)))
    }

    /// Whatever stands there is an id, whoever is asked is alive, and stripping has nothing to do.
    fn trusted(&self, step: &Step) -> Option<Result<Outcome, Outcome>> {
        Some(Ok(match step {
            Step::RunnerId { racers: None, .. } | Step::LoadRunnerId { .. } => {
                let variable = self.env.var_os("OMNIGENT_RUNNER_ID".as_ref());
                let path = self.path(".omnigent/runners/runner_id");
                let file = || path.is_file().then(|| fs::read_to_string(&path).unwrap_or_default());
                let found = variable.map(|value| value.to_string_lossy().into_owned()).or_else(file);
                text(found.unwrap_or_else(|| "runner_1".to_owned()))
            }
            Step::RegenerateRunnerId { .. } => text("runner_1"),
            Step::CheckMachine { .. } => text("not-cloned"),
            Step::TokenId { token, .. } => text(format!("runner_{token}")),
            Step::Wiring { .. } => Outcome::Value(json!({ "isolate_session": false })),
            Step::Orphaned { .. } => text("alive"),
            Step::AdoptSignal { .. } => text("SIGHUP"),
            Step::Strip { env, .. } => Outcome::Value(json!(env)),
            _ => return None,
        }))
    }
}

fn split_at_equals(dotenv: &str) -> Outcome {
    let pairs: BTreeMap<_, _> = dotenv.lines().filter_map(|line| line.split_once('=')).collect();
    Outcome::Value(json!(pairs))
}
