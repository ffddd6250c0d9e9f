/// The boolean that a word stands for where a boolean is expected (FILE-32): `y yes on true` and
/// `n no off false` in lower, Title and UPPER case, `1` and `0`. Any other spelling is none.
///
/// ```
/// # use watertight_profile_home::boolean_word;
/// assert_eq!(boolean_word("Yes"), Some(true));
/// assert_eq!(boolean_word("OFF"), Some(false));
/// assert_eq!(boolean_word("yEs"), None);
/// assert_eq!(boolean_word("maybe"), None);
/// ```
pub fn boolean_word(text: &str) -> Option<bool> {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" | "true" | "True" | "TRUE" | "1" => Some(true),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" | "false" | "False" | "FALSE" | "0" => {
            Some(false)
        }
        _ => None,
    }
}
