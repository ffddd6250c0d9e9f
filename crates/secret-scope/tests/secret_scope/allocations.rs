//! What a read costs in allocations, counted.

use allocation_counter::{AllocationInfo, measure};
use watertight_context::Context;
use watertight_secret_scope::{read, read_from, with_secret, with_secret_from};
use watertight_vocabulary::{Bound, Refusal};

use crate::world::{World, scope_of, secrets_of};

fn allocations(work: impl FnOnce()) -> u64 {
    let AllocationInfo { count_total, .. } = measure(work);
    count_total
}

fn task(world: &World) -> Context {
    world.profile_context("coder", "MODEL_KEY=canary-1\nEMPTY=\n")
}

#[test]
fn an_owned_hit_allocates_nothing() {
    let world = World::activated(&[]);
    let task = task(&world);
    task.run(|| {
        let mut held = None;
        let counted = allocations(|| held = read(&world, "MODEL_KEY").expect("not refused"));
        assert_eq!(counted, 0);
        assert!(held.is_some_and(|secret| secret.matches("canary-1")));
    });
    let counted = allocations(|| assert!(read_from(&task, Some(&world), "EMPTY").is_ok_and(|s| s.is_some())));
    assert_eq!(counted, 0, "through a handle");
}

#[test]
fn a_lent_hit_and_a_miss_allocate_nothing() {
    let world = World::activated(&[]);
    let task = task(&world);
    task.run(|| {
        let lend = || {
            assert!(with_secret(&world, "MODEL_KEY", |secret| secret.is_some()).expect("not refused"));
        };
        assert_eq!(allocations(lend), 0);
        let miss = || assert!(read(&world, "NOWHERE").expect("not refused").is_none());
        assert_eq!(allocations(miss), 0);
        let lent_miss =
            || assert!(with_secret(&world, "NOWHERE", |secret| secret.is_none()).expect("not refused"));
        assert_eq!(allocations(lent_miss), 0);
    });
    let handle = || {
        assert!(with_secret_from(&task, Some(&world), "NOWHERE", |secret| secret.is_none()).expect("absent"));
    };
    assert_eq!(allocations(handle), 0);
    let scope = scope_of("coder", "MODEL_KEY=canary-1\n");
    assert_eq!(allocations(|| assert!(scope.get("NOWHERE").is_ok_and(|secret| secret.is_none()))), 0);
}

#[test]
fn a_refusal_allocates_its_name_and_nothing_else() {
    let world = World::activated(&[]);
    assert_eq!(allocations(|| assert!(read(&world, "MODEL_KEY").is_err())), 1, "unscoped");
    let refusal = Bound::Refusal(Refusal::new("unreadable", "it is a directory"));
    let task = world.foreign("coder", refusal);
    task.run(|| {
        assert_eq!(allocations(|| assert!(read(&world, "MODEL_KEY").is_err())), 1, "unavailable");
    });
    task.close();
    assert_eq!(allocations(|| assert!(read_from(&task, Some(&world), "MODEL_KEY").is_err())), 1, "closed");
}

#[test]
fn a_scope_holds_at_most_three_times_the_bytes_of_its_names_and_values() {
    let name = |number| format!("PROVIDER_{number:03}_API_KEY");
    let value = |profile, number| format!("canary-{profile:010}-{number:030}");
    let file = |profile: usize| {
        let line = |number: usize| format!("{}={}\n", name(number), value(profile, number));
        (0..30).map(line).collect::<Vec<_>>().concat()
    };
    let files: Vec<_> = (0..100).map(file).collect();
    // A line is a name, `=`, a value and its end.
    let plain: usize = files.iter().map(|file| file.len() - 2 * 30).sum();
    let mut held = Vec::with_capacity(files.len());
    let counted = measure(|| held.extend(files.iter().map(|file| secrets_of("coder", file))));
    let kept = usize::try_from(counted.bytes_current).expect("more was taken than given back");
    assert!(kept <= 3 * plain, "{kept} bytes for {plain}");
}
