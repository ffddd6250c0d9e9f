use std::collections::BTreeSet;

use watertight_conformance::case::{AREAS, Level};
use watertight_conformance::rules::Coverage;
use watertight_conformance::workspace;

use crate::suite;

#[test]
fn conf_06_every_rule_is_covered_by_a_case_or_a_named_test() {
    let suite = suite();
    let coverage = Coverage::of(&suite.cases, &workspace(), &suite.rules).expect("sources can be read");
    let missing: Vec<_> = coverage.missing(&suite.rules).iter().map(|rule| &rule.id).collect();
    assert!(missing.is_empty(), "neither a case nor a named test covers {missing:?}");
    let strays = coverage.strays(&suite.rules);
    assert!(strays.is_empty(), "these tests are named for rules that there are not: {strays:?}");
}

#[test]
fn conf_06_a_rule_without_a_case_says_why() {
    let suite = suite();
    let has_case = |id: &String| suite.cases.iter().any(|case| case.rules.contains(id));
    for rule in suite.rules.iter() {
        let needs_a_reason = !has_case(&rule.id) && !rule.id.starts_with("CONF-");
        let has_one = rule.no_case.as_ref().is_some_and(|reason| !reason.is_empty());
        assert_eq!(
            has_one, needs_a_reason,
            "{}: a reason stands where there is no case, and nowhere else",
            rule.id
        );
    }
}

/// A core rule with a part that is hardened, as the rule itself says: the error inside a foreign scope.
const PARTLY_HARDENED: [&str; 1] = ["HOST-21"];

#[test]
fn conf_02_a_hardened_case_names_what_makes_it_one() {
    let suite = suite();
    let is_hardened = |id: &String| {
        PARTLY_HARDENED.contains(&id.as_str())
            || suite.rules.iter().any(|rule| rule.id == *id && rule.level == Level::Hardened)
    };
    for case in suite.cases.iter().filter(|case| case.level == Level::Hardened) {
        assert!(case.rules.iter().any(is_hardened), "{} names core rules alone", case.id);
    }
}

#[test]
fn conf_01_every_area_has_cases_and_every_case_lies_in_an_area() {
    let suite = suite();
    let areas: BTreeSet<_> = suite.cases.iter().map(watertight_conformance::case::Case::area).collect();
    assert_eq!(areas, BTreeSet::from(AREAS), "one folder per area");
    assert!(suite.cases.len() >= 250, "the suite is broad");
}

#[test]
fn conf_02_no_two_cases_say_the_same_thing() {
    let suite = suite();
    let mut seen = BTreeSet::new();
    for case in &suite.cases {
        let world = serde_json::to_string(&(&case.given, &case.script)).expect("a case is JSON");
        let tree: Vec<_> = case.tree.iter().flat_map(|tree| contents(tree)).collect();
        assert!(seen.insert((world, tree)), "{} is another case over again", case.id);
    }
}

fn contents(tree: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let files = walkdir::WalkDir::new(tree).sort_by_file_name().into_iter().flatten();
    files
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let path = entry.path().strip_prefix(tree).expect("inside").display().to_string();
            (path, std::fs::read(entry.path()).expect("a fixture can be read"))
        })
        .collect()
}

#[test]
fn conf_03_every_step_of_the_script_has_a_case() {
    let schema = include_str!("../../schemas/case.schema.json");
    let schema: serde_json::Value = serde_json::from_str(schema).expect("JSON");
    let known = schema["$defs"]["step"]["oneOf"].as_array().expect("a list of steps");
    let known: BTreeSet<_> = known.iter().filter_map(|step| step["required"][0].as_str()).collect();
    let suite = suite();
    let steps = suite.cases.iter().flat_map(watertight_conformance::case::Case::steps);
    let used: BTreeSet<String> = steps
        .filter_map(|step| serde_json::to_value(step).ok()?.as_object()?.keys().next().cloned())
        .collect();
    assert_eq!(used.iter().map(String::as_str).collect::<BTreeSet<_>>(), known, "no step is without a case");
}

#[test]
fn conf_03_every_field_of_every_step_has_a_case() {
    let schema = include_str!("../../schemas/case.schema.json");
    let schema: serde_json::Value = serde_json::from_str(schema).expect("JSON");
    let mut known = BTreeSet::new();
    for step in schema["$defs"]["step"]["oneOf"].as_array().expect("a list of steps") {
        for (name, shape) in step["properties"].as_object().expect("a step") {
            let fields = shape["properties"].as_object().into_iter().flat_map(serde_json::Map::keys);
            known.extend(fields.map(|field| format!("{name}.{field}")));
        }
    }
    let mut used = BTreeSet::new();
    for step in suite().cases.iter().flat_map(watertight_conformance::case::Case::steps) {
        let step = serde_json::to_value(step).expect("a step is JSON");
        for (name, fields) in step.as_object().expect("a step") {
            let is_said = |value: &serde_json::Value| !value.is_null() && *value != false;
            let said = fields.as_object().into_iter().flatten().filter(|(_, value)| is_said(value));
            used.extend(said.map(|(field, _)| format!("{name}.{field}")));
        }
    }
    let unused: Vec<_> = known.difference(&used).collect();
    assert!(known.len() > 100 && unused.is_empty(), "no case says {unused:?}");
}

#[test]
fn conf_15_each_case_is_one_test() {
    let suite = suite();
    let trials = crate::trials::of(suite.cases.clone());
    let names: Vec<_> = trials.iter().map(libtest_mimic::Trial::name).collect();
    let ids: Vec<_> = suite.cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(names, ids, "one test for each case, named for it");
}
