use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use watertight_vocabulary::{EnvSource, Name, Platform};

/// Where an agent keeps its home, as names: of the variable that says so, and of the folder without it
/// (PROF-01).
///
/// The default is the reference agent's; another agent brings its own value.
///
/// ```
/// use watertight_profile_discovery::HomeLayout;
/// use watertight_vocabulary::Name;
///
/// let layout = HomeLayout {
///     home_variable: Name::from("OTTER_HOME"),
///     folder: ".otter".into(),
///     ..HomeLayout::hermes()
/// };
/// assert_eq!(layout.home_variable, Name::from("OTTER_HOME"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "plain names, so that a host can fill in its own")]
pub struct HomeLayout {
    /// The variable that names the home.
    pub home_variable: Name,
    /// The folder below the user's home, where the variable is not set.
    pub folder: OsString,
    /// The folder below `%LOCALAPPDATA%` on Windows, where the variable is not set.
    pub windows_folder: OsString,
    /// The variables that name a profile. A child never inherits one (SNAP-23).
    pub profile_name_variables: Vec<Name>,
}

/// The home that the environment names cannot be told (PROF-01, PROF-04).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// Neither the home's variable is set nor the one that its default lies under.
    #[error("neither {variable} nor {base} is set, so there is no home; set one of them")]
    NoHome {
        /// The variable that names the home.
        variable: Name,
        /// The variable that the default home lies under.
        base: &'static str,
    },
    /// `~` stands in the home's variable, and there is no user home to put in its place.
    #[error("{variable} begins with `~`, and {base} is not set; write the path out")]
    NoUserHome {
        /// The variable.
        variable: Name,
        /// The variable that holds the user's home.
        base: &'static str,
    },
    /// The variable that the default home lies under holds a relative path.
    #[error("{variable} is a relative path; make it absolute")]
    RelativeUserHome {
        /// The variable.
        variable: &'static str,
    },
    /// `~name`: nobody is asked where another user lives.
    #[error("{variable} begins with `~name`, which is not expanded; write the path out")]
    OtherUser {
        /// The variable.
        variable: Name,
    },
    /// A control character, which no home of anybody's has in its name on purpose.
    #[error("{variable} holds a control character; it is not a usable path")]
    ControlCharacter {
        /// The variable.
        variable: Name,
    },
    /// The variable is relative, and the current directory cannot be told.
    #[error("{variable} is a relative path, and the current directory cannot be told: {source}")]
    NoCurrentDirectory {
        /// The variable.
        variable: Name,
        /// What the operating system said.
        source: io::Error,
    },
}

impl LayoutError {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoHome { .. } => "no-home",
            Self::NoUserHome { .. } => "no-user-home",
            Self::RelativeUserHome { .. } => "relative-user-home",
            Self::OtherUser { .. } => "other-user-home",
            Self::ControlCharacter { .. } => "control-character",
            Self::NoCurrentDirectory { .. } => "no-current-directory",
        }
    }
}

impl HomeLayout {
    /// The reference agent's: `HERMES_HOME`, else `~/.hermes` (Windows: `%LOCALAPPDATA%\hermes`).
    pub fn hermes() -> Self {
        Self {
            home_variable: Name::from("HERMES_HOME"),
            folder: ".hermes".into(),
            windows_folder: "hermes".into(),
            profile_name_variables: vec![Name::from("HERMES_PROFILE"), Name::from("HERMES_PROFILE_NAME")],
        }
    }

    /// The user's home: `HOME`, on Windows `USERPROFILE`, of this environment; `None` if it is blank or
    /// not set. The password database is not asked (PROF-01).
    ///
    /// # Errors
    ///
    /// [`LayoutError::RelativeUserHome`].
    pub fn user_home(&self, env: &dyn EnvSource, platform: Platform) -> Result<Option<PathBuf>, LayoutError> {
        folder_in(env, user_home_variable(platform), platform)
    }

    /// The home where the variable does not name one; `None` without a user home (PROF-02).
    ///
    /// # Errors
    ///
    /// [`LayoutError::RelativeUserHome`].
    pub fn default_home(
        &self,
        env: &dyn EnvSource,
        platform: Platform,
    ) -> Result<Option<PathBuf>, LayoutError> {
        let folder = if platform.is_unix() { &self.folder } else { &self.windows_folder };
        let base = folder_in(env, default_base_variable(platform), platform)?;
        Ok(base.map(|base| base.join(folder)))
    }

