use std::collections::BTreeMap;

use base64::Engine;
use serde_json::json;

use super::{Answer, Assignment, Fault, Hello, Subject};
use crate::case::{Outcome, Step};

/// The ecosystem's reader of `.env`, built in as a foreign subject: it can be asked what a text assigns, and
/// nothing else. How it differs stands in its expectations file.
#[derive(Debug)]
pub struct Dotenvy {
    hello: Hello,
}

impl Dotenvy {
    /// The reader of `dotenvy`.
    pub fn new() -> Self {
        let capabilities = vec!["parse-dotenv".to_owned()];
        Self { hello: Hello { name: "dotenvy".to_owned(), version: "0.15".to_owned(), capabilities } }
    }
}

impl Default for Dotenvy {
    fn default() -> Self {
        Self::new()
    }
}

impl Subject for Dotenvy {
    fn hello(&self) -> &Hello {
        &self.hello
    }

    fn run(&self, assignment: &Assignment) -> Result<Answer, Fault> {
        let mut answer = Answer::default();
        for step in &assignment.script {
            let Step::ParseDotenv { label, text, base64 } = step else { continue };
            let bytes = match (text, base64) {
                (Some(text), _) => text.clone().into_bytes(),
                (None, base64) => base64::engine::general_purpose::STANDARD
                    .decode(base64.as_deref().unwrap_or_default())
                    .map_err(|error| Fault::Nonsense(error.to_string()))?,
            };
            let mut entries = BTreeMap::new();
            for entry in ::dotenvy::Iter::new(bytes.as_slice()) {
                match entry {
                    Ok((name, value)) => drop(entries.insert(name, value)),
                    Err(error) => answer.log.push(error.to_string()),
                }
            }
            answer.outcomes.insert(label.clone(), Outcome::Value(json!(entries)));
        }
        Ok(answer)
    }
}
