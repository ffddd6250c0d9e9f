use std::sync::{Arc, Mutex};

use watertight_disk::{Operation, RealFileSystem};
use watertight_env_snapshot::MapEnv;
use watertight_profile_discovery::{HomeLayout, LeftOutReason, ProfileName, ProfileTree, Root};
use watertight_profile_home::{
    CachedFiles, Config, DiskFiles, Dotenv, FileError, HomeFile, MemoryFiles, ProfileFiles, ProfileHome,
    Unreadable,
};
use watertight_vocabulary::{Diagnostic, HomeId, Platform};

use crate::support::{EIO, Tree, home, left_out, listed, named, pairs, residents};

fn standalone(tree: &Tree, id: &str, text: &str) {
    tree.file(&format!("profiles/{id}/config.yaml"), text);
}

#[test]
fn prof_23_a_parked_profile_and_one_that_stands_alone_are_installed_and_not_served() {
    let tree = Tree::with(&["guest", "work", "alone"]);
    tree.file("profiles/work/gateway.parked", "");
    standalone(&tree, "alone", "gateway:\n  standalone: true\n");
    let open = tree.open();
    assert_eq!(residents(&open.serving().unwrap()), ["default", "guest"]);
    assert_eq!(left_out(&open.serving().unwrap()), pairs([("alone", "standalone"), ("work", "parked")]));
    assert_eq!(residents(&open.installed().unwrap()), ["default", "alone", "guest", "work"]);
    assert_eq!(listed(&open.list().unwrap()), ["default", "alone", "guest", "work"]);
}

#[test]
fn prof_23_a_request_for_one_that_is_not_served_is_never_answered_with_another() {
    let tree = Tree::with(&["work", "alone"]);
    tree.dir("profiles/work/gateway.parked");
    standalone(&tree, "alone", "gateway: {standalone: yes}\n");
    let open = tree.open();
    assert_eq!(open.find("work").unwrap_err().code(), "not-served");
    // What a file says is asked once the host has activated: finding opens none.
    let alone = open.find("alone").unwrap();
    assert_eq!(open.ensure_served(&alone).unwrap_err().code(), "not-served");
    assert_eq!(open.find("nope").unwrap_err().code(), "no-such-profile");
    let default = open.find("default").unwrap();
    assert!(open.ensure_served(&default).unwrap().is_none());
}

#[test]
fn prof_23_the_setting_counts_in_the_profiles_own_file_only() {
    let tree = Tree::with(&["a"]);
    tree.file("config.yaml", "gateway:\n  standalone: true\n");
    assert_eq!(residents(&tree.open().serving().unwrap()), ["default", "a"]);
}

#[test]
fn prof_23_a_profile_whose_parking_cannot_be_told_is_not_served() {
    let tree = Tree::with(&["a", "b"]);
    let open = tree.failing(Operation::Metadata, "a/gateway.parked", EIO);
    let serving = open.serving().unwrap();
    assert_eq!(residents(&serving), ["default", "b"]);
    assert!(matches!(serving.left_out()[0].reason(), LeftOutReason::Unknown { .. }));
    assert_eq!(open.find("a").unwrap_err().code(), "unknown");
}

#[test]
fn prof_28_default_is_always_there_and_its_markers_are_ignored_with_one_warning() {
    let tree = Tree::new();
    assert_eq!(residents(&tree.open().serving().unwrap()), ["default"]);
    assert!(tree.open().serving().unwrap().diagnostics().is_empty());
    tree.file("gateway.parked", "").file("config.yaml", "gateway:\n  standalone: 1\n");
    let open = tree.open();
    let serving = open.serving().unwrap();
    assert_eq!(residents(&serving), ["default"]);
    let [warning] = serving.diagnostics() else { panic!("one warning: {:?}", serving.diagnostics()) };
    assert_eq!(warning.code(), "default-always-served");
    assert!(warning.message().contains("parked and standalone"), "{warning}");
    assert_eq!(open.find("default").unwrap().name(), &ProfileName::Default);
}

#[test]
fn prof_28_the_warning_of_the_root_is_logged_once_and_stays_to_be_seen() {
    let tree = Tree::new();
    tree.file("gateway.parked", "");
    let open = tree.open();
    let (first, logged) = events(|| open.serving().unwrap());
    assert_eq!((first.diagnostics().len(), logged), (1, 1));
    let (second, logged) = events(|| open.serving().unwrap());
    assert_eq!((second.diagnostics().len(), logged), (1, 0));
}

