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
        (GOOD.replace("[SEC-12]", "[SEC-12, SEC-08]"), "names SEC-08, which is a hardened rule"),
        (GOOD.replace("given:", "requires: [magic]\ngiven:"), "no capability \"magic\""),
    ] {
        assert!(faults(&text).iter().any(|told| told.contains(fault)), "{fault}: {:?}", faults(&text));
    }
}

#[test]
fn conf_01_an_entry_that_no_platform_can_lay_out_is_an_error() {
    for (entry, fault) in [
        ("{path: ../x, kind: file}", "leads out of the root"),
        ("{path: /etc/x, kind: file}", "leads out of the root"),
        ("{path: '', kind: dir}", "leads out of the root"),
        ("{path: x, kind: file, mode: '0999'}", "octal digits"),
        ("{path: x, kind: file, mode: '+77'}", "octal digits"),
        ("{path: x, kind: dir, mode: '17777'}", "octal digits"),
        ("{path: x, kind: file, base64: '?'}", "no base64"),
        ("{path: x, kind: file, text: a, base64: YQ==}", "not both"),
        ("{path: x, kind: dir, text: a}", "only a file"),
        ("{path: x, kind: symlink}", "a link has a target"),
        ("{path: x, kind: file, target: y}", "nothing else has one"),
    ] {
        let text = GOOD.replace("'{root}'}}", &format!("'{{root}}'}}, tree: [{entry}]}}"));
        let faults = faults(&text);
        assert!(faults.iter().any(|told| told.contains(fault)), "{entry}: {faults:?}");
    }
}

#[test]
fn conf_05_a_value_that_is_no_canary_is_an_error_wherever_it_stands() {
    let step = |step: &str| GOOD.replace("do:\n", &format!("do:\n  - {step}\n"));
    let given = |more: &str| GOOD.replace("'{root}'}}", &format!("'{{root}}'}}, {more}}}"));
    let labelled = |with: &str| step(with).replace("expect:\n", "expect:\n  x: absent\n");
    for text in [
        GOOD.replace("{HOME: '{root}'}", "{K: plain}"),
        given("env_bytes: [{name: K, base64: cGxhaW4=}]"),
        given("tree: [{path: .env, kind: file, text: \"export K='plain'\\n\"}]"),
        given("tree: [{path: .env, kind: file, base64: Sz1wbGFpbg==}]"),
        given("host: {sources: [{name: v, values: {coder: {K: plain}}}]}"),
        step("set_env: {name: K, value: plain}"),
        step("set_env: {name: HERMES_KANBAN_TOKEN, value: plain}"),
        step("write_file: {path: .hermes/.env, text: \"K=plain\"}"),
        labelled("child_env: {as: x, set: {K: plain}}"),
        labelled("strip: {as: x, env: {K: plain}}"),
        labelled("token_id: {as: x, token: plain}"),
    ] {
        let faults = faults(&text);
        assert!(faults.iter().any(|told| told.contains("no canary")), "{text}\n{faults:?}");
        let mended = text.replace("plain", "canary-x").replace("cGxhaW4=", "Y2FuYXJ5LXg=");
        let mended = mended.replace("Sz1wbGFpbg==", "Sz1jYW5hcnkteA==");
        assert_eq!(self::faults(&mended), Vec::<String>::new(), "{mended}");
    }
}

#[test]
fn conf_10_a_folder_without_a_case_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = Rules::load(&fixtures()).expect("the tables");
    let loaded = load_suite(&[folder.path().to_path_buf()], rules);
    assert!(loaded.is_err(), "running nothing is no success");
}
