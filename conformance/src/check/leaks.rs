//! Finds the values of a fixture in what a subject wrote, in whatever form it shows bytes (CONF-05).

/// The word that marks a value of a fixture.
const CANARY: &str = "canary-";

/// The same word, as the list of bytes that a derived `Debug` shows, without the white space.
const AS_A_LIST: &str = "99,97,110,97,114,121,45";

/// The same word in hexadecimal digits.
const AS_DIGITS: &str = "63616e6172792d";

/// The same word in base64, at each of the three places that a byte can have in it: what of it does not
/// depend on the bytes around.
const AS_BASE64: [&str; 3] = ["Y2FuYXJ5L", "NhbmFyeS", "jYW5hcnkt"];

/// Whether a text shows a value: as it is, in upper case, as the bytes of UTF-16, percent-encoded, in
/// hexadecimal digits, as a list of numbers, or in base64. A list may go on over several lines.
pub(crate) fn shows_a_value(text: &str) -> bool {
    if text.contains(CANARY) || AS_BASE64.iter().any(|form| text.contains(form)) {
        return true;
    }
    let lower = text.to_ascii_lowercase();
    let mut tight = lower.clone();
    tight.retain(|letter| !letter.is_whitespace());
    without(lower, &[("\\u{0}", ""), ("\\u0000", ""), ("\\x00", ""), ("\\0", ""), ("\0", ""), ("%2d", "-")])
        .contains(CANARY)
        || tight.contains(AS_A_LIST)
        || without(tight, &[("\\x", ""), ("0x", ""), (",", ""), (":", ""), ("%", "")]).contains(AS_DIGITS)
}

/// Whether the bytes of a file show a value.
pub(super) fn bytes_show_a_value(bytes: &[u8]) -> bool {
    shows_a_value(&String::from_utf8_lossy(bytes))
}

fn without(text: String, noise: &[(&str, &str)]) -> String {
    noise.iter().fold(
        text,
        |text, (noise, instead)| {
            if text.contains(noise) { text.replace(noise, instead) } else { text }
        },
    )
}

#[cfg(test)]
mod tests {
    use base64::Engine;

    use super::*;

    #[test]
    fn conf_05_a_value_is_seen_in_every_form_that_bytes_are_shown_in() {
        let value = "canary-1";
        let utf_16 = value.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        let hex = |separator: &str| {
            value.bytes().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(separator)
        };
        let forms = [
            value.to_owned(),
            value.to_uppercase(),
            format!("{:?}", value.as_bytes()),
            format!("{:#?}", value.as_bytes()),
            format!("{:x?}", value.as_bytes()),
            format!("{:?}", value.encode_utf16().collect::<Vec<_>>()),
            format!("{:?}", String::from_utf8_lossy(&utf_16)),
            hex(""),
            hex(" "),
            hex(":"),
            hex("\\x"),
            format!("%{}", hex("%")),
            "canary%2D1".to_owned(),
        ];
        for form in forms {
            assert!(shows_a_value(&format!("key={form};")), "{form}");
        }
        assert!(bytes_show_a_value(&utf_16), "UTF-16 in a file");
        let big_endian: Vec<u8> = value.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert!(bytes_show_a_value(&big_endian), "in either order");
    }

    #[test]
    fn conf_05_a_value_is_seen_in_base64_wherever_it_stands() {
        use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
        for before in ["", "k", "k:", "ke:"] {
            for after in ["", "?", "\u{ff}~"] {
                let bytes = format!("{before}canary-{after}");
                for shown in [STANDARD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
                    assert!(shows_a_value(&shown), "{before}...{after}: {shown}");
                }
            }
        }
    }

    #[test]
    fn conf_05_what_is_no_value_is_none() {
        for text in ["a canary", "[99, 97, 110]", "Secret([redacted])", "636f", "Y2Fu", "%2d", "\0\0"] {
            assert!(!shows_a_value(text), "{text}");
        }
    }
}
