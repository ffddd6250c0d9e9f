//! Stacking the layers of a policy, key by key (TERM-01).

use std::collections::BTreeMap;
use std::sync::Arc;

use watertight_profile_home::{Dotenv, Section, Yaml, boolean_word};
use watertight_vocabulary::{
    Classes, Diagnostic, EnvSource, Layer, Name, NameClass, Origin, Refusal, Secret,
};

use crate::fault::Flaw;
use crate::policy::{Mark, OwnEntry};
use crate::render::{Rendered, render};
use crate::schema::{BACKEND, CWD, IMAGE, IMAGE_PINNED, IMAGE_PINNED_KEY, is_cwd_placeholder};
use crate::{Fault, SchemaKey, TerminalSchema};

/// The layers as they are laid, the last on top.
#[derive(Debug)]
pub(crate) struct Layers<'a> {
    schema: &'a TerminalSchema,
    classes: &'a Classes,
    entries: BTreeMap<Name, Laid>,
    pub(crate) problems: Vec<Diagnostic>,
    /// What TERM-07 looks at.
    pub(crate) image_is_set: bool,
}

/// The entry on top, and the layers beneath it, the lowest first.
#[derive(Debug)]
struct Laid {
    value: Option<Secret>,
    flaw: Option<Flaw>,
    origin: Origin,
    integer_as_text: bool,
    beneath: Vec<Mark>,
}

impl Laid {
    fn new(value: Option<Secret>, flaw: Option<Flaw>, origin: Origin) -> Self {
        Self { value, flaw, origin, integer_as_text: false, beneath: Vec::new() }
    }
}

impl<'a> Layers<'a> {
    pub(crate) fn new(schema: &'a TerminalSchema, classes: &'a Classes) -> Self {
        Self { schema, classes, entries: BTreeMap::new(), problems: Vec::new(), image_is_set: false }
    }

    /// A `.env`: every terminal name, mapped or not, empty ones included, as written.
    pub(crate) fn dotenv(&mut self, dotenv: &Dotenv, layer: Layer) {
        let path = Arc::clone(dotenv.path());
        let mut entries: Vec<_> = dotenv.entries().collect();
        entries.sort_by_key(|entry| entry.line());
        for entry in entries {
            let origin = Origin::line(layer, Arc::clone(&path), entry.line());
            if let Some(name) = self.terminal_name(entry.name(), &origin) {
                if layer == Layer::Dotenv && self.is_image(&name) {
                    self.image_is_set = true;
                }
                self.lay_text(name, entry.value().clone(), origin);
            }
        }
    }

    /// The terminal names of the launch environment. Of a name that stands twice the first counts, as for
    /// the system (SNAP-25).
    pub(crate) fn environment(&mut self, environment: &dyn EnvSource) {
        let origin = Origin::layer_only(Layer::LaunchEnvironment);
        let mut seen = std::collections::BTreeSet::new();
        for (variable, value) in environment.vars_os() {
            let Some(name) = self.terminal_name(&Name::from(variable), &origin) else { continue };
            if !seen.insert(name.clone()) {
                continue;
            }
            let value = Secret::from_os(&name, value);
            if self.is_image(&name) {
                let default = self.schema.key(IMAGE).and_then(SchemaKey::default);
                let differs = default.is_none_or(|default| default.expose_bytes() != value.expose_bytes());
                self.image_is_set |= differs;
            }
            self.lay_text(name, value, origin.clone());
        }
    }

    /// The section `terminal:`: mapped keys only; the others are reported (TERM-04).
    pub(crate) fn section(&mut self, section: &Section<'_>, origin: &Origin) -> Result<(), Refusal> {
        for (name, value) in section.entries() {
            match name.as_str().and_then(|key| self.schema.key(key)) {
                Some(key) => self.mapped(key, value, origin, section.line())?,
                None => self.unknown(name, origin),
            }
        }
        Ok(())
    }

    fn mapped(
        &mut self,
        key: &SchemaKey,
        value: &Yaml,
        origin: &Origin,
        line: Option<u32>,
    ) -> Result<(), Refusal> {
        match key.key() {
            IMAGE => self.image_is_set = true,
            BACKEND => {
                ensure_backend_is_text(value, self.schema).map_err(|refusal| at(refusal, origin, line))?;
            }
            CWD if value.as_str().is_some_and(is_cwd_placeholder) => return Ok(()),
            _ => {}
        }
        let name = key.variable().clone();
        match render(value, key.value_type()) {
            Rendered::Nothing => {}
            Rendered::Text(text, flaw) => self.lay(name, Laid::new(Some(text), flaw, origin.clone())),
            Rendered::IntegerAsText(text) => {
                let laid = Laid::new(Some(text), None, origin.clone());
                self.lay(name, Laid { integer_as_text: true, ..laid });
            }
            Rendered::Spoilt(flaw) => self.lay(name, Laid::new(None, Some(flaw), origin.clone())),
        }
        Ok(())
    }

    fn unknown(&mut self, name: &Yaml, origin: &Origin) {
        if name.as_str() == Some(IMAGE_PINNED_KEY) {
            self.problems.push(computed(origin));
            return;
        }
        let mut problem = Diagnostic::warning(
            "unknown-key",
            "the section `terminal` has no such key; it is ignored, so mend its spelling or remove it",
        )
        .about(name.as_str().unwrap_or("(a key that is not text)"));
        if let Some(path) = origin.path() {
            problem = problem.in_file(path);
        }
        self.problems.push(problem);
    }

