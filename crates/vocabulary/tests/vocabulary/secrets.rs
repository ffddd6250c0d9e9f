//! Values that must not be seen.

use std::ffi::OsString;

use proptest::prelude::*;
use watertight_vocabulary::{Name, Secret};

#[test]
fn sec_31_a_secret_shows_nothing_of_itself() {
    let secret = Secret::from("canary-1");
    assert_eq!(format!("{secret:?}"), "Secret([redacted])");
    assert_eq!(format!("{secret:#?}"), "Secret([redacted])");
    assert_eq!(format!("{:?}", Some(&secret)), "Some(Secret([redacted]))");
}

#[test]
fn sec_15_a_value_that_is_not_unicode_is_an_error_that_names_it() {
    let name = Name::from("TOKEN");
    let secret = Secret::from_bytes(&name, b"canary\xe9".to_vec());
    let error = secret.expose().expect_err("it is no text");
    assert_eq!((error.name(), error.code()), (&name, "not-unicode"));
    assert_eq!(error.to_string(), "TOKEN is not valid Unicode (7 bytes); read its bytes instead");
    assert!(!format!("{error:?}").contains("canary"));
    assert_eq!(secret.expose_bytes(), b"canary\xe9");
}

#[test]
fn sec_31_a_candidate_is_compared_as_bytes_and_by_nothing_less() {
    let secret = Secret::from("canary-1");
    assert!(secret.matches("canary-1") && secret.matches(b"canary-1".as_slice()));
    for other in ["canary-2", "canary-1 ", "canary-", "", "CANARY-1"] {
        assert!(!secret.matches(other), "{other:?}");
    }
    assert!(Secret::from("").matches("") && Secret::from("").is_empty());
}

#[test]
fn sec_31_clones_share_one_buffer() {
    let secret = Secret::from("canary-1".to_owned());
    let clone = secret.clone();
    assert!(std::ptr::eq(secret.expose_bytes(), clone.expose_bytes()));
}

#[test]
fn sec_31_a_full_buffer_is_taken_over_and_not_copied() {
    let bytes = b"canary-1".to_vec().into_boxed_slice().into_vec();
    let address = bytes.as_ptr();
    let secret = Secret::from_bytes(&Name::from("KEY"), bytes);
    assert_eq!(secret.expose_bytes().as_ptr(), address);
}

proptest! {
    #[test]
    fn snap_05_bytes_go_in_and_come_out_as_they_are(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let secret = Secret::from_bytes(&Name::from("KEY"), bytes.clone());
        prop_assert_eq!(secret.expose_bytes(), bytes.as_slice());
        prop_assert_eq!(secret.expose().ok(), std::str::from_utf8(&bytes).ok());
        prop_assert_eq!(secret.is_empty(), bytes.is_empty());
        prop_assert!(secret.matches(&bytes));
    }

    #[test]
    fn snap_05_a_value_of_an_environment_is_what_a_child_is_given(text in "\\PC{0,32}") {
        let value = OsString::from(text);
        let secret = Secret::from_os(&Name::from("KEY"), value.clone());
        prop_assert_eq!(secret.expose_os(), value);
    }
}

#[cfg(unix)]
#[test]
fn snap_05_a_value_that_is_not_unicode_reaches_a_child_unchanged() {
    use std::os::unix::ffi::OsStringExt;
    let value = OsString::from_vec(b"canary\xff\xfe".to_vec());
    assert_eq!(Secret::from_os(&Name::from("KEY"), value.clone()).expose_os(), value);
}
