//! Whether the image is pinned (TERM-07), as a table.

use watertight_env_snapshot::MapEnv;
use watertight_terminal_scope::{SchemaKey, TerminalSchema, ValueType};
use watertight_vocabulary::Layer;

use crate::support::{Profile, managed, policy, problems, text};

const PINNED: &str = "TERMINAL_DOCKER_IMAGE_PINNED";
const DEFAULT_IMAGE: &str = "nousresearch/hermes-sandbox:desktop";

#[test]
fn term_07_the_pin_is_computed_from_who_set_the_image() {
    let dotenv_default = format!("TERMINAL_DOCKER_IMAGE={DEFAULT_IMAGE}");
    let yaml_default = format!("{{docker_image: '{DEFAULT_IMAGE}'}}");
    // (.env, terminal section, launch environment's image, the verdict)
    let table: &[(&str, &str, Option<&str>, &str)] = &[
        ("", "{}", None, "0"),
        ("", "{docker_network: false}", None, "0"),
        ("TERMINAL_DOCKER_IMAGE=canary-image", "{}", None, "1"),
        ("TERMINAL_DOCKER_IMAGE=", "{}", None, "1"),
        (&dotenv_default, "{}", None, "1"),
        ("", "{docker_image: canary-image}", None, "1"),
        ("", "{docker_image: ~}", None, "1"),
        ("", "{docker_image: 1.10}", None, "1"),
        ("", &yaml_default, None, "1"),
        ("", "{}", Some("canary-image"), "1"),
        ("", "{}", Some(""), "1"),
        ("", "{}", Some(DEFAULT_IMAGE), "0"),
        ("TERMINAL_DOCKER_IMAGE_PINNED=1", "{}", None, "0"),
        ("TERMINAL_DOCKER_IMAGE_PINNED=0\nTERMINAL_DOCKER_IMAGE=x", "{}", None, "1"),
        ("", "{docker_image_pinned: true}", None, "0"),
        ("", "{singularity_image: canary-image}", None, "0"),
    ];
    for (dotenv, section, image, verdict) in table {
        let profile = Profile::empty().dotenv(dotenv).terminal(section);
        let env = MapEnv::new();
        if let Some(image) = image {
            env.set("TERMINAL_DOCKER_IMAGE", image);
        }
        let policy = policy(profile.builder().launch_environment(&env).build());
        assert_eq!(text(&policy, PINNED).as_deref(), Some(*verdict), "{dotenv} {section} {image:?}");
        assert_eq!(policy.origin(PINNED).map(|origin| origin.layer()), Some(Layer::Computed));
    }
}

#[test]
fn term_07_another_variable_pins_nothing_in_any_layer() {
    let profile = Profile::empty().dotenv("TERMINAL_SINGULARITY_IMAGE=canary-image\nTERMINAL_TIMEOUT=5");
    assert_eq!(text(&profile.policy(), PINNED).as_deref(), Some("0"), "a `.env` without the image");
    let env = MapEnv::from([("TERMINAL_MODAL_IMAGE", "canary-image"), ("TERMINAL_TIMEOUT", "5")]);
    let policy = policy(Profile::empty().builder().launch_environment(&env).build());
    assert_eq!(text(&policy, PINNED).as_deref(), Some("0"), "a launch environment without the image");
}

#[test]
fn term_07_no_layer_sets_the_verdict_and_each_that_tries_is_reported() {
    let env = MapEnv::from([(PINNED, "1")]);
    let profile = Profile::empty().dotenv(format!("{PINNED}=1")).terminal("{docker_image_pinned: 1}");
    let administrator = managed(&format!("{PINNED}=1\n"));
    let built = policy(profile.builder().launch_environment(&env).managed(&administrator).build());
    assert_eq!(text(&built, PINNED).as_deref(), Some("0"));
    let computed = ("computed-key", PINNED.to_owned());
    assert_eq!(problems(&built), vec![computed; 4]);
}

#[test]
fn term_07_an_administrators_image_pins_nothing() {
    let administrator = managed("TERMINAL_DOCKER_IMAGE=canary-image\n");
    let policy = policy(Profile::empty().builder().managed(&administrator).build());
    assert_eq!(text(&policy, "TERMINAL_DOCKER_IMAGE").as_deref(), Some("canary-image"));
    assert_eq!(text(&policy, PINNED).as_deref(), Some("0"), "the rule names the three that do");
}

#[test]
fn term_07_a_merged_key_is_a_key_of_the_section() {
    let profile = Profile::empty().config("base: &b {docker_image: canary-image}\nterminal: {<<: *b}\n");
    assert_eq!(text(&profile.policy(), PINNED).as_deref(), Some("1"));
}

#[test]
fn term_07_a_schema_without_the_image_has_no_verdict() {
    let backend = SchemaKey::new("backend", ValueType::Text).and_then(|key| key.with_default("docker"));
    let schema = TerminalSchema::new([backend.expect("a key")]).expect("a schema");
    let policy = policy(Profile::empty().builder().schema(&schema).build());
    assert_eq!(text(&policy, PINNED), None);
}
