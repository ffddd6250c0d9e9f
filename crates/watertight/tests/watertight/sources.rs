//! External sources, asked through a host.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use watertight::secret_scope::{SecretSource, SourceError, SourceRequest};
use watertight::vocabulary::{Name, Secret};
use watertight::{ProfileScope, host as ambient_host};

use crate::world::{World, code, value};

/// A source that is steered by the test.
#[derive(Debug, Clone)]
pub(crate) struct Vault {
    declares: Vec<Name>,
    answer: Arc<Mutex<Answer>>,
    asked: Arc<AtomicUsize>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Answer {
    Numbered,
    Nothing,
    Fails,
    Panics,
    /// Reads what is bound around it, as a source must not be able to.
    LooksAround,
}

impl Vault {
    fn answering<const N: usize>(declares: [&str; N], answer: Answer) -> Self {
        let declares = declares.map(Name::from).to_vec();
        Self { declares, answer: Arc::new(Mutex::new(answer)), asked: Arc::default() }
    }

    pub(crate) fn failing<const N: usize>(declares: [&str; N]) -> Self {
        Self::answering(declares, Answer::Fails)
    }

    fn now(&self, answer: Answer) {
        *self.answer.lock().unwrap() = answer;
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl SecretSource for Vault {
    fn name(&self) -> &'static str {
        "vault"
    }

    fn declares(&self) -> &[Name] {
        &self.declares
    }

    fn fetch(&self, request: &SourceRequest<'_>) -> Result<Vec<(Name, Secret)>, SourceError> {
        let number = self.asked.fetch_add(1, Ordering::SeqCst);
        let name = self.declares[0].clone();
        let home = request.home().path().file_name().unwrap().to_string_lossy().into_owned();
        let answer = *self.answer.lock().unwrap();
        match answer {
            Answer::Numbered => Ok(vec![(name, Secret::from(format!("canary-{home}-{number}")))]),
            Answer::Nothing => Ok(Vec::new()),
            Answer::Fails => Err(SourceError::Other("the vault is sealed")),
            Answer::Panics => panic!("the vault broke"),
            Answer::LooksAround => match ambient_host().secret("CODER_KEY") {
                Ok(Some(stolen)) => Ok(vec![(name, stolen)]),
                _ => Ok(Vec::new()),
            },
        }
    }
}

#[test]
fn sec_23_a_source_is_asked_for_its_home_once_and_its_values_are_that_homes() {
    let world = World::with_coder();
    world.write("profiles/writer/.env", "X=canary\n");
    let vault = Vault::answering(["VAULT_KEY"], Answer::Numbered);
    let host = world.builder().source(vault.clone()).build().unwrap();
    let read = |profile: &str| value(host.profile_scope(profile).unwrap().secret("VAULT_KEY")).unwrap();
    assert_eq!(read("coder"), "canary-coder-0");
    assert_eq!(read("writer"), "canary-writer-1");
    assert_eq!(read("coder"), "canary-coder-0", "kept for the home (SEC-32)");
    assert_eq!(value(host.launch_scope().unwrap().secret("VAULT_KEY")).as_deref(), Some("canary-root-2"));
    assert_eq!(vault.asked(), 3);
}

#[test]
fn sec_23_a_source_sees_nothing_of_the_scope_that_its_caller_is_in() {
    let world = World::with_coder();
    world.write("profiles/writer/.env", "X=canary\n");
    let vault = Vault::answering(["VAULT_KEY"], Answer::LooksAround);
    let host = world.builder().source(vault).build().unwrap();
    let coder = host.profile_scope("coder").unwrap();
    let writer = coder.run(|| host.profile_scope("writer").unwrap());
    assert_eq!(value(writer.secret("VAULT_KEY")), None, "it was asked inside the coder's scope");
}

#[test]
fn sec_24_a_source_that_fails_makes_absence_unknowable() {
    let world = World::with_coder();
    let vault = Vault::failing(["VAULT_KEY"]);
    let host = world.builder().source(vault.clone()).build().unwrap();
    let scope = host.profile_scope("coder").unwrap();
    assert_eq!(code(scope.secret("VAULT_KEY")), "unavailable");
    assert_eq!(code(scope.secret("NO_SUCH_KEY")), "unavailable");
    assert_eq!(
        value(scope.secret("CODER_KEY")).as_deref(),
        Some("canary-coder"),
        "a lower layer's other names"
    );
    vault.now(Answer::Numbered);
    let retried = host.profile_scope("coder").unwrap();
    assert_eq!(
        value(retried.secret("VAULT_KEY")).as_deref(),
        Some("canary-coder-1"),
        "a failure is not kept"
    );
}

#[test]
fn sec_28_a_refresh_asks_the_sources_anew_and_keeps_nothing_that_was_revoked() {
    let world = World::with_coder();
    let vault = Vault::answering(["VAULT_KEY"], Answer::Numbered);
    let host = world.builder().source(vault.clone()).build().unwrap();
    let scope = host.profile_scope("coder").unwrap();
    scope.refresh().unwrap();
    assert_eq!(value(scope.secret("VAULT_KEY")).as_deref(), Some("canary-coder-1"));
    vault.now(Answer::Nothing);
    scope.refresh().unwrap();
    assert_eq!(value(scope.secret("VAULT_KEY")), None);
    vault.now(Answer::Panics);
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| scope.refresh()));
    assert_eq!(code(scope.secret("VAULT_KEY")), "unavailable", "whatever became of the refresh");
    assert_eq!(code(host.profile_scope("coder").unwrap().secret("VAULT_KEY")), "unavailable");
}

