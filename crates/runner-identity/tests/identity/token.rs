//! Token binding (RUN-10, RUN-11, RUN-23).

use proptest::prelude::*;
use watertight_runner_identity::{
    BindingToken, Identity, Provenance, RunnerId, TokenError, names, token_bound_id,
};

fn id_of(token: &str) -> Result<String, TokenError> {
    BindingToken::parse(token).map(|token| token_bound_id(&token).to_string())
}

#[test]
fn run_10_a_token_gives_its_golden_id_whatever_white_space_is_around_it() {
    for token in ["tok-one", " tok-one ", "tok-one\r\n", "\t\u{b}\u{c}tok-one\n"] {
        assert_eq!(id_of(token).as_deref(), Ok("runner_token_7ffc3a9bedf0a56a45eaa57bfcf33ac6"), "{token:?}");
    }
    assert_ne!(id_of("tok-two"), id_of("tok-one"));
}

#[test]
fn run_10_a_blank_token_is_an_error_and_so_is_anything_but_visible_ascii() {
    for blank in ["", " ", "\t\r\n", "\u{b}\u{c}"] {
        assert_eq!(id_of(blank), Err(TokenError::Blank), "{blank:?}");
    }
    for bad in
        ["tok one", "tok-one\u{200b}", "\u{feff}tok-one", "tok-one\0", "tok\tone", "t\u{f6}k", "\u{a0}tok"]
    {
        let error = BindingToken::parse(bad).expect_err("no token");
        assert_eq!(error, TokenError::Invalid, "{bad:?}");
        assert!(
            !format!("{error} {error:?}").contains("tok-") && !error.to_string().contains("one"),
            "{error}"
        );
    }
    assert!(matches!(BindingToken::parse(b"canary\xff"), Err(TokenError::Invalid)));
    assert_eq!((TokenError::Blank.code(), TokenError::Invalid.code()), ("blank", "invalid-token"));
}

#[test]
fn run_10_an_identity_that_is_bound_to_a_token_says_so() {
    let token = BindingToken::parse("canary-token").expect("a token");
    let identity = Identity::bound_to(&token);
    assert_eq!((identity.id(), identity.provenance()), (&token_bound_id(&token), &Provenance::Token));
    assert!(!identity.is_created() && !identity.is_cloned() && identity.diagnostics().is_empty());
    assert!(!format!("{identity:?}").contains("canary"));
}

#[test]
fn run_11_a_token_is_redacted_and_compared_only_by_matching() {
    let token = BindingToken::parse("canary-token").expect("a token");
    assert_eq!(
        format!("{token:?} {:?}", Some(&token)),
        "BindingToken([redacted]) Some(BindingToken([redacted]))"
    );
    assert_eq!(token.secret().expose(), Ok("canary-token"));
    assert!(token.matches(&BindingToken::parse(" canary-token\n").expect("a token")));
    assert!(!token.matches(&BindingToken::parse("canary-other").expect("a token")));
}

#[test]
fn run_23_the_words_of_the_handshake_are_the_projects_own() {
    assert_eq!(names::TUNNEL_TOKEN_HEADER, "X-Omnigent-Runner-Tunnel-Token");
    assert_eq!(names::INTERNAL_ORIGIN, "omnigent://internal");
}

proptest! {
    #[test]
    fn run_10_the_id_is_stable_valid_and_holds_nothing_of_the_token(
        token in "[!-~]{8,80}",
        before in "[ \t\r\n]{0,3}",
        after in "[ \t\r\n]{0,3}",
    ) {
        let id = id_of(&token).expect("visible ASCII");
        prop_assert_eq!(&id_of(&format!("{before}{token}{after}")).expect("the same token"), &id);
        prop_assert!(id.parse::<RunnerId>().is_ok());
        prop_assert!(id.starts_with(names::TOKEN_BOUND_ID_PREFIX) && id.len() == 45);
        prop_assert!(!id.contains(&token));
    }

    #[test]
    fn run_10_inner_white_space_and_control_characters_are_never_hashed(
        start in "[!-~]{1,8}",
        middle in "[\u{0}-\u{20}\u{7f}]{1,3}",
        end in "[!-~]{1,8}",
    ) {
        prop_assert_eq!(id_of(&format!("{start}{middle}{end}")), Err(TokenError::Invalid));
    }
}
