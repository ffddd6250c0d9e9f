//! What a policy costs: the schema's defaults are shared, and reading allocates nothing.

use std::path::Path;

use watertight_context::Context;
use watertight_env_snapshot::MapEnv;
use watertight_profile_home::{MemoryFiles, ProfileHome};
use watertight_terminal_scope::{BoundTerminal, TerminalPolicy, TerminalReader, TerminalSchema};
use watertight_vocabulary::HomeId;

use crate::support::TestHost;

const PROFILES: u64 = 1_000;

/// Bytes and allocations that a thousand policies hold, beyond what their files and homes hold.
fn held(config: Option<&str>) -> (i64, i64) {
    let files = MemoryFiles::new();
    let home = |n: u64| ProfileHome::confined(HomeId::new(format!("/srv/agents/{n}").into(), None));
    let homes: Vec<ProfileHome> = (0..PROFILES).map(home).collect();
    for home in &homes {
        if let Some(config) = config {
            files.set_config(home, config);
        }
    }
    // One of its own, since its policies share the user's home of the first of them.
    let schema = TerminalSchema::hermes().extend([]).expect("a schema");
    let user_home = Some(Path::new("/home/user"));
    let build = |home: &ProfileHome| {
        TerminalPolicy::builder(home).files(&files).schema(&schema).user_home(user_home).build()
    };
    let _what_all_share = build(&homes[0]);
    let mut policies: Vec<BoundTerminal> = Vec::with_capacity(homes.len());
    let info = allocation_counter::measure(|| policies.extend(homes.iter().map(build)));
    assert!(policies.iter().all(|bound| bound.policy().is_ok()));
    (info.bytes_current, info.count_current)
}

#[test]
fn a_policy_costs_64_bytes_and_what_its_profile_sets() {
    let profiles = i64::try_from(PROFILES).expect("a small number");
    let pointer = i64::try_from(size_of::<BoundTerminal>()).expect("a small number");
    let (bytes, allocations) = held(None);
    let per_profile = bytes / profiles + pointer;
    assert!(per_profile <= 64, "{per_profile} bytes for a profile that sets nothing");
    assert_eq!(allocations / profiles, 1, "one allocation, whatever the schema's size");

    // What is set: two values and their entries, beside one box for both.
    let (with_two, _) = held(Some("terminal: {timeout: 61, ssh_user: canary-user}\n"));
    let set = (with_two - bytes) / profiles;
    assert!(set <= 300, "{set} bytes for two keys that differ");
}

#[test]
fn term_20_a_read_of_a_bound_policy_allocates_nothing() {
    let host = TestHost::new(MapEnv::new());
    let files = MemoryFiles::new();
    let home = ProfileHome::confined(HomeId::new("/srv/agents/coder".into(), None));
    files.set_config(&home, "terminal: {backend: docker, ssh_user: canary-user}");
    let scope = Context::builder().with(TerminalPolicy::builder(&home).files(&files).build()).build();
    let no_launch = || -> BoundTerminal { panic!("nobody asks for it") };
    scope.run(|| {
        let reader = TerminalReader::ambient(&host, &no_launch);
        let info = allocation_counter::measure(|| {
            for name in
                ["TERMINAL_SSH_USER", "TERMINAL_TIMEOUT", "TERMINAL_DOCKER_IMAGE_PINNED", "TERMINAL_NONE"]
            {
                let value = reader.read(name, None);
                assert_eq!(value.is_ok_and(|value| value.is_some()), name != "TERMINAL_NONE");
            }
        });
        assert_eq!(info.count_total, 0, "a hit shares the value, a miss looks it up in vain");
    });
}
