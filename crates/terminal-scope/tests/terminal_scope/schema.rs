//! The schema as a value: extended, replaced, checked when it is made (TERM-03).

use watertight_terminal_scope::{Backend, SchemaError, SchemaKey, TerminalSchema, ValueType};

use crate::support::{Profile, policy, text};

/// The specification's own table, written out once more.
const SPECIFIED: [(&str, ValueType, &str); 35] = [
    ("backend", ValueType::Text, "local"),
    ("modal_mode", ValueType::Text, "auto"),
    ("degraded_mode", ValueType::Text, "warn"),
    ("cwd", ValueType::Path, "."),
    ("temp_dir", ValueType::Text, ""),
    ("timeout", ValueType::Integer, "180"),
    ("lifetime_seconds", ValueType::Integer, "300"),
    ("docker_image", ValueType::Text, "nousresearch/hermes-sandbox:desktop"),
    ("docker_forward_env", ValueType::List, "[]"),
    ("singularity_image", ValueType::Text, "docker://nousresearch/hermes-sandbox:desktop"),
    ("modal_image", ValueType::Text, "nousresearch/hermes-sandbox:desktop"),
    ("daytona_image", ValueType::Text, "nousresearch/hermes-sandbox:desktop"),
    ("vercel_runtime", ValueType::Text, ""),
    ("vercel_image", ValueType::Text, "vercel/sandbox/universal:latest"),
    ("ssh_host", ValueType::Text, ""),
    ("ssh_user", ValueType::Text, ""),
    ("ssh_port", ValueType::Integer, "22"),
    ("ssh_key", ValueType::Text, ""),
    ("container_cpu", ValueType::Number, "1"),
    ("container_memory", ValueType::Integer, "5120"),
    ("container_disk", ValueType::Integer, "51200"),
    ("container_persistent", ValueType::Boolean, "True"),
    ("docker_volumes", ValueType::List, "[]"),
    ("docker_env", ValueType::Map, "{}"),
    ("docker_mount_cwd_to_workspace", ValueType::Boolean, "False"),
    ("docker_network", ValueType::Boolean, "True"),
    ("docker_extra_args", ValueType::List, "[]"),
    ("docker_shm_size", ValueType::Text, "1g"),
    ("docker_run_as_host_user", ValueType::Boolean, "False"),
    ("docker_snap_compat", ValueType::Boolean, "False"),
    ("docker_persist_across_processes", ValueType::Boolean, "True"),
    ("docker_shared_container_key", ValueType::Text, ""),
    ("docker_orphan_reaper", ValueType::Boolean, "True"),
    ("sandbox_dir", ValueType::Text, ""),
    ("persistent_shell", ValueType::Boolean, "True"),
];

#[test]
fn term_03_the_table_is_the_specifications() {
    let schema = TerminalSchema::hermes();
    let policy = Profile::empty().policy();
    for (key, (name, value_type, default)) in schema.keys().zip(SPECIFIED) {
        assert_eq!((key.key(), key.value_type()), (name, value_type));
        assert!(key.default().is_some_and(|own| own.matches(default)), "{name}");
        if name != "cwd" {
            let variable = key.variable().as_str().expect("text");
            assert_eq!(text(&policy, variable).as_deref(), Some(default), "{variable}");
        }
    }
}

#[test]
fn term_11_shown_are_the_three_modes_the_booleans_and_the_numbers() {
    for key in TerminalSchema::hermes().keys() {
        let numeric = matches!(key.value_type(), ValueType::Boolean | ValueType::Integer | ValueType::Number);
        let expected = numeric || ["backend", "modal_mode", "degraded_mode"].contains(&key.key());
        assert_eq!(key.is_shown(), expected, "{}", key.key());
    }
}

fn key(name: &str, value_type: ValueType) -> SchemaKey {
    SchemaKey::new(name, value_type).expect("a key")
}