/// Its profile is deleted while it is asked, the first time.
#[derive(Debug)]
struct Deleting {
    tombstone: PathBuf,
    asked: AtomicUsize,
}

impl SecretSource for Deleting {
    fn name(&self) -> &'static str {
        "deleting"
    }

    fn declares(&self) -> &[Name] {
        &[]
    }

    fn fetch(&self, _: &SourceRequest<'_>) -> Result<Vec<(Name, Secret)>, SourceError> {
        let number = self.asked.fetch_add(1, Ordering::SeqCst);
        if number == 0 {
            std::fs::write(&self.tombstone, "").unwrap();
        }
        Ok(vec![(Name::from("KEY"), Secret::from(format!("canary-{number}")))])
    }
}

#[test]
fn sec_32_what_is_said_for_a_profile_that_goes_while_its_scope_is_built_is_not_kept() {
    let world = World::with_coder();
    world.write("profiles/.deleted/other", "");
    let tombstone = world.path("profiles/.deleted/coder");
    let source = Deleting { tombstone: tombstone.clone(), asked: AtomicUsize::new(0) };
    let host = world.builder().source(source).build().unwrap();
    host.profile_scope("coder").expect_err("it was deleted meanwhile");
    std::fs::remove_file(tombstone).unwrap();
    let scope = host.profile_scope("coder").unwrap();
    assert_eq!(value(scope.secret("KEY")).as_deref(), Some("canary-1"), "asked anew");
}

#[test]
fn sec_32_what_is_kept_of_a_home_goes_when_the_profile_does() {
    let world = World::with_coder();
    let vault = Vault::answering(["VAULT_KEY"], Answer::Numbered);
    let host = world.builder().source(vault.clone()).build().unwrap();
    host.profile_scope("coder").unwrap();
    world.write("profiles/.deleted/coder", "");
    assert!(host.profile_scope("coder").is_err());
    std::fs::remove_file(world.path("profiles/.deleted/coder")).unwrap();
    let again = host.profile_scope("coder").unwrap();
    assert_eq!(value(again.secret("VAULT_KEY")).as_deref(), Some("canary-coder-1"), "fetched anew");
}

