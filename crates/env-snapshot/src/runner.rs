use std::ffi::OsStr;

use watertight_vocabulary::{
    CaseRule, Name, RUNNER_AUTH_SECRETS, RUNNER_PROCESS_IDENTITY, Secret, trim_ascii_space,
};

use crate::{ChildEnvError, EnvSnapshot};

/// The id of a runner, as one of its children is told it.
///
/// The runner's own type implements it, so that no loose text becomes an id (RUN-34).
pub trait ChildRunnerId {
    /// The id as it stands in the variable.
    fn id_text(&self) -> &str;
}

/// A binding token, as a child that is a runner is given it.
///
/// The token's own type implements it, so that no loose text becomes a token (RUN-34).
pub trait ChildBindingToken {
    /// The token as it stands in the variable.
    fn token_secret(&self) -> Secret;
}

/// What a child that is a runner is given (RUN-34).
#[derive(Clone)]
pub(crate) struct RunnerChild {
    id: String,
    token: Secret,
}

impl RunnerChild {
    pub(crate) fn new(id: &impl ChildRunnerId, token: &impl ChildBindingToken) -> Self {
        Self { id: id.id_text().to_owned(), token: token.token_secret() }
    }

    /// The child's own id, this process as its parent, and its token.
    pub(crate) fn variables(&self) -> [(Name, Secret); 3] {
        let [id, parent] = RUNNER_PROCESS_IDENTITY.map(Name::from);
        let [token, _] = RUNNER_AUTH_SECRETS.map(Name::from);
        [
            (id, Secret::from(self.id.clone())),
            (parent, Secret::from(std::process::id().to_string())),
            (token, self.token.clone()),
        ]
    }

    /// A child that had this runner's own id or token would be taken for it (RUN-34).
    pub(crate) fn refuse_own_identity(
        &self,
        base: &EnvSnapshot,
        own_id: Option<&str>,
    ) -> Result<(), ChildEnvError> {
        let own_identity = |variable: &str| ChildEnvError::OwnIdentity { name: Name::from(variable) };
        let [id_variable, _] = RUNNER_PROCESS_IDENTITY;
        let inherited = base.get_os(id_variable).map(OsStr::as_encoded_bytes);
        let mut own_ids = inherited.into_iter().chain(own_id.map(str::as_bytes));
        if own_ids.any(|own| trimmed(own) == trimmed(self.id.as_bytes())) {
            return Err(own_identity(id_variable));
        }
        let [token_variable, _] = RUNNER_AUTH_SECRETS;
        let mut own_tokens = RUNNER_AUTH_SECRETS.iter().filter_map(|variable| base.get_os(variable));
        if own_tokens.any(|own| trimmed(own.as_encoded_bytes()) == trimmed(self.token.expose_bytes())) {
            return Err(own_identity(token_variable));
        }
        Ok(())
    }
}

/// Whether a name says which runner a process is.
pub(crate) fn is_runner_identity(name: &OsStr, case: CaseRule) -> bool {
    RUNNER_PROCESS_IDENTITY.iter().any(|variable| case.same(name, OsStr::new(variable)))
}

/// Without the byte order mark and the white space that are tolerated around an id or a token.
fn trimmed(value: &[u8]) -> &[u8] {
    let value = trim_ascii_space(value);
    trim_ascii_space(value.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(value))
}