#[test]
fn term_03_a_host_may_extend_the_schema() {
    let profile_key = key("firejail_profile", ValueType::Text).with_default("strict").expect("a text");
    let timeout = key("timeout", ValueType::Integer).with_default("60").expect("a number");
    let schema = TerminalSchema::hermes().extend([profile_key, timeout]).expect("a schema");
    assert_eq!(schema.keys().len(), 36, "a key that was there is replaced");
    let profile = Profile::empty();
    let defaults = policy(profile.builder().schema(&schema).build());
    assert_eq!(text(&defaults, "TERMINAL_FIREJAIL_PROFILE").as_deref(), Some("strict"));
    assert_eq!(text(&defaults, "TERMINAL_TIMEOUT").as_deref(), Some("60"));
    let profile = profile.terminal("{firejail_profile: canary-profile}");
    let set = policy(profile.builder().schema(&schema).build());
    assert_eq!(text(&set, "TERMINAL_FIREJAIL_PROFILE").as_deref(), Some("canary-profile"));
    assert_eq!(TerminalSchema::hermes().keys().len(), 35, "the reference's own is untouched");
}

#[test]
fn term_03_extending_keeps_the_backends_and_the_other_way_round() {
    let schema = TerminalSchema::hermes()
        .with_backends(["firejail", "docker"])
        .and_then(|schema| schema.extend([key("x", ValueType::Text)]))
        .and_then(|schema| schema.with_backends(["gvisor"]))
        .expect("a schema");
    let names: Vec<&str> = schema.backends().map(Backend::as_str).collect();
    assert_eq!(names.len(), 9, "a name that is known is not added");
    assert!(names.ends_with(&["firejail", "gvisor"]));
    assert!(schema.key("x").is_some());
}

#[test]
fn term_03_a_host_may_replace_the_schema() {
    let backend = key("backend", ValueType::Text).with_default("docker").expect("a text");
    let schema = TerminalSchema::new([backend, key("image", ValueType::Text)]).expect("a schema");
    let profile = Profile::empty().terminal("{image: canary-image, timeout: 9}");
    let policy = policy(profile.builder().schema(&schema).build());
    let names: Vec<String> = policy.variables().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["TERMINAL_ENV", "TERMINAL_IMAGE"], "nothing of the reference's own is left");
    assert_eq!(policy.backend().expect("it is known"), Backend::Docker);
}

#[test]
fn term_03_what_could_not_work_is_no_schema() {
    let code = |error: SchemaError| error.code();
    for name in ["", "Backend", "docker-image", "é", "a b", "a=b"] {
        assert_eq!(SchemaKey::new(name, ValueType::Text).map_err(code).err(), Some("invalid-key"), "{name}");
    }
    for name in ["env", "docker_image_pinned"] {
        assert_eq!(SchemaKey::new(name, ValueType::Text).map_err(code).err(), Some("reserved-key"), "{name}");
    }
    for (name, value_type) in
        [("backend", ValueType::Integer), ("cwd", ValueType::Text), ("docker_image", ValueType::List)]
    {
        assert_eq!(SchemaKey::new(name, value_type).map_err(code).err(), Some("fixed-type"), "{name}");
    }
    let default = key("timeout", ValueType::Integer).with_default("canary-soon");
    let error = default.expect_err("no number");
    assert_eq!(error.code(), "default-of-another-type");
    assert!(!error.to_string().contains("canary"), "errors hold no value");
    assert_eq!(TerminalSchema::new([]).map_err(code).err(), Some("no-backend-key"));
    for name in ["", " docker", "Docker", "no", "1"] {
        let refused = TerminalSchema::hermes().with_backends([name]);
        assert_eq!(refused.map_err(code).err(), Some("invalid-backend"), "{name}");
    }
}

#[test]
fn term_11_debug_of_a_schema_shows_keys_and_types() {
    let secret = key("backend", ValueType::Text).with_default("canary-default").expect("a text");
    let shown = format!("{:?} {:?}", TerminalSchema::new([secret.clone()]).expect("a schema"), secret);
    assert!(shown.contains("backend") && !shown.contains("canary"), "{shown}");
}