#[test]
fn sec_32_what_is_kept_of_a_home_that_is_gone_goes_though_nobody_asks_for_it() {
    const MANY: usize = 40;
    let world = World::with_coder();
    let serve = |host: &watertight::Host, kind: &str| {
        for number in 0..MANY {
            world.write(&format!("profiles/{kind}{number}/SOUL.md"), "x");
            host.profile_scope(&format!("{kind}{number}")).unwrap();
        }
    };
    let tombstone = |number: usize| format!("profiles/.deleted/old{number}");
    let vault = Vault::answering(["VAULT_KEY"], Answer::Numbered);
    let host = world.builder().source(vault.clone()).build().unwrap();
    serve(&host, "old");
    for number in 0..MANY {
        world.write(&tombstone(number), "");
    }
    serve(&host, "new");
    assert_eq!(vault.asked(), 2 * MANY);
    for number in 0..MANY {
        std::fs::remove_file(world.path(&tombstone(number))).unwrap();
        host.profile_scope(&format!("old{number}")).unwrap();
    }
    assert_eq!(vault.asked(), 3 * MANY, "what was kept of them was dropped");
    serve(&host, "new");
    serve(&host, "new");
    assert_eq!(vault.asked(), 3 * MANY, "what is there is kept");
}

#[cfg(unix)]
#[test]
fn sec_32_what_is_kept_of_a_home_goes_when_its_profile_moves_to_another() {
    let world = World::with_coder();
    world.write("elsewhere/one/SOUL.md", "x").write("elsewhere/other/SOUL.md", "x");
    let vault = Vault::answering(["VAULT_KEY"], Answer::Numbered);
    let host = world.builder().source(vault.clone()).build().unwrap();
    let link = world.path("profiles/moved");
    for (asked, target) in [(1, "one"), (2, "other"), (3, "one")] {
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(world.path("elsewhere").join(target), &link).unwrap();
        host.profile_scope("moved").unwrap();
        assert_eq!(vault.asked(), asked, "of {target} nothing was kept");
    }
}

#[test]
fn sec_28_a_refresh_that_fails_before_it_asks_keeps_no_answer_of_a_source_for_later() {
    let world = World::with_coder();
    world.write("profiles/coder/SOUL.md", "x");
    let vault = Vault::answering(["VAULT_KEY"], Answer::Numbered);
    let host = world.builder().source(vault.clone()).build().unwrap();
    let launch = || host.launch_scope().unwrap();
    let coder = || host.profile_scope("coder").unwrap();
    let both: [(&str, &dyn Fn() -> ProfileScope); 2] = [(".env", &launch), ("profiles/coder/.env", &coder)];
    for (file, scope_now) in both {
        let (scope, file) = (scope_now(), world.path(file));
        let _ = std::fs::remove_file(&file);
        std::fs::create_dir(&file).unwrap();
        assert_eq!(scope.refresh().unwrap_err().code(), "unavailable");
        std::fs::remove_dir(&file).unwrap();
        let asked = vault.asked();
        assert!(value(scope_now().secret("VAULT_KEY")).is_some());
        assert_eq!(vault.asked(), asked + 1, "{}: what was kept before the refresh is gone", file.display());
    }
}

#[cfg(unix)]
#[test]
fn sec_28_a_launch_home_that_was_elsewhere_at_a_refresh_keeps_no_answer_of_a_source_for_later() {
    let world = World::with_coder();
    let vault = Vault::answering(["VAULT_KEY"], Answer::Numbered);
    let host = world.builder().source(vault.clone()).build().unwrap();
    let scope = host.launch_scope().unwrap();
    let (root, away) = (world.root(), world.root().with_file_name("away"));
    std::fs::rename(&root, &away).unwrap();
    std::os::unix::fs::symlink(&away, &root).unwrap();
    scope.refresh().expect_err("the home is a link now");
    std::fs::remove_file(&root).unwrap();
    std::fs::rename(&away, &root).unwrap();
    let again = host.launch_scope().unwrap();
    assert_eq!(value(again.secret("VAULT_KEY")).as_deref(), Some("canary-root-1"), "fetched anew");
}