#[test]
fn prof_30_every_type_of_value_has_an_answer() {
    let yes = [
        "true", "True", "'true'", "\"YES\"", "yes", "on", "On", "y", "Y", "1", "'1'", "' on '", "2", "-1",
        "0.5", "1e3", "0x16", "[0]", "[no]", "{a: no}", ".nan", ".inf",
    ];
    let no = [
        "false", "no", "off", "n", "~", "null", "", "0", "0.0", "-0.0", "'0'", "''", "[]", "{}", "truee",
        "enabled", "'2'", "00", "t", "0x0",
    ];
    for (values, expected) in [(&yes[..], true), (&no[..], false)] {
        for value in values {
            let tree = Tree::new();
            standalone(&tree, "p", &format!("gateway:\n  standalone: {value}\n"));
            let serving = tree.open().serving().unwrap();
            assert_eq!(serving.get(&named("p")).is_none(), expected, "{value:?}");
            assert!(serving.diagnostics().is_empty(), "{value:?}: {:?}", serving.diagnostics());
        }
    }
}

#[test]
fn prof_30_a_root_or_a_section_of_another_type_says_no_and_warns_of_nothing() {
    for text in [
        "gateway: true\n",
        "gateway: [standalone]\n",
        "gateway: ~\n",
        "gateway: standalone\n",
        "- gateway\n",
        "standalone\n",
        "standalone: true\n",
        "",
        "# nothing\n",
        "gateway:\n  multiplex_profiles: false\n",
    ] {
        let tree = Tree::new();
        standalone(&tree, "p", text);
        let serving = tree.open().serving().unwrap();
        assert!(serving.get(&named("p")).is_some(), "{text:?}");
        assert!(serving.diagnostics().is_empty(), "{text:?}: {:?}", serving.diagnostics());
    }
}

#[test]
fn prof_31_a_broken_file_leaves_the_profile_served_with_one_warning_for_each_change() {
    for files in [
        Arc::new(DiskFiles::new()) as Arc<dyn ProfileFiles>,
        Arc::new(CachedFiles::new(DiskFiles::new())) as Arc<dyn ProfileFiles>,
    ] {
        let tree = Tree::new();
        standalone(&tree, "p", "gateway: {standalone: canary-1\n");
        let open = tree.with_files(Arc::new(RealFileSystem), files);
        let warnings = || {
            let (serving, logged) = events(|| open.serving().unwrap());
            assert!(serving.get(&named("p")).is_some(), "the profile stays served");
            for diagnostic in serving.diagnostics() {
                assert_eq!(diagnostic.path(), Some(&*tree.path("profiles/p/config.yaml")));
                assert!(!diagnostic.to_string().contains("canary"), "{diagnostic}");
            }
            (serving.diagnostics().len(), logged)
        };
        assert_eq!(warnings(), (1, 1), "broken");
        assert_eq!(warnings(), (1, 0), "logged already, and still to be seen");
        standalone(&tree, "p", "gateway: {standalone: canary-1,\n");
        assert_eq!(warnings(), (1, 1), "broken in another way");
        assert_eq!(warnings(), (1, 0));
        standalone(&tree, "p", "gateway: {standalone: no}\n");
        assert_eq!(warnings(), (0, 0), "mended");
        standalone(&tree, "p", "gateway: {standalone: canary-1\n");
        assert_eq!(warnings(), (1, 1), "broken again");
        tree.remove("profiles/p");
        assert_eq!(events(|| open.serving().unwrap()).1, 0);
        standalone(&tree, "p", "gateway: {standalone: canary-1\n");
        assert_eq!(warnings(), (1, 1), "another profile of that name");
    }
}

