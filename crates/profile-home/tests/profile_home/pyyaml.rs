//! Files that `PyYAML` 6.0.3 wrote (`safe_dump` of one value in ten styles), beside the value as JSON.

use std::path::{Path, PathBuf};

use serde_json::Value;
use watertight_profile_home::{Yaml, parse_config};

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples")
}

/// Whether our tree says what was written.
fn same(ours: &Yaml, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Yaml::Null, Value::Null) => true,
        (Yaml::Bool(ours), Value::Bool(theirs)) => ours == theirs,
        (Yaml::Int(ours), Value::Number(theirs)) => {
            Some(ours.as_str()) == theirs.as_i64().map(|n| n.to_string()).as_deref()
        }
        (Yaml::Float(ours), Value::Number(theirs)) => Some(ours.value()) == theirs.as_f64(),
        (Yaml::Text(ours), Value::String(theirs)) => ours.as_str() == theirs,
        (Yaml::List(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| same(ours, theirs))
        }
        (Yaml::Map(ours), Value::Object(theirs)) => {
            let entry = |(key, value): &(Yaml, Yaml)| {
                key.as_str().and_then(|key| theirs.get(key)).is_some_and(|theirs| same(value, theirs))
            };
            ours.len() == theirs.len() && ours.iter().all(entry)
        }
        _ => false,
    }
}

#[test]
fn file_38_what_pyyaml_wrote_is_read_as_what_it_meant() {
    let meant: Value =
        serde_json::from_slice(&std::fs::read(samples().join("pyyaml.json")).unwrap()).unwrap();
    let mut count = 0;
    for entry in std::fs::read_dir(samples()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "yaml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for text in [text.replace('\n', "\r\n"), text] {
            let config = parse_config(text.as_bytes()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            for (key, value) in config.entries() {
                let key = key.as_str().unwrap();
                assert!(same(value, &meant[key]), "{key} in {}", path.display());
            }
            assert_eq!(config.entries().len(), meant.as_object().unwrap().len());
        }
        count += 1;
    }
    assert_eq!(count, 10);
}
