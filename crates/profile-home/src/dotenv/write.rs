use zeroize::Zeroizing;

use super::parse::is_name;

/// An assignment cannot be written to a `.env` (FILE-22).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The key is no name that the reader accepts (FILE-14).
    #[error("the key of assignment {position} is no name that the reader accepts")]
    Key {
        /// Which of the assignments it is, counted from 1.
        position: usize,
    },
    /// The value holds a line end or a NUL.
    #[error("the value holds a line end or a NUL, which cannot be written on one line")]
    Value,
}

impl WriteError {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Key { .. } => "name-not-accepted",
            Self::Value => "value-not-writable",
        }
    }
}

/// A value as it is written behind the `=`, so that the reader reads it back (FILE-22). It is wiped when
/// dropped.
///
/// ```
/// # use watertight_profile_home::write_value;
/// assert_eq!(*write_value("plain")?, "plain");
/// assert_eq!(*write_value("two words")?, "'two words'");
/// assert_eq!(*write_value("it's")?, "\"it's\"");
/// # Ok::<(), watertight_profile_home::WriteError>(())
/// ```
///
/// # Errors
///
/// [`WriteError::Value`] for CR, LF and NUL.
pub fn write_value(value: &str) -> Result<Zeroizing<String>, WriteError> {
    if value.contains(['\r', '\n', '\0']) {
        return Err(WriteError::Value);
    }
    let bare = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'_' | b'.' | b'/' | b':' | b'@' | b'%' | b'+' | b',' | b'-')
    };
    if !value.is_empty() && value.bytes().all(bare) {
        return Ok(Zeroizing::new(value.to_owned()));
    }
    let single = !value.contains('\'') && !value.ends_with('\\');
    // Long enough from the start: growing would leave copies of the value behind.
    let escapes = value.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count();
    let mut written = Zeroizing::new(String::with_capacity(value.len() + escapes + 2));
    let quote = if single { '\'' } else { '"' };
    written.push(quote);
    for character in value.chars() {
        if !single && matches!(character, '"' | '\\') {
            written.push('\\');
        }
        written.push(character);
    }
    written.push(quote);
    Ok(written)
}

/// A whole `.env` from keys and values, one assignment a line (FILE-22). It is wiped when dropped.
///
/// # Errors
///
/// [`WriteError`] for a key that the reader would not accept, and for a value that [`write_value`] refuses.
pub fn write_dotenv<'a>(
    assignments: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Zeroizing<String>, WriteError> {
    let mut lines: Vec<(&str, Zeroizing<String>)> = Vec::new();
    for (at, (key, value)) in assignments.into_iter().enumerate() {
        if !is_name(key) {
            return Err(WriteError::Key { position: at + 1 });
        }
        lines.push((key, write_value(value)?));
    }
    let length = lines.iter().map(|(key, value)| key.len() + value.len() + 2).sum();
    let mut text = Zeroizing::new(String::with_capacity(length));
    for (key, value) in lines {
        text.extend([key, "=", value.as_str(), "\n"]);
    }
    Ok(text)
}