#[test]
fn prof_31_a_file_that_breaks_again_in_the_very_same_way_is_reported_again() {
    let tree = Tree::with(&["p"]);
    let files = Arc::new(MemoryFiles::new());
    let home = ProfileHome::confined(home(tree.path("profiles/p")));
    let open = tree.with_files(Arc::new(RealFileSystem), Arc::clone(&files) as Arc<dyn ProfileFiles>);
    let logged = || events(|| open.serving().unwrap()).1;
    let error = FileError::from(Unreadable::LinkLoop);
    files.fail(&home, HomeFile::Config, error.clone());
    assert_eq!((logged(), logged()), (1, 0));
    files.set_config(&home, "gateway: {}");
    assert_eq!(logged(), 0);
    files.fail(&home, HomeFile::Config, error.clone());
    assert_eq!((logged(), logged()), (1, 0), "it was sound in between");
    tree.remove("profiles/p/config.yaml").file("profiles/p/.env", "K=canary-1");
    assert_eq!(logged(), 0, "there is no file to read");
    tree.profile("p");
    assert_eq!((logged(), logged()), (1, 0), "it was gone in between");
    std::fs::rename(tree.path("profiles/p"), tree.path("aside")).unwrap();
    assert_eq!(logged(), 0, "there is no such profile");
    std::fs::rename(tree.path("aside"), tree.path("profiles/p")).unwrap();
    assert_eq!((logged(), logged()), (1, 0), "nothing was remembered of a home that was nobody's");
}

#[test]
fn prof_31_it_recovers_as_soon_as_the_file_does() {
    let tree = Tree::new();
    standalone(&tree, "p", "gateway: [");
    let open = tree.open();
    assert!(open.serving().unwrap().get(&named("p")).is_some());
    standalone(&tree, "p", "gateway: {standalone: true}");
    assert!(open.serving().unwrap().get(&named("p")).is_none(), "the failure was not remembered");
}

#[cfg(unix)]
#[test]
fn prof_31_files_that_cannot_be_read_are_reported_and_change_nothing_else() {
    let tree = Tree::with(&["healthy"]);
    tree.link("profiles/dangling/config.yaml", "nowhere");
    tree.link("profiles/loop/config.yaml", "config.yaml");
    tree.link("profiles/out/config.yaml", "../healthy/config.yaml");
    tree.file("profiles/latin/config.yaml", "").dir("profiles/latin");
    std::fs::write(tree.path("profiles/latin/config.yaml"), b"a: \xe9").unwrap();
    let serving = tree.open().serving().unwrap();
    assert_eq!(residents(&serving), ["default", "dangling", "healthy", "latin", "loop", "out"]);
    let codes: Vec<_> = serving.diagnostics().iter().map(Diagnostic::code).collect();
    assert_eq!(codes, ["unreadable", "invalid", "unreadable", "unreadable"]);
}

#[cfg(unix)]
#[test]
fn prof_31_what_is_no_file_is_unreadable_and_not_absent() {
    for make in [
        (|tree: &Tree| {
            tree.dir("profiles/p/config.yaml");
        }) as fn(&Tree),
        |tree| {
            tree.fifo("profiles/p/config.yaml");
        },
    ] {
        let tree = Tree::new();
        tree.file("profiles/p/SOUL.md", "");
        make(&tree);
        let open = tree.open();
        let serving = open.serving().unwrap();
        assert!(serving.get(&named("p")).is_some(), "the profile stays served");
        let codes: Vec<_> = serving.diagnostics().iter().map(Diagnostic::code).collect();
        assert_eq!(codes, ["unreadable"]);
        let warning = open.ensure_served(&open.find("p").unwrap()).unwrap();
        assert_eq!(warning.as_ref(), serving.diagnostics().first(), "both say the same");
    }
}

#[test]
fn prof_45_whether_a_profile_stands_alone_is_asked_of_the_home_that_was_found() {
    #[derive(Debug, Default)]
    struct Asked(Mutex<Vec<HomeId>>);
    impl ProfileFiles for Asked {
        fn dotenv(&self, _: &ProfileHome) -> Result<Option<Arc<Dotenv>>, FileError> {
            Ok(None)
        }
        fn config(&self, home: &ProfileHome) -> Result<Option<Arc<Config>>, FileError> {
            self.0.lock().unwrap().push(home.id().clone());
            Ok(None)
        }
    }
    let tree = Tree::with(&["p"]);
    let files = Arc::new(Asked::default());
    let open = tree.with_files(Arc::new(RealFileSystem), Arc::clone(&files) as Arc<dyn ProfileFiles>);
    let found = open.find("p").unwrap();
    std::fs::rename(tree.path("profiles/p"), tree.path("old")).unwrap();
    tree.profile("p");
    assert_ne!(&home(tree.path("profiles/p")), found.home_id(), "another folder has its place");
    open.ensure_served(&found).unwrap();
    assert_eq!(*files.0.lock().unwrap(), [found.home_id().clone()]);
}