    /// The name under which a variable is filed, if it is a terminal setting that a layer may set.
    fn terminal_name(&mut self, variable: &Name, origin: &Origin) -> Option<Name> {
        let possible = Name::is_possible(variable.as_os_str());
        if !possible || self.classes.class_of(variable.as_os_str()) != NameClass::Terminal {
            return None;
        }
        let name = Name::new(self.classes.case_rule().fold(variable.as_os_str()));
        if name.as_str() == Some(IMAGE_PINNED) {
            self.problems.push(computed(origin));
            return None;
        }
        Some(self.schema.variable(name.as_os_str()).map_or(name, |key| key.variable().clone()))
    }

    fn is_image(&self, name: &Name) -> bool {
        self.schema.key(IMAGE).is_some_and(|key| key.variable() == name)
    }

    /// Text that is copied unchanged. If it cannot be read as the key's type, its typed read is an error.
    fn lay_text(&mut self, name: Name, value: Secret, origin: Origin) {
        let expected = self.schema.variable(name.as_os_str()).map(SchemaKey::value_type);
        let flaw =
            expected.filter(|expected| !expected.accepts(value.expose_bytes())).map(|_| Flaw::WrongType);
        self.lay(name, Laid::new(Some(value), flaw, origin));
    }

    fn lay(&mut self, name: Name, mut laid: Laid) {
        if let Some(below) = self.entries.remove(&name) {
            laid.beneath = below.beneath;
            laid.beneath.push(Mark::of(&below.origin));
        }
        self.entries.insert(name, laid);
    }

    /// The text of a variable as it stands now, default included.
    pub(crate) fn text(&self, key: &str) -> Option<&Secret> {
        let key = self.schema.key(key)?;
        match self.entries.get(key.variable()) {
            Some(laid) => laid.value.as_ref(),
            None => key.entry(),
        }
    }

    /// Whether a key is missing: set by no layer and no default. A value without text is not missing.
    pub(crate) fn is_missing_or_empty(&self, key: &str) -> bool {
        let spoilt = self.schema.key(key).and_then(|key| self.entries.get(key.variable()));
        match spoilt {
            Some(laid) => laid.value.as_ref().is_some_and(Secret::is_empty),
            None => self.text(key).is_none_or(Secret::is_empty),
        }
    }

    /// Puts a computed value on top.
    pub(crate) fn compute(&mut self, variable: &Name, value: Secret) {
        self.lay(variable.clone(), Laid::new(Some(value), None, Origin::layer_only(Layer::Computed)));
    }

    /// Whether any layer sets the variable.
    pub(crate) fn sets(&self, variable: &Name) -> bool {
        self.entries.contains_key(variable)
    }

    /// The entries and all problems.
    pub(crate) fn finish(self) -> (Vec<OwnEntry>, Vec<Diagnostic>) {
        let Self { schema, entries, mut problems, .. } = self;
        let entries = entries.into_iter().map(|(name, laid)| {
            problems.extend(report(schema, &name, &laid));
            let Laid { value, flaw, origin, mut beneath, .. } = laid;
            beneath.reverse();
            OwnEntry { name, value, flaw, mark: Mark::of(&origin), shadowed: beneath.into() }
        });
        let entries = entries.collect();
        (entries, problems)
    }
}

/// What is said of a layer that sets what is computed (TERM-07).
fn computed(origin: &Origin) -> Diagnostic {
    let message = "it is computed from the other layers; what this layer says is not used";
    placed(Diagnostic::note("computed-key", message), origin).about(IMAGE_PINNED)
}

/// TERM-08: text, and no word that a YAML reader may take for a boolean, quoted or not.
fn ensure_backend_is_text(value: &Yaml, schema: &TerminalSchema) -> Result<(), Refusal> {
    let cause = match value {
        Yaml::Null => return Ok(()),
        Yaml::Text(text) if boolean_word(text.as_str().trim()).is_none() => return Ok(()),
        Yaml::Text(_) => "`terminal.backend` is a word that YAML takes for a boolean".to_owned(),
        other => format!("`terminal.backend` must be text and is {}", other.kind()),
    };
    let mend = format!("write the backend's name there, one of {}", schema.known_backends());
    Err(Refusal::new("backend-not-a-name", cause).mended_by(mend))
}

/// The refusal with its place: the file, and the line of the section where it is known.
fn at(refusal: Refusal, origin: &Origin, line: Option<u32>) -> Refusal {
    let refusal = match origin.path() {
        Some(path) => refusal.in_file(path),
        None => refusal,
    };
    match line {
        Some(line) => refusal.at(line, None),
        None => refusal,
    }
}

/// What is to be said of an entry: its key, its layer and its type, never its value (TERM-11).
fn report(schema: &TerminalSchema, name: &Name, laid: &Laid) -> Option<Diagnostic> {
    let key = schema.variable(name.as_os_str())?;
    let unknown_backend = || {
        let text = laid.value.as_ref().and_then(|value| value.expose().ok());
        (key.key() == BACKEND && text.and_then(|text| schema.backend(text)).is_none())
            .then(|| Fault::UnknownBackend { known: Arc::clone(schema.known_backends()) })
    };
    let fault = laid.flaw.map(|flaw| flaw.under(key.value_type()));
    let problem = match fault.or_else(unknown_backend) {
        Some(fault) => Diagnostic::error(fault.code(), fault.to_string()),
        None if laid.integer_as_text => Diagnostic::warning(
            "integer-as-text",
            "a whole number stands where text is expected; put it in quotes so that every reader agrees",
        ),
        None => return None,
    };
    Some(placed(problem, &laid.origin).about(key.variable().to_string()))
}

pub(crate) fn placed(diagnostic: Diagnostic, origin: &Origin) -> Diagnostic {
    let diagnostic = match origin.path() {
        Some(path) => diagnostic.in_file(path),
        None => diagnostic,
    };
    match origin.line_number() {
        Some(line) => diagnostic.on_line(line),
        None => diagnostic,
    }
}
