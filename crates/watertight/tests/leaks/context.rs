//! The context's types, around values of every kind.

use std::collections::HashMap;

use watertight_context::{Context, InScope, with_ambient};
use watertight_vocabulary::{HomeId, HostId, Secret};

use crate::texts::{CANARY, Silent, Texts, show};

/// What can hold no value.
pub(crate) const PLAIN: &[(&str, &str)] = &[];

pub(crate) fn show_all(texts: &mut Texts) {
    let builder = || {
        Context::builder()
            .host(HostId::unique())
            .home(HomeId::new("/home".into(), None))
            .with(CANARY)
            .with(CANARY.to_owned())
            .with(CANARY.as_bytes().to_vec())
            .with(Secret::from(CANARY))
            .with(HashMap::from([(CANARY, CANARY)]))
    };
    show!(texts, builder());
    let context = builder().build();
    show!(texts, context);
    with_ambient(|ambient| show!(texts, ambient));
    context.run(|| with_ambient(|ambient| show!(texts, ambient)));
    show!(texts, std::future::ready(CANARY).in_scope(context.clone()));
    show!(texts, InScope::detached(std::future::ready(CANARY)));
    context.close();
    show!(texts, context);
}
