//! What `Debug` shows.

use watertight_context::{Ambient, Context, InScope};
use watertight_vocabulary::{HomeId, HostId};

/// A value that would give itself away, had anybody the right to format it.
#[derive(Debug, Clone)]
#[expect(dead_code, reason = "only its derived Debug would read it")]
struct Telltale(&'static str);

fn formats(context: &Context) -> Vec<String> {
    let builder = || {
        Context::builder()
            .home(HomeId::new("/srv/canary-path".into(), None))
            .with(Telltale("canary-builder"))
            .with(String::from("canary-text"))
    };
    let future = async { Telltale("canary-future") }.in_scope(context.clone());
    let detached = async { Telltale("canary-future") }.detached();
    vec![
        format!("{context:?}"),
        format!("{context:#?}"),
        format!("{:?}", builder()),
        format!("{:#?}", builder()),
        format!("{future:?} {future:#?}"),
        format!("{detached:?} {detached:#?}"),
        format!("{:?} {:#?}", Ambient::Bound(context), Ambient::Masked(context)),
    ]
}

#[test]
fn ctx_10_debug_shows_kinds_and_counts_and_never_a_value() {
    let context = Context::builder()
        .host(HostId::unique())
        .home(HomeId::new("/srv/canary-home".into(), None))
        .foreign_home(true)
        .with(Telltale("canary-value"))
        .with(String::from("canary-text"))
        .build();
    for text in formats(&context) {
        assert!(!text.contains("canary"), "a value shows in {text}");
    }
    let shown = format!("{context:?}");
    let kind = std::any::type_name::<Telltale>();
    assert_eq!(
        shown,
        format!("Context {{ home: foreign, values: 2 [{kind}, alloc::string::String], closed: false, .. }}")
    );
}

#[test]
fn ctx_10_debug_tells_a_closed_context_and_whose_home_it_is() {
    let own = Context::builder().home(HomeId::new("/srv/own".into(), None)).build();
    own.close();
    assert_eq!(format!("{own:?}"), "Context { home: own, values: 0 [], closed: true, .. }");
    let bare = Context::builder().build();
    assert_eq!(format!("{bare:?}"), "Context { home: none, values: 0 [], closed: false, .. }");
}
