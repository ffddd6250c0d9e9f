use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use watertight_profile_home::{Managed, ProfileFiles, ProfileHome};
use watertight_vocabulary::{
    Bound, Classes, Diagnostic, EnvSource, Layer, Origin, Refusal, Secret, shown_path,
};

use crate::layers::Layers;
use crate::policy::{BaseCwd, Own};
use crate::schema::{BACKEND, CWD, IMAGE};
use crate::{Backend, BoundTerminal, TerminalPolicy, TerminalSchema};

/// Builds a [`TerminalPolicy`] from its layers: defaults, `.env`, for the launch profile its environment,
/// `config.yaml`, the administrator's managed `.env` (TERM-01).
///
/// The result depends on these inputs and on nothing else, and building changes nothing (TERM-02).
///
/// # Fail-closed behaviour
///
/// Building never fails and never panics: what cannot be read, or is not what it says, becomes the refusal
/// that is bound in the policy's place (TERM-40, TERM-42). Only [`launch_environment`](Self::launch_environment)
/// lets values of the environment in.
#[derive(Debug, Clone)]
#[must_use = "nothing is read before `build`"]
pub struct TerminalPolicyBuilder<'a> {
    home: &'a ProfileHome,
    files: Option<&'a dyn ProfileFiles>,
    schema: Option<&'a TerminalSchema>,
    user_home: Option<&'a Path>,
    launch_environment: Option<&'a dyn EnvSource>,
    managed: Option<&'a Managed>,
    classes: Option<&'a Classes>,
}

impl<'a> TerminalPolicyBuilder<'a> {
    pub(crate) fn new(home: &'a ProfileHome) -> Self {
        Self {
            home,
            files: None,
            schema: None,
            user_home: None,
            launch_environment: None,
            managed: None,
            classes: None,
        }
    }

    /// Reads the home's files through this. Without it there is nothing to build from, and the result is a
    /// refusal.
    pub fn files(self, files: &'a dyn ProfileFiles) -> Self {
        Self { files: Some(files), ..self }
    }

    /// With this schema in place of the reference's.
    pub fn schema(self, schema: &'a TerminalSchema) -> Self {
        Self { schema: Some(schema), ..self }
    }

    /// The user's home of the launch environment, which the working directory of a local profile falls back
    /// to (TERM-06).
    pub fn user_home(self, user_home: Option<&'a Path>) -> Self {
        Self { user_home, ..self }
    }

    /// For the launch profile only: the terminal names of the environment that the process was started with.
    pub fn launch_environment(self, environment: &'a dyn EnvSource) -> Self {
        Self { launch_environment: Some(environment), ..self }
    }

    /// The administrator's managed `.env` (SEC-25).
    pub fn managed(self, managed: &'a Managed) -> Self {
        Self { managed: Some(managed), ..self }
    }

    /// With these classes of names: they say which names are terminal settings, which ones no layer may
    /// hold, and how names compare.
    pub fn classes(self, classes: &'a Classes) -> Self {
        Self { classes: Some(classes), ..self }
    }

    /// Reads the files and stacks the layers: a policy, or the refusal in its place.
    pub fn build(self) -> BoundTerminal {
        let home = self.home.path();
        let built = catch_unwind(AssertUnwindSafe(|| self.try_build())).unwrap_or_else(|_panic| {
            Err(Refusal::new("build-failed", "building the terminal policy failed for no reason of one key")
                .in_file(home)
                .mended_by("look for the failure in the host's own file reader, schema or environment"))
        });
        match built {
            Ok(policy) => {
                let problems = policy.problems().len();
                if problems > 0 {
                    tracing::info!(home = %shown_path(home), problems, "the terminal policy has problems");
                }
                Bound::Policy(Arc::new(policy))
            }
            Err(refusal) => {
                tracing::warn!(home = %shown_path(home), code = refusal.code(), %refusal, "no terminal policy");
                Bound::Refusal(refusal)
            }
        }
    }

    fn try_build(&self) -> Result<TerminalPolicy, Refusal> {
        let Some(files) = self.files else {
            return Err(Refusal::new("no-files", "the policy was given no files to read")
                .in_file(self.home.path())
                .mended_by("name them with `.files(..)`"));
        };
        let schema = self.schema.cloned().unwrap_or_default();
        let classes = self.classes.cloned().unwrap_or_default();
        let dotenv = files.dotenv(self.home)?;
        let config = files.config(self.home)?;

        let mut layers = Layers::new(&schema, &classes);
        if let Some(dotenv) = &dotenv {
            layers.dotenv(dotenv, Layer::Dotenv);
        }
        if let Some(environment) = self.launch_environment {
            layers.environment(environment);
        }
        if let Some(config) = &config {
            let origin = Origin::file(Layer::ConfigYaml, Arc::clone(config.path()));
            layers.section(&config.section("terminal")?, &origin)?;
        }
        match self.managed {
            None | Some(Managed::Absent) => {}
            Some(Managed::Present(dotenv)) => layers.dotenv(dotenv, Layer::Managed),
            Some(Managed::Refusal(refusal)) => return Err(refusal.clone()),
        }

        let cwd = resolve_cwd(&mut layers, &schema, self.user_home);
        let image_pinned = schema.key(IMAGE).map(|_| layers.image_is_set);
        let (entries, problems) = layers.finish();
        let silent = entries.is_empty() && problems.is_empty();
        let managed = match self.managed {
            Some(Managed::Present(dotenv)) => Some(Arc::clone(dotenv.path())),
            _ => None,
        };
        let own = Own { entries: entries.into(), problems: problems.into(), managed };
        let own = (!silent).then(|| Box::new(own));
        Ok(TerminalPolicy {
            home: self.home.id().clone(),
            own,
            cwd,
            image_pinned,
            case: classes.case_rule(),
            schema,
        })
    }
}

/// TERM-06: where the working directory is missing or empty, a local profile works in the user's home. Never
/// the process's own current directory.
fn resolve_cwd(layers: &mut Layers<'_>, schema: &TerminalSchema, user_home: Option<&Path>) -> BaseCwd {
    let Some(key) = schema.key(CWD) else { return BaseCwd::Default };
    if !layers.is_missing_or_empty(CWD) || !is_local_or_empty(layers) {
        return BaseCwd::Default;
    }
    let Some(user_home) = user_home.filter(|home| !home.as_os_str().is_empty()) else {
        let message = "nothing sets it and the launch environment has no user home to take its place; set it";
        layers.problems.push(Diagnostic::warning("no-user-home", message).about(key.variable().to_string()));
        return BaseCwd::NoUserHome;
    };
    match schema.share_user_home(user_home) {
        Some(_) if !layers.sets(key.variable()) => BaseCwd::UserHome,
        Some(shared) => {
            layers.compute(key.variable(), shared.clone());
            BaseCwd::Default
        }
        None => {
            layers.compute(key.variable(), Secret::from_os(key.variable(), user_home.as_os_str().to_owned()));
            BaseCwd::Default
        }
    }
}

fn is_local_or_empty(layers: &Layers<'_>) -> bool {
    layers.text(BACKEND).is_none_or(|backend| {
        backend.expose().is_ok_and(|text| matches!(&*Backend::normalized(text), "" | "local"))
    })
}
