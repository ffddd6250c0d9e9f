use std::fs;
use std::path::Path;

use watertight_conformance::case::load_suite;
use watertight_conformance::fixtures;
use watertight_conformance::rules::Rules;

/// A case that is good as it stands.
const GOOD: &str = "\
id: context/good
about: A name is absent.
rules: [SEC-12]
given: {env: {HOME: '{root}'}}
do:
  - read_secret: {as: key, name: K}
expect:
  key: absent
";

/// Everything that is wrong with a case, as it is told to a person.
fn faults(text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().join("context/good");
    fs::create_dir_all(&home).expect("a folder");
    fs::write(home.join("case.yaml"), text).expect("a case");
    let rules = Rules::load(&fixtures()).expect("the tables");
    let loaded = load_suite(&[folder.path().to_path_buf()], rules);
    let shown = |error: &dyn std::fmt::Display| error.to_string().replace(&shown_path(folder.path()), "");
    loaded.err().unwrap_or_default().iter().map(|error| shown(error)).collect()
}

fn shown_path(path: &Path) -> String {
    format!("{}/", path.display())
}

#[test]
fn conf_02_a_good_case_has_no_fault() {
    assert_eq!(faults(GOOD), Vec::<String>::new());
}

#[test]
fn conf_02_unknown_fields_are_errors_with_their_place() {
    for (text, place) in [
        (GOOD.replace("given:", "givn:"), ":4:"),
        (GOOD.replace("{as: key, name: K}", "{as: key, nam: K}"), ":"),
        (GOOD.replace("read_secret", "read_secrets"), ":"),
        (GOOD.replace("absent", "missing"), ":"),
    ] {
        let faults = faults(&text);
        assert_eq!(faults.len(), 1, "one fault, told once: {faults:?}");
        assert!(faults[0].starts_with(&format!("context/good/case.yaml{place}")), "{faults:?}");
    }
}

#[test]
fn conf_02_what_reads_well_and_is_no_case_is_an_error() {
    for (text, fault) in [
        (GOOD.replace("id: context/good", "id: context/other"), "its folder says"),
        (GOOD.replace("A name is absent.", "A name is absent. And more."), "one sentence"),
        (GOOD.replace("[SEC-12]", "[]"), "names no rule"),
        (GOOD.replace("SEC-12", "SEC-99"), "no rule \"SEC-99\""),
        (GOOD.replace("  key: absent", "  kye: absent"), "no outcome is expected for the label \"key\""),
        (GOOD.replace("key: absent", "key: {refused: because}"), "none of the suite's codes"),
        (GOOD.replace("{HOME: '{root}'}", "{K: secret}"), "no canary"),
    ] {
        assert!(faults(&text).iter().any(|told| told.contains(fault)), "{fault}: {:?}", faults(&text));
    }
}

#[test]
fn conf_10_a_folder_without_a_case_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = Rules::load(&fixtures()).expect("the tables");
    let loaded = load_suite(&[folder.path().to_path_buf()], rules);
    assert!(loaded.is_err(), "running nothing is no success");
}
