use watertight_vocabulary::{Name, Platform, Secret};

use crate::ChildEnvError;

/// The most bytes that all entries of a child's environment may take, unless the host sets another number
/// (SNAP-25).
pub const TOTAL_LIMIT: usize = 1024 * 1024;

/// What one entry may take, with its `=` and its terminator, as Linux and Windows count it.
const UNIX_ENTRY_BYTES: usize = 131_072;
const WINDOWS_ENTRY_UNITS: usize = 32_767;

/// Refuses what cannot be passed to a child, naming the variable (SNAP-25).
pub(crate) fn check<'a>(
    variables: impl Iterator<Item = (&'a Name, &'a Secret)>,
    platform: Platform,
    total_limit: usize,
) -> Result<(), ChildEnvError> {
    let mut total = 0;
    let mut longest: Option<(usize, &Name)> = None;
    for (name, value) in variables {
        check_characters(name, value, platform)?;
        check_entry(name, value, platform)?;
        let length = entry_length(name, value, <[u8]>::len);
        total += length;
        if longest.is_none_or(|(most, _)| length > most) {
            longest = Some((length, name));
        }
    }
    match longest {
        Some((_, longest)) if total > total_limit => {
            Err(ChildEnvError::TooLarge { length: total, limit: total_limit, longest: longest.clone() })
        }
        _ => Ok(()),
    }
}

fn check_characters(name: &Name, value: &Secret, platform: Platform) -> Result<(), ChildEnvError> {
    let bytes = name.as_os_str().as_encoded_bytes();
    // Windows keeps the directory of each drive under a name that begins with `=` (SNAP-05).
    let allowed = usize::from(platform == Platform::Windows && bytes.len() > 1);
    if bytes.is_empty() {
        Err(ChildEnvError::EmptyName)
    } else if bytes.contains(&0) {
        Err(ChildEnvError::NulInName { name: name.without_value() })
    } else if bytes.iter().skip(allowed).any(|byte| *byte == b'=') {
        Err(ChildEnvError::EqualsInName { name: name.without_value() })
    } else if value.expose_bytes().contains(&0) {
        Err(ChildEnvError::NulInValue { name: name.clone() })
    } else {
        Ok(())
    }
}

fn check_entry(name: &Name, value: &Secret, platform: Platform) -> Result<(), ChildEnvError> {
    let (length, limit, unit) = match platform {
        Platform::Windows => (entry_length(name, value, utf16_units), WINDOWS_ENTRY_UNITS, "UTF-16 units"),
        _ => (entry_length(name, value, <[u8]>::len), UNIX_ENTRY_BYTES, "bytes"),
    };
    if length > limit {
        return Err(ChildEnvError::EntryTooLong { name: name.clone(), length, limit, unit });
    }
    Ok(())
}

/// The length of `name=value` and its terminator.
fn entry_length(name: &Name, value: &Secret, measure: impl Fn(&[u8]) -> usize) -> usize {
    measure(name.as_os_str().as_encoded_bytes()) + measure(value.expose_bytes()) + 2
}

/// How many UTF-16 units a text takes, without a copy of it. What is not Unicode counts one for each byte,
/// which is never too few.
fn utf16_units(bytes: &[u8]) -> usize {
    bytes.utf8_chunks().map(|chunk| chunk.valid().encode_utf16().count() + chunk.invalid().len()).sum()
}
