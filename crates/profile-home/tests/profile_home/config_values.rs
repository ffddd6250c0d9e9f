//! Keys, values and the budgets for them, one by one.

use watertight_profile_home::{Yaml, parse_config};

use crate::config::{config, invalid, shown};

/// What the budgets leave, to the last node and the last byte.
#[test]
fn file_37_the_budgets_for_nodes_and_text_are_kept_to_the_last_one() {
    // The file's mapping, its key and the list are nodes as well.
    let list = |items: usize| format!("a:\n{}", "- 1\n".repeat(items));
    let Some(Yaml::List(items)) = config(&list(49_997)).get("a").cloned() else { panic!("a list") };
    assert_eq!(items.len(), 49_997);
    assert_eq!(invalid(list(49_998)).reason(), "beyond-budget");
    assert_eq!(invalid(list(60_000)).reason(), "beyond-budget");
    // The key is text as well, and what an alias repeats counts anew.
    let half = (1 << 19) - 2;
    let twice = |more: usize| format!("a: &x {}\nb: [*x]\nc: {}", "x".repeat(half), "y".repeat(more));
    assert!(parse_config(twice(1).as_bytes()).is_ok(), "1,048,576 bytes");
    assert_eq!(invalid(twice(2)).reason(), "beyond-budget");
    assert_eq!(invalid(twice(1000)).reason(), "beyond-budget");
}

#[test]
fn file_31_a_key_that_is_a_list_or_a_mapping_may_hold_what_is_a_key_beside_it() {
    let config = config("a: 1\n? [a, a]\n: 2\n? {a: b}\n: 3\n");
    let keys: Vec<_> = config.entries().map(|(key, _)| shown(key)).collect();
    assert_eq!(keys, ["\"a\"", "[\"a\", \"a\"]", "{\"a\": \"b\"}"]);
    assert_eq!(
        invalid("? [a]\n: 1\n? [a]\n: 2\n").reason(),
        "duplicate-key",
        "the same list is the same key"
    );
}

#[test]
fn file_31_floats_are_one_key_if_they_are_one_number_and_two_otherwise() {
    assert_eq!(config("{1.5: a, 2.5: b}").entries().len(), 2);
    assert_eq!(invalid("{1.5: a, 1.50: b}").reason(), "duplicate-key");
    assert_eq!(invalid("{.nan: a, .NaN: b}").reason(), "duplicate-key", "one not-a-number equals itself");
    assert_eq!(config("{0.0: a, -0.0: b}").entries().len(), 2, "by their bits");
}

/// What hashes alike is compared with all before it, which takes minutes for a file of many keys.
#[test]
fn file_37_keys_are_spread_by_what_they_hold() {
    use std::collections::HashSet;
    use std::hash::{BuildHasher, RandomState};

    let state = RandomState::new();
    let spread = |text: &str| {
        let config = config(text);
        config.entries().map(|(key, _)| state.hash_one(key)).collect::<HashSet<_>>().len()
    };
    assert_eq!(spread("{a: 1, b: 1, c: 1, d: 1}"), 4);
    assert_eq!(spread("{1.5: 1, 2.5: 1, 3.5: 1, 4.5: 1}"), 4);
}

#[test]
fn file_36_a_key_is_looked_up_in_a_mapping_and_in_nothing_else() {
    let config = config("a: {k: v, 1: w}\nb: [k]\nc: k\n");
    let look = |name: &str, key: &str| config.get(name).and_then(|value| value.get(key)).map(shown);
    assert_eq!(look("a", "k").as_deref(), Some("\"v\""));
    for (name, key) in [("a", "v"), ("a", "1"), ("b", "k"), ("c", "k")] {
        assert_eq!(look(name, key), None, "{name}.{key}");
    }
}

#[test]
fn file_04_debug_of_a_value_shows_its_kind_and_its_size() {
    let config = config("a: [canary-1, canary-2]\nb: {canary: 3}\nc: canary-4\nd: 1.5\ne: ~\n");
    let shown: Vec<_> = config.entries().map(|(_, value)| format!("{value:?}")).collect();
    assert_eq!(
        shown,
        ["Yaml(a list of 2)", "Yaml(a mapping of 1)", "Yaml(text)", "Yaml(a float)", "Yaml(null)"]
    );
    let inside: Vec<_> = config
        .entries()
        .filter_map(|(_, value)| match value {
            Yaml::Text(text) => Some(format!("{text:?}")),
            Yaml::Float(number) => Some(format!("{number:?}")),
            _ => None,
        })
        .collect();
    assert_eq!(inside, ["8 bytes", ".."]);
}
