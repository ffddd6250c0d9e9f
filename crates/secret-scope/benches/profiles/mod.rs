//! Profiles with any number of secrets.

use watertight_profile_home::{MemoryFiles, ProfileHome};
use watertight_secret_scope::{BoundSecrets, SecretScope};
use watertight_vocabulary::{Classes, HomeId};

/// A profile's secrets, by way of a file in memory.
pub(crate) fn secrets(classes: &Classes, profile: usize, names: usize) -> BoundSecrets {
    let home = HomeId::new(format!("/bench/profiles/p{profile}").into(), None);
    let home = ProfileHome::confined(home);
    let files = MemoryFiles::new();
    files.set_dotenv(&home, text(profile, names));
    SecretScope::builder(&home).files(&files).classes(classes.clone()).build()
}

/// The file that [`secrets`] reads.
pub(crate) fn text(profile: usize, names: usize) -> String {
    let line = |number| format!("{}={}\n", name_of(number), value_of(profile, number));
    (0..names).map(line).collect::<Vec<_>>().concat()
}

/// A name as they are: twenty bytes.
pub(crate) fn name_of(number: usize) -> String {
    format!("PROVIDER_{number:03}_API_KEY")
}

/// A value as they are: forty-eight bytes.
pub(crate) fn value_of(profile: usize, number: usize) -> String {
    format!("canary-{profile:010}-{number:030}")
}
