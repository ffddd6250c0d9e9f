//! Stacks layers into one scope: later wins, and what was shadowed is remembered (SEC-20, SEC-29).

use std::path::Path;
use std::sync::Arc;

use watertight_profile_home::Dotenv;
use watertight_vocabulary::{CaseRule, Classes, Diagnostic, EnvSource, Layer, Name, NameClass, Secret};

use crate::entries::{Entries, Entry, Place};
use crate::scope::{Failure, LayerFacts, Parts};
use crate::source::Outcome;

/// Layers, from the bottom to the top. Whoever calls decides the order; there is one caller.
pub(crate) struct Stack {
    classes: Classes,
    entries: Entries,
    layers: Vec<LayerFacts>,
    /// By the number of the entry.
    shadowed: Vec<(u32, Place)>,
    failures: Vec<Failure>,
    diagnostics: Vec<Diagnostic>,
}

/// Of several values that one layer has for one name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeated {
    /// As for `getenv` (SNAP-25).
    FirstCounts,
    LastCounts,
}

impl Stack {
    pub(crate) fn new(classes: Classes, capacity: usize) -> Self {
        let entries = Entries::with_capacity(capacity, classes.case_rule());
        Self {
            classes,
            entries,
            layers: Vec::with_capacity(2),
            shadowed: Vec::new(),
            failures: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// The names of an environment, without what is no secret (SEC-20). Odd names, which nobody can ask for,
    /// stay out (SNAP-05).
    pub(crate) fn environment(&mut self, layer: Layer, environment: &dyn EnvSource) {
        let layer = self.layer(layer, None, None);
        for (name, value) in environment.vars_os() {
            if Name::is_possible(&name) {
                let name = Name::from(name);
                let value = Secret::from_os(&name, value);
                self.put(Place { layer, line: 0 }, &name, value, Repeated::FirstCounts);
            }
        }
    }

    /// Names that the host shares, as far as the environment has them (SEC-27).
    pub(crate) fn shared<'a>(&mut self, names: impl Iterator<Item = &'a Name>, environment: &dyn EnvSource) {
        let layer = self.layer(Layer::Shared, None, None);
        for name in names {
            if let Some(value) = environment.var_os(name.as_os_str()) {
                let value = Secret::from_os(name, value);
                self.put(Place { layer, line: 0 }, name, value, Repeated::FirstCounts);
            }
        }
    }

    /// A file, and what its reader reported.
    pub(crate) fn dotenv(&mut self, layer: Layer, file: &Dotenv) {
        let layer = self.layer(layer, Some(Arc::clone(file.path())), None);
        self.diagnostics.extend(file.diagnostics().iter().cloned());
        // Entries stand in the order in which their keys came first; of keys that are one name where case does
        // not matter, the last line counts (SNAP-08, FILE-20).
        let mut entries: Vec<_> = file.entries().collect();
        if self.classes.case_rule() != CaseRule::Sensitive {
            entries.sort_by_key(|entry| entry.line());
        }
        for entry in entries {
            let place = Place { layer, line: entry.line() };
            self.put(place, entry.name(), entry.value().clone(), Repeated::LastCounts);
        }
    }

    /// What a source answered. One that failed takes the names that it declares from the layers beneath:
    /// what it would have said cannot be known (SEC-24). That is reported; that one was not asked is not.
    pub(crate) fn source(&mut self, source: &Outcome) {
        let layer = self.layer(Layer::Source, None, Some(Arc::clone(&source.name)));
        let place = Place { layer, line: 0 };
        if let Some(failure) = source.failure() {
            let failed = Diagnostic::warning(failure.code(), failure.to_string());
            self.diagnostics.push(failed.about(Arc::clone(&source.name)));
        }
        match &source.answer {
            Ok(values) => {
                for (name, value) in values.iter() {
                    self.put(place, name, value.clone(), Repeated::LastCounts);
                }
            }
            Err(refusal) => {
                self.failures.push(Failure { layer, refusal: refusal.clone() });
                for name in source.declares.iter() {
                    if self.admits(name, place) {
                        self.stack(Entry { name: name.clone(), value: None, place });
                    }
                }
            }
        }
    }

    pub(crate) fn into_parts(mut self) -> Parts {
        self.entries.shrink();
        // Of one name, the layer that was shadowed last lies next beneath the winner.
        self.shadowed.reverse();
        self.shadowed.sort_by_key(|(number, _)| *number);
        Parts {
            classes: self.classes,
            entries: self.entries,
            layers: self.layers,
            shadowed: self.shadowed,
            failures: self.failures,
            diagnostics: self.diagnostics,
        }
    }

    fn layer(&mut self, layer: Layer, path: Option<Arc<Path>>, source: Option<Arc<str>>) -> u16 {
        let number = u16::try_from(self.layers.len()).unwrap_or(u16::MAX);
        self.layers.push(LayerFacts { layer, path, source });
        number
    }

    fn put(&mut self, place: Place, name: &Name, value: Secret, repeated: Repeated) {
        if !self.admits(name, place) {
            return;
        }
        let repeats = |held: &Entry| held.place.layer == place.layer;
        if repeated == Repeated::FirstCounts && self.entries.get(name.as_os_str()).is_some_and(repeats) {
            return;
        }
        self.stack(Entry { name: name.clone(), value: Some(value), place });
    }

    /// Whether a name may enter; if not, a note says so (SEC-26).
    fn admits(&mut self, name: &Name, place: Place) -> bool {
        let (code, message) = match self.classes.class_of(name.as_os_str()) {
            _ if !Name::is_possible(name.as_os_str()) => {
                ("impossible-name", "no variable can have this name, so nobody could ask for it")
            }
            NameClass::Secret => return true,
            NameClass::Global => {
                ("global-name", "it is a setting of the process and enters no profile's secrets")
            }
            NameClass::Terminal => {
                ("terminal-name", "it is a terminal setting and enters the terminal policy alone")
            }
            NameClass::ControlPlane => {
                ("control-plane-name", "it belongs to the runner's control plane and enters no profile")
            }
        };
        self.report(Diagnostic::note(code, message), name, place);
        false
    }

    /// Lays an entry on top. A withheld name was no value, so it leaves no shadow.
    fn stack(&mut self, entry: Entry) {
        let layer = entry.place.layer;
        if let Some((number, below)) = self.entries.put(entry)
            && below.value.is_some()
            && below.place.layer != layer
        {
            self.shadowed.push((number, below.place));
        }
    }

    fn report(&mut self, diagnostic: Diagnostic, name: &Name, place: Place) {
        let diagnostic = diagnostic.about(name.to_string());
        let path = self.layers.get(usize::from(place.layer)).and_then(|facts| facts.path.clone());
        self.diagnostics.push(match path {
            Some(path) if place.line > 0 => diagnostic.in_file(path).on_line(place.line),
            Some(path) => diagnostic.in_file(path),
            None => diagnostic,
        });
    }
}
