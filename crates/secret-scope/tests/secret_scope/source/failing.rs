//! A source that fails: what it may hold is refused, what lies above it resolves.

use std::sync::Arc;

use watertight_profile_home::{Managed, parse_dotenv};
use watertight_secret_scope::{Asking, SecretScope, SecretSource, SourceCache, Verdict, read};
use watertight_vocabulary::{Layer, Name, Secret, Severity};

use super::{Broken, scripted};
use crate::world::{World, files_of, home, policy, text};

fn refused(scope: &SecretScope, name: &str) -> &'static str {
    scope.get(name).expect_err("what a failed source may hold is refused").code()
}

#[test]
fn sec_24_what_a_failed_source_declares_is_refused_and_so_is_every_miss() {
    let home = home("coder");
    let source = Broken::declaring(["DECLARED", "REFERENCE"]);
    let files = files_of(&home, "REFERENCE=canary-reference\nLOWER=canary-lower\n");
    let scope = policy(&SecretScope::builder(&home).files(&files).source(&source).build());

    assert_eq!(refused(&scope, "DECLARED"), "unavailable");
    assert_eq!(refused(&scope, "REFERENCE"), "unavailable", "the lower layer's value is not the key");
    assert_eq!(refused(&scope, "NOWHERE"), "unavailable", "absence cannot be known");
    assert_eq!(text(scope.get("LOWER").expect("a name of a lower layer")), Some("canary-lower"));
    assert_eq!(scope.names(), [&Name::from("LOWER")]);
    assert!(scope.origin("REFERENCE").is_none());
    assert_eq!(scope.shadowed("REFERENCE").len(), 1, "the report still says who has it beneath");

    let failures: Vec<_> = scope.failures("LOWER").map(|failure| failure.cause().to_owned()).collect();
    assert_eq!(failures, ["the source vault has no answer: the vault is sealed"]);
}

#[test]
fn sec_24_a_source_that_fails_is_reported_and_one_that_is_not_asked_is_no_failure() {
    let home = home("coder");
    let cache = SourceCache::new([Arc::new(Broken::declaring(["DECLARED"])) as Arc<dyn SecretSource>]);
    let built = |asking| policy(&SecretScope::builder(&home).sources(&cache, asking).build());
    for asking in [Asking::Once, Asking::Anew] {
        let scope = built(asking);
        let [failed] = scope.diagnostics() else { panic!("one source failed: {:?}", scope.diagnostics()) };
        assert_eq!(failed.severity(), Severity::Warning);
        assert_eq!(failed.code(), "source-other");
        assert_eq!(failed.subject(), Some("vault"));
        assert!(failed.message().contains("the vault is sealed"), "{failed}");
    }
    let unasked = built(Asking::Never);
    assert_eq!(unasked.diagnostics(), []);
    assert_eq!(refused(&unasked, "DECLARED"), "unavailable", "absence is as unknown as before");
}

#[test]
fn sec_24_names_of_the_layers_above_resolve_and_carry_no_failure() {
    let home = home("coder");
    let source = Broken::declaring(["A", "B", "C"]);
    let later = scripted(["B"], |_| Ok(vec![(Name::from("B"), Secret::from("canary-later"))]));
    let managed = Managed::Present(parse_dotenv(b"A=canary-managed\n").expect("it can be read").into());
    let files = files_of(&home, "A=canary-file\nB=canary-file\nC=canary-file\n");
    let builder = SecretScope::builder(&home).files(&files).managed(&managed);
    let scope = policy(&builder.source(&source).source(&*later).build());

    assert_eq!(text(scope.get("A").expect("above")), Some("canary-managed"));
    assert_eq!(text(scope.get("B").expect("above")), Some("canary-later"));
    assert_eq!(refused(&scope, "C"), "unavailable");
    assert_eq!(scope.failures("A").count(), 0);
    assert_eq!(scope.failures("B").count(), 0);
    assert_eq!(
        scope.shadowed("A").iter().map(watertight_vocabulary::Origin::layer).collect::<Vec<_>>(),
        [Layer::Dotenv]
    );
}

