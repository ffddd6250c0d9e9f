//! All texts of all types, searched.

use std::sync::LazyLock;

use crate::events::events_of;
use crate::texts::{Texts, shows_the_canary};

/// The texts of every crate's types, and what was said while these were built.
pub(crate) static EVERYTHING: LazyLock<(Texts, String)> = LazyLock::new(|| events_of(everything));

fn everything() -> Texts {
    let mut texts = Texts::default();
    crate::vocabulary::show_all(&mut texts);
    crate::disk::show_all(&mut texts);
    crate::context::show_all(&mut texts);
    crate::env_snapshot::show_all(&mut texts);
    crate::profile_home::show_all(&mut texts);
    crate::profile_discovery::show_all(&mut texts);
    crate::secret_scope::show_all(&mut texts);
    crate::terminal_scope::show_all(&mut texts);
    crate::runner_identity::show_all(&mut texts);
    crate::host::show_all(&mut texts);
    texts
}

/// Nor its first and last signs (NousResearch/hermes-agent#60319).
#[test]
fn sec_31_no_public_type_of_any_crate_shows_a_piece_of_a_value() {
    let (texts, _) = &*EVERYTHING;
    let leaks: Vec<_> = texts.iter().filter(|(_, text)| shows_the_canary(text)).collect();
    assert!(leaks.is_empty(), "{leaks:#?}");
}
