//! What a host costs that holds many scopes.

use std::hint::black_box;
use std::sync::Arc;

use watertight::ProfileScope;
use watertight::disk::RealFileSystem;
use watertight::profile_home::DiskFiles;

use crate::world::World;

const PROFILES: usize = 100;
const SECRETS: usize = 30;

/// A host may hold ten thousand scopes. With names of twenty bytes and values of forty-eight, secrets cost at most three times the bytes of their names and values,
/// a policy that sets nothing 64 bytes, and what binds them a fixed sum.
#[test]
fn host_22_a_held_scope_costs_little_more_than_its_names_and_values() {
    let world = World::new();
    let mut payload = 0;
    for profile in 0..PROFILES {
        let lines: Vec<String> =
            (0..SECRETS).map(|n| format!("PROVIDER_{n:03}_API_KEY=canary-{profile:010}-{n:030}")).collect();
        payload += lines.iter().map(|line| line.len() - 1).sum::<usize>();
        world.write(&format!("profiles/p{profile}/.env"), &lines.join("\n"));
    }
    // Parsed files that are remembered are the cache's cost, which is bounded.
    let files = Arc::new(DiskFiles::on(Arc::new(RealFileSystem)));
    let host = world.builder().files(files).build().unwrap();
    host.activate();
    let mut held: Vec<ProfileScope> = Vec::with_capacity(PROFILES);
    let used = allocation_counter::measure(|| {
        held.extend((0..PROFILES).map(|profile| host.profile_scope(&format!("p{profile}")).unwrap()));
    });
    let each = usize::try_from(used.bytes_current).unwrap() / PROFILES;
    let (secrets, policy, binding) = (3 * payload / PROFILES, 64, 1280);
    assert!(
        each <= secrets + policy + binding,
        "{each} bytes a scope, for {} of payload",
        payload / PROFILES
    );
    black_box(held);
}
