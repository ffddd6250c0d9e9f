//! What a person is told about a name.

use watertight_secret_scope::{Verdict, explain, explain_from};
use watertight_vocabulary::{Layer, NameClass};

use crate::source::Broken;
use crate::world::{World, files_of, home};

#[test]
fn sec_29_every_held_name_has_its_layer_its_line_and_what_it_shadows() {
    let world = World::new(&[("BOTH", "canary-unit"), ("UNIT", "canary-unit")]);
    let launch = world.launch_context("# first\nBOTH=canary-file\n\nFILE=canary-file\n");
    launch.run(|| {
        let both = explain(&world, "BOTH");
        let Verdict::Scope(origin) = both.verdict() else { panic!("{both}") };
        assert_eq!((origin.layer(), origin.line_number()), (Layer::Dotenv, Some(2)));
        assert_eq!(
            origin.path().map(|path| path.to_string_lossy().into_owned()).as_deref(),
            Some("/world/launch/.env")
        );
        assert_eq!(
            both.shadowed().iter().map(watertight_vocabulary::Origin::layer).collect::<Vec<_>>(),
            [Layer::LaunchEnvironment]
        );
        assert_eq!((both.class(), both.code(), both.rule()), (NameClass::Secret, "value", "SEC-02"));
    });
}

#[test]
fn sec_29_every_answer_says_why_it_is_so_and_none_holds_a_value() {
    let world = World::new(&[
        ("UNIT", "canary-unit"),
        ("PATH", "canary-path"),
        ("BOTH", "canary-unit"),
        ("TERMINAL_CWD", "canary-cwd"),
    ]);
    let names = [
        "BOTH",
        "UNIT",
        "NOWHERE",
        "PATH",
        "LANG",
        "TERMINAL_CWD",
        "OMNIGENT_RUNNER_INITIAL_AUTH_TOKEN",
        "A=B",
    ];
    let launch = world.launch_context("BOTH=canary-file\n");
    let foreign = world.profile_context("coder", "BOTH=canary-own\n");
    let closed = world.profile_context("closed", "BOTH=canary-own\n");
    closed.close();
    let source = Broken::declaring(["UNIT"]);
    let broken = home("broken");
    let files = files_of(&broken, "BOTH=canary-own\n");
    let bound = watertight_secret_scope::SecretScope::builder(&broken).files(&files).source(&source).build();
    let broken = world.foreign("broken", bound);
    let asked = source.asked();

    let mut texts = Vec::new();
    let mut all = |about: &str| {
        texts.push(format!("# {about}"));
        texts.extend(names.map(|name| explain(&world, name).to_string()));
        for (about, task) in
            [("launch", &launch), ("coder", &foreign), ("closed", &closed), ("broken", &broken)]
        {
            texts.push(format!("## {about}"));
            texts.extend(names.map(|name| {
                let text = explain_from(task, Some(&world), name).to_string();
                assert_eq!(text, task.run(|| explain(&world, name)).to_string(), "ambient and by handle");
                text
            }));
        }
    };
    all("one profile");
    world.activate();
    all("many profiles");
    let text = texts.join("\n");
    assert!(!text.contains("canary"), "{text}");
    assert_eq!(source.asked(), asked, "an explanation asks no source");
    insta::assert_snapshot!(text);
}
