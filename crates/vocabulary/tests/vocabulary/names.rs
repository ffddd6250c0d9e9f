//! Names, sets of them, and how they compare.

use std::ffi::{OsStr, OsString};

use proptest::prelude::*;
use watertight_vocabulary::{CaseRule, Name, NameSet, Platform};

#[test]
fn snap_20_membership_is_exact_names_plus_prefixes() {
    let set = NameSet::of(["B", "A", "A"]).with_prefix("LC_").with_prefix("").with_prefix("LC_");
    for (name, member, exactly) in [
        ("A", true, true),
        ("LC_ALL", true, false),
        ("LC_", true, false),
        ("LC", false, false),
        ("a", false, false),
    ] {
        assert_eq!(set.contains(OsStr::new(name), CaseRule::Sensitive), member, "{name}");
        assert_eq!(set.contains_exactly(OsStr::new(name), CaseRule::Sensitive), exactly, "{name}");
    }
    assert!(set.contains(OsStr::new("a"), CaseRule::AsciiInsensitive));
    assert!(set.contains(OsStr::new("lc_all"), CaseRule::AsciiInsensitive));
    assert_eq!(set.names().map(ToString::to_string).collect::<Vec<_>>(), ["A", "B"]);
    assert_eq!(set.prefixes().len(), 1, "an empty prefix would be every name");
    assert!(NameSet::new().is_empty() && !set.is_empty());
    assert!(!NameSet::new().contains(OsStr::new(""), CaseRule::Sensitive));
}

#[test]
fn snap_20_a_member_of_any_length_is_found_and_makes_no_other_of_its_length_one() {
    for length in [0, 1, 2, 61, 62, 63, 64, 65, 128] {
        let (member, other) = ("A".repeat(length), "B".repeat(length));
        let set = NameSet::of([member.as_str()]);
        let prefixed = NameSet::new().with_prefix(member.as_str());
        for case in [CaseRule::Sensitive, CaseRule::AsciiInsensitive] {
            assert!(
                set.contains(OsStr::new(&member), case) && set.contains_exactly(OsStr::new(&member), case)
            );
            assert_eq!(set.contains(OsStr::new(&other), case), length == 0, "{length}");
            for more in [0, 1, 70] {
                let longer = format!("{member}{}", "C".repeat(more));
                assert_eq!(prefixed.contains(OsStr::new(&longer), case), length > 0, "{length} and {more}");
                assert!(!prefixed.contains_exactly(OsStr::new(&longer), case));
                assert_eq!(set.contains(OsStr::new(&longer), case), more == 0);
            }
        }
    }
}

#[test]
fn snap_08_case_is_a_function_of_the_platform_and_folds_ascii_alone() {
    for platform in Platform::ALL {
        let wanted =
            if platform == Platform::Windows { CaseRule::AsciiInsensitive } else { CaseRule::Sensitive };
        assert_eq!((platform.case_rule(), platform.is_unix()), (wanted, platform != Platform::Windows));
    }
    let insensitive = CaseRule::AsciiInsensitive;
    assert!(insensitive.same(OsStr::new("Path"), OsStr::new("PATH")));
    assert!(!insensitive.same(OsStr::new("ſET"), OsStr::new("SET")), "no full Unicode fold");
    assert!(!CaseRule::Sensitive.same(OsStr::new("Path"), OsStr::new("PATH")));
    assert_eq!(insensitive.fold(OsStr::new("Path")), OsStr::new("PATH"));
    assert_eq!(CaseRule::Sensitive.fold(OsStr::new("Path")), OsStr::new("Path"));
}

#[test]
fn a_name_that_no_variable_can_have_is_told_apart() {
    for name in ["A", "a.b-c", "1", "é", " ", "A B"] {
        assert!(Name::is_possible(OsStr::new(name)), "{name:?}");
    }
    for name in ["", "=", "=C:", "A=", "A=B", "\0", "A\0B", "a-name-that-is-longer-than-sixteen-bytes="] {
        assert!(!Name::is_possible(OsStr::new(name)), "{name:?}");
    }
}

#[test]
fn a_name_in_a_message_cannot_break_out_of_it() {
    let name = Name::from("A\nB\u{1b}[31m");
    assert_eq!(name.to_string(), "A\\nB\\u{1b}[31m");
    assert_eq!(format!("{name:?}"), name.to_string());
    assert_eq!(name.as_str(), Some("A\nB\u{1b}[31m"), "and is kept as it is");
}

#[cfg(unix)]
#[test]
fn snap_05_a_name_that_is_not_unicode_is_kept_byte_for_byte() {
    use std::os::unix::ffi::OsStringExt;
    let odd = OsString::from_vec(b"A\xff".to_vec());
    let name = Name::from(odd.clone());
    assert_eq!(name.as_os_str(), odd);
    assert_eq!(name.as_str(), None);
}

proptest! {
    #[test]
    fn snap_20_a_set_is_its_members_in_any_order_and_of_any_number(
        names in prop::collection::vec("[A-C]{1,2}", 0..14), asked in "[A-Ca-c]{1,2}"
    ) {
        let set = NameSet::of(names.iter().map(String::as_str));
        let mut reversed = names.clone();
        reversed.reverse();
        prop_assert_eq!(&set, &NameSet::of(reversed));
        let name = OsStr::new(&asked);
        prop_assert_eq!(set.contains(name, CaseRule::Sensitive), names.contains(&asked));
        let folded = names.iter().any(|own| own.eq_ignore_ascii_case(&asked));
        prop_assert_eq!(set.contains(name, CaseRule::AsciiInsensitive), folded);
    }

    #[test]
    fn snap_08_a_prefix_is_the_beginning_of_a_name(name in "[A-Ba-b_é]{0,6}", prefix in "[A-Ba-b_é]{0,3}") {
        let (text, start) = (OsStr::new(&name), OsStr::new(&prefix));
        prop_assert_eq!(CaseRule::Sensitive.has_prefix(text, start), name.starts_with(&prefix));
        let (upper, beginning) = (name.to_ascii_uppercase(), prefix.to_ascii_uppercase());
        prop_assert_eq!(CaseRule::AsciiInsensitive.has_prefix(text, start), upper.starts_with(&beginning));
    }

    #[test]
    fn impossible_names_are_the_empty_ones_and_those_with_an_equals_sign_or_a_nul(name in "[a-c=\\x00é]{0,24}") {
        let wanted = !name.is_empty() && !name.contains('=') && !name.contains('\0');
        prop_assert_eq!(Name::is_possible(OsStr::new(&name)), wanted);
    }
}
