use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::shown_path;

/// The layers that an entry can come from. Which one wins is said by the crate that stacks them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Layer {
    /// A built-in default.
    Default,
    /// Computed from other layers.
    Computed,
    /// A deployment key that the host shares by name (SEC-27).
    Shared,
    /// The environment the process was started with.
    LaunchEnvironment,
    /// The profile's `.env`.
    Dotenv,
    /// The profile's `config.yaml`.
    ConfigYaml,
    /// An external source.
    Source,
    /// The administrator's managed `.env`.
    Managed,
}

impl Layer {
    /// The layer's name for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Computed => "computed",
            Self::Shared => "shared",
            Self::LaunchEnvironment => "launch environment",
            Self::Dotenv => ".env",
            Self::ConfigYaml => "config.yaml",
            Self::Source => "source",
            Self::Managed => "managed .env",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

/// Where one entry came from: a layer, and the file, line or source where there is one (SEC-29, TERM-10).
///
/// It never holds a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Origin {
    layer: Layer,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<Arc<Path>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Arc<str>>,
}

impl Origin {
    /// A layer that is no file.
    pub const fn layer_only(layer: Layer) -> Self {
        Self { layer, path: None, line: None, source: None }
    }

    /// A file.
    pub fn file(layer: Layer, path: Arc<Path>) -> Self {
        Self { path: Some(path), ..Self::layer_only(layer) }
    }

    /// A line of a file, counted from 1.
    pub fn line(layer: Layer, path: Arc<Path>, line: u32) -> Self {
        Self { line: Some(line), ..Self::file(layer, path) }
    }

    /// An external source, by its name.
    pub fn source(name: Arc<str>) -> Self {
        Self { source: Some(name), ..Self::layer_only(Layer::Source) }
    }

    /// The layer.
    pub fn layer(&self) -> Layer {
        self.layer
    }

    /// The file.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The line, counted from 1.
    pub fn line_number(&self) -> Option<u32> {
        self.line
    }

    /// The external source.
    pub fn source_name(&self) -> Option<&str> {
        self.source.as_deref()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.path, self.line, &self.source) {
            (Some(path), Some(line), _) => write!(f, "{} ({}:{line})", self.layer, shown_path(path)),
            (Some(path), None, _) => write!(f, "{} ({})", self.layer, shown_path(path)),
            (None, _, Some(source)) => write!(f, "{} {source}", self.layer),
            (None, _, None) => fmt::Display::fmt(&self.layer, f),
        }
    }
}