#[test]
fn prof_23_whoever_reads_the_file_with_files_of_its_own_is_answered_by_them() {
    let tree = Tree::with(&["p"]);
    let open = tree.open();
    let found = open.find("p").unwrap();
    let own = ProfileHome::confined(found.home_id().clone());
    let files = MemoryFiles::new();
    let by = |text: &str| {
        files.set_config(&own, text);
        open.ensure_served_by(&found, &own, &files).map_err(|error| error.code())
    };
    assert_eq!(
        by("gateway: {standalone: true}"),
        Err("not-served"),
        "the tree's own files say no such thing"
    );
    assert_eq!(by("gateway: {standalone: false}"), Ok(None));
    let warning = by("gateway: [").unwrap().expect("a warning that the file cannot be used");
    assert_eq!(warning.code(), "invalid");
    assert_eq!(open.ensure_served(&found).unwrap(), None);
}

#[cfg(unix)]
#[test]
fn prof_23_a_file_in_a_folder_that_the_host_lists_says_what_it_says() {
    let tree = Tree::new();
    tree.file("shared/alone.yaml", "gateway: {standalone: true}");
    tree.link("profiles/p/config.yaml", tree.path("shared/alone.yaml"));
    assert_eq!(residents(&tree.open().serving().unwrap()), ["default", "p"], "it leaves the home");
    let listed = tree.open().linking_into([tree.path("shared")]);
    assert_eq!(residents(&listed.serving().unwrap()), ["default"]);
    let found = listed.find("p").unwrap();
    assert_eq!(listed.ensure_served(&found).unwrap_err().code(), "not-served");
}

#[cfg(unix)]
#[test]
fn file_06_a_listed_folder_that_holds_the_root_opens_nothing_of_it() {
    let tree = Tree::with(&["other"]);
    let above = tree.path("config.yaml").parent().unwrap().parent().unwrap().to_owned();
    tree.file("alone.yaml", "gateway: {standalone: true}");
    tree.file("../elsewhere/alone.yaml", "gateway: {standalone: true}");
    for (target, standalone) in [("../../alone.yaml", false), ("../../../elsewhere/alone.yaml", true)] {
        tree.link("profiles/p/config.yaml", target);
        let listed = tree.open().linking_into([above.clone()]);
        assert_eq!(listed.serving().unwrap().get(&named("p")).is_none(), standalone, "{target}");
        std::fs::remove_file(tree.path("profiles/p/config.yaml")).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn prof_23_the_launch_homes_file_may_be_a_link_to_anywhere_but_another_home() {
    let tree = Tree::with(&["other"]);
    tree.file("profiles/other/config.yaml", "gateway: {standalone: true}");
    tree.file("../dotfiles/config.yaml", "gateway: {standalone: true}");
    tree.file("config.yaml", "gateway: {standalone: true}");
    for (target, standalone) in [
        ("../../../dotfiles/config.yaml", true),
        ("../other/config.yaml", false),
        ("../../config.yaml", false),
    ] {
        tree.link("profiles/p/config.yaml", target);
        let root = Root::of(
            &tree.path("profiles/p"),
            &HomeLayout::hermes(),
            &MapEnv::new(),
            Platform::Linux,
            &RealFileSystem,
        );
        let open = ProfileTree::new(root.unwrap(), Arc::new(RealFileSystem), Arc::new(DiskFiles::new()));
        let serving = open.serving().unwrap();
        assert_eq!(serving.get(&named("p")).is_none(), standalone, "{target}");
        tree.remove("profiles/p");
    }
}

#[cfg(unix)]
#[test]
fn prof_28_the_roots_own_file_may_be_a_link_to_anywhere_while_it_is_the_launch_home() {
    let tree = Tree::new();
    tree.file("../dotfiles/config.yaml", "gateway: {standalone: true}");
    tree.link("config.yaml", "../dotfiles/config.yaml");
    assert_eq!(tree.open().serving().unwrap().diagnostics().len(), 1, "it was read, and is ignored");
}

/// What is answered, and how many warnings were logged meanwhile.
fn events<R>(work: impl FnOnce() -> R) -> (R, usize) {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

    struct Count(Arc<AtomicUsize>);
    impl<S: tracing::Subscriber> Layer<S> for Count {
        fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
            if *event.metadata().level() <= tracing::Level::WARN {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    let count = Arc::new(AtomicUsize::new(0));
    let subscriber = tracing_subscriber::registry().with(Count(Arc::clone(&count)));
    let answer = tracing::subscriber::with_default(subscriber, work);
    (answer, count.load(Ordering::Relaxed))
}
