//! External sources: what they see, what they answer, how they fail, and for how long it is kept.

mod cache;
#[cfg(unix)]
mod command;
mod failing;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use watertight_secret_scope::{SecretSource, SourceError, SourceRequest};
use watertight_vocabulary::{Name, Secret};

/// A source that fails until it is mended, and then answers the names that it declares.
#[derive(Debug)]
pub(crate) struct Broken {
    name: &'static str,
    declares: Vec<Name>,
    mended: AtomicBool,
    asked: AtomicUsize,
}

impl Broken {
    pub(crate) fn declaring<const LENGTH: usize>(names: [&str; LENGTH]) -> Self {
        Self::named("vault", names)
    }

    pub(crate) fn named<const LENGTH: usize>(name: &'static str, names: [&str; LENGTH]) -> Self {
        Self {
            name,
            declares: names.map(Name::from).to_vec(),
            mended: AtomicBool::new(false),
            asked: AtomicUsize::new(0),
        }
    }

    pub(crate) fn mend(&self) {
        self.mended.store(true, Ordering::SeqCst);
    }

    pub(crate) fn fail_again(&self) {
        self.mended.store(false, Ordering::SeqCst);
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl SecretSource for Broken {
    fn name(&self) -> &str {
        self.name
    }

    fn declares(&self) -> &[Name] {
        &self.declares
    }

    /// The name, the source's own name and the count of the call, so that every fetch is told apart.
    fn fetch(&self, request: &SourceRequest<'_>) -> Result<Vec<(Name, Secret)>, SourceError> {
        let number = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        if !self.mended.load(Ordering::SeqCst) {
            return Err(SourceError::Other("the vault is sealed"));
        }
        let home = request.home().path().file_name().unwrap_or_default().to_string_lossy();
        let value = |name: &Name| Secret::from(format!("canary-{}-{home}-{name}-{number}", self.name));
        Ok(self.declares.iter().map(|name| (name.clone(), value(name))).collect())
    }
}

/// A source that answers with what a closure says.
pub(crate) struct Scripted<F> {
    pub(crate) declares: Vec<Name>,
    pub(crate) answer: F,
}

impl<F> std::fmt::Debug for Scripted<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Scripted")
    }
}

pub(crate) fn scripted<F, const LENGTH: usize>(names: [&str; LENGTH], answer: F) -> Arc<dyn SecretSource>
where
    F: Fn(&SourceRequest<'_>) -> Result<Vec<(Name, Secret)>, SourceError> + Send + Sync + 'static,
{
    Arc::new(Scripted { declares: names.map(Name::from).to_vec(), answer })
}

impl<F> SecretSource for Scripted<F>
where
    F: Fn(&SourceRequest<'_>) -> Result<Vec<(Name, Secret)>, SourceError> + Send + Sync,
{
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn declares(&self) -> &[Name] {
        &self.declares
    }

    fn fetch(&self, request: &SourceRequest<'_>) -> Result<Vec<(Name, Secret)>, SourceError> {
        (self.answer)(request)
    }
}