#[test]
fn sec_24_each_declared_name_is_refused_with_the_failure_of_its_own_source() {
    let home = home("coder");
    let (lower, upper) = (Broken::named("lower", ["L"]), Broken::named("upper", ["U"]));
    let scope = policy(&SecretScope::builder(&home).source(&lower).source(&upper).build());
    for (name, wanted) in [("L", "lower"), ("U", "upper"), ("NOWHERE", "upper")] {
        let text = scope.get(name).expect_err("refused").to_string();
        assert!(text.contains(&format!("the source {wanted} has no answer")), "{name}: {text}");
    }
}

#[test]
fn sec_24_a_miss_is_refused_before_the_environment_is_asked() {
    let world = World::new(&[("LATER", "canary-env"), ("DECLARED", "canary-env")]);
    let (home, source) = (world.launch_home(), Broken::declaring(["DECLARED"]));
    let builder = SecretScope::builder(&home).launch_environment(world.environment());
    let task = world.context().home(home.id().clone()).with(builder.source(&source).build()).build();
    world.live.set("INJECTED", "canary-injected");
    for name in ["INJECTED", "DECLARED", "NOWHERE"] {
        let refused = task.run(|| read(&world, name)).expect_err("the source may hold it");
        assert_eq!(refused.code(), "unavailable", "{name}");
    }
    assert_eq!(world.answers(), 0);
    let later = task.run(|| read(&world, "LATER")).expect("a name of a lower layer resolves");
    assert_eq!(text(later.as_ref()), Some("canary-env"));
}

#[test]
fn sec_24_the_explanation_says_which_source_withholds_a_name() {
    let home = home("coder");
    let source = Broken::declaring(["REFERENCE"]);
    let files = files_of(&home, "REFERENCE=canary-reference\nLOWER=canary-lower\n");
    let scope = policy(&SecretScope::builder(&home).files(&files).source(&source).build());
    let explanation = scope.explain("REFERENCE");
    assert!(matches!(explanation.verdict(), Verdict::Refused(_)));
    assert_eq!(explanation.rule(), "SEC-24");
    assert_eq!(explanation.shadowed().len(), 1);
    assert_eq!(explanation.failures().len(), 1);
    insta::assert_snapshot!(format!("{explanation}\n{}", scope.explain("LOWER")), @r"
    REFERENCE: refused: the profile's policy is unavailable: the source vault has no answer: the vault is sealed; mend it and refresh the profile [SEC-24]
      withholds .env (/world/profiles/coder/.env:1)
    LOWER: a value from .env (/world/profiles/coder/.env:2) [SEC-02]
      may hold another value: the source vault has no answer: the vault is sealed; mend it and refresh the profile
    ");
}

#[test]
fn sec_26_a_source_brings_in_no_name_that_is_not_a_secret() {
    let home = home("coder");
    let names = ["PATH", "TERMINAL_CWD", "OMNIGENT_RUNNER_INITIAL_AUTH_TOKEN", "KEY", "A=B", ""];
    let source = scripted(["PATH", "KEY"], move |_| {
        Ok(names.map(|name| (Name::from(name), Secret::from("canary-source"))).to_vec())
    });
    let scope = policy(&SecretScope::builder(&home).source(&*source).build());
    assert_eq!(scope.names(), [&Name::from("KEY")]);
    let mut codes: Vec<_> = scope.diagnostics().iter().map(watertight_vocabulary::Diagnostic::code).collect();
    codes.sort_unstable();
    assert_eq!(
        codes,
        ["control-plane-name", "global-name", "impossible-name", "impossible-name", "terminal-name"]
    );
}

#[test]
fn of_a_name_that_a_source_gives_twice_the_last_value_counts() {
    let home = home("coder");
    let source = scripted(["KEY"], |_| {
        Ok(["canary-1", "canary-2"].map(|value| (Name::from("KEY"), Secret::from(value))).to_vec())
    });
    let scope = policy(&SecretScope::builder(&home).source(&*source).build());
    assert_eq!(text(scope.get("KEY").expect("held")), Some("canary-2"));
    assert!(scope.shadowed("KEY").is_empty(), "a layer does not shadow itself");
}