    /// The home that this environment starts a process for, absolute and as spelled (PROF-01, PROF-04).
    ///
    /// A relative path is made absolute against the current directory here, once; later changes of the
    /// directory change nothing.
    ///
    /// ```
    /// # use watertight_profile_discovery::HomeLayout;
    /// # use watertight_vocabulary::{EnvSource, Platform};
    /// # use std::ffi::{OsStr, OsString};
    /// # #[derive(Debug)]
    /// # struct Env(&'static str);
    /// # impl EnvSource for Env {
    /// #     fn var_os(&self, name: &OsStr) -> Option<OsString> {
    /// #         (name == "HERMES_HOME").then(|| self.0.into()).or((name == "HOME").then(|| "/home/u".into()))
    /// #     }
    /// #     fn vars_os(&self) -> Vec<(OsString, OsString)> { Vec::new() }
    /// #     fn current_dir(&self) -> std::io::Result<std::path::PathBuf> { Ok("/cwd".into()) }
    /// # }
    /// let layout = HomeLayout::hermes();
    /// let home = |value| layout.launch_home(&Env(value), Platform::Linux).unwrap();
    /// assert_eq!(home("  "), std::path::Path::new("/home/u/.hermes")); // blank is not set
    /// assert_eq!(home("~/x"), std::path::Path::new("/home/u/x"));
    /// assert_eq!(home("rel"), std::path::Path::new("/cwd/rel"));
    /// assert_eq!(home("/$X"), std::path::Path::new("/$X")); // not expanded
    /// ```
    ///
    /// # Errors
    ///
    /// [`LayoutError`]: every variant.
    pub fn launch_home(&self, env: &dyn EnvSource, platform: Platform) -> Result<PathBuf, LayoutError> {
        let variable = || self.home_variable.clone();
        let Some(value) = env.var_os(self.home_variable.as_os_str()).map(trimmed).filter(|v| !v.is_empty())
        else {
            return self.default_home(env, platform)?.ok_or_else(|| LayoutError::NoHome {
                variable: variable(),
                base: default_base_variable(platform),
            });
        };
        if holds_control_character(&value) {
            return Err(LayoutError::ControlCharacter { variable: variable() });
        }
        let path = match after_tilde(&value, platform) {
            Tilde::None => PathBuf::from(value),
            Tilde::OtherUser => return Err(LayoutError::OtherUser { variable: variable() }),
            Tilde::Rest(rest) => {
                let home = self.user_home(env, platform)?.ok_or_else(|| LayoutError::NoUserHome {
                    variable: variable(),
                    base: user_home_variable(platform),
                })?;
                home.join(rest)
            }
        };
        let path = if is_absolute(&path, platform) {
            path
        } else {
            env.current_dir()
                .map_err(|source| LayoutError::NoCurrentDirectory { variable: variable(), source })?
                .join(path)
        };
        // Drops `.`, doubled and trailing separators; `..` stays, since a link may stand before it.
        Ok(path.components().collect())
    }
}

impl Default for HomeLayout {
    fn default() -> Self {
        Self::hermes()
    }
}

fn user_home_variable(platform: Platform) -> &'static str {
    if platform.is_unix() { "HOME" } else { "USERPROFILE" }
}

fn default_base_variable(platform: Platform) -> &'static str {
    if platform.is_unix() { "HOME" } else { "LOCALAPPDATA" }
}

/// The folder that a variable names; blank counts as none.
fn folder_in(
    env: &dyn EnvSource,
    variable: &'static str,
    platform: Platform,
) -> Result<Option<PathBuf>, LayoutError> {
    match env.var_os(OsStr::new(variable)) {
        None => Ok(None),
        Some(value) if trimmed(value.clone()).is_empty() => Ok(None),
        Some(value) if is_absolute(Path::new(&value), platform) => Ok(Some(PathBuf::from(value))),
        Some(_) => Err(LayoutError::RelativeUserHome { variable }),
    }
}

/// Without white space around it. What is not Unicode is trimmed where it can be cut without guessing.
fn trimmed(value: OsString) -> OsString {
    match value.into_string() {
        Ok(text) => OsString::from(text.trim()),
        Err(value) => trimmed_bytes(value),
    }
}

#[cfg(unix)]
fn trimmed_bytes(value: OsString) -> OsString {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(value.into_vec().trim_ascii().to_vec())
}

#[cfg(not(unix))]
fn trimmed_bytes(value: OsString) -> OsString {
    value
}

fn holds_control_character(value: &OsStr) -> bool {
    match value.to_str() {
        Some(text) => text.chars().any(char::is_control),
        None => value.as_encoded_bytes().iter().any(u8::is_ascii_control),
    }
}

enum Tilde {
    None,
    OtherUser,
    /// What stands behind `~/`.
    Rest(PathBuf),
}

fn after_tilde(value: &OsStr, platform: Platform) -> Tilde {
    if value.as_encoded_bytes().first() != Some(&b'~') {
        return Tilde::None;
    }
    if value == "~" {
        return Tilde::Rest(PathBuf::new());
    }
    let text = value.to_string_lossy();
    let backslash = !platform.is_unix() && text.starts_with("~\\");
    if let Ok(rest) = Path::new(value).strip_prefix("~") {
        return Tilde::Rest(rest.to_owned());
    }
    if backslash {
        return Tilde::Rest(PathBuf::from(text.trim_start_matches('~').trim_start_matches('\\')));
    }
    Tilde::OtherUser
}

/// What is absolute on `platform`, asked anywhere: `C:\x` and `\\server\share` are on Windows.
fn is_absolute(path: &Path, platform: Platform) -> bool {
    if path.is_absolute() {
        return true;
    }
    let bytes = path.as_os_str().as_encoded_bytes();
    let is_separator = |byte: &u8| matches!(byte, b'\\' | b'/');
    !platform.is_unix()
        && match bytes {
            [b'\\', b'\\', ..] => true,
            [drive, b':', separator, ..] => drive.is_ascii_alphabetic() && is_separator(separator),
            _ => false,
        }
}
