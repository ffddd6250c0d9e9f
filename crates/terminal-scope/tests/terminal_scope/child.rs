//! The terminal part of a child's environment (TERM-25, SNAP-23).

use watertight_terminal_scope::TerminalPolicy;

use crate::support::Profile;

fn names(policy: &TerminalPolicy) -> Result<Vec<String>, &'static str> {
    let entries = policy.child_entries().map_err(|error| error.code())?;
    Ok(entries.iter().map(|(name, _)| name.to_string()).collect())
}

#[test]
fn term_25_a_child_is_given_every_entry_of_the_policy() {
    let policy = Profile::empty().dotenv("TERMINAL_NEWKNOB=canary-1\n").policy();
    let names = names(&policy).expect("everything can be read");
    assert_eq!(names.len(), 37);
    assert!(names.is_sorted(), "in one order");
    assert!(names.iter().all(|name| name.starts_with("TERMINAL_")));
}

#[test]
fn term_09_a_value_without_text_stops_the_backends_that_use_its_key_and_no_other() {
    // (key, the backends that go on without it)
    let table: &[(&str, &[&str])] = &[
        ("docker_image", &["local", "ssh", "modal", "singularity", "daytona", "vercel_sandbox"]),
        ("ssh_host", &["local", "docker", "modal", "singularity", "daytona", "vercel_sandbox"]),
        ("vercel_image", &["local", "docker", "ssh", "modal", "singularity", "daytona"]),
        ("container_cpu", &["local", "ssh"]),
        ("timeout", &[]),
        ("sandbox_dir", &[]),
    ];
    for (key, unaffected) in table {
        for backend in ["local", "docker", "ssh", "modal", "singularity", "daytona", "vercel_sandbox"] {
            let profile = Profile::empty().terminal(&format!("{{backend: {backend}, {key}: .inf}}"));
            let policy = profile.policy();
            policy.ensure_allowed().expect("the backend can be read");
            let variable = format!("TERMINAL_{}", key.to_uppercase());
            match names(&policy) {
                Ok(names) => {
                    assert!(unaffected.contains(&backend), "{key} under {backend}");
                    assert!(!names.contains(&variable), "and nothing stands in its place");
                }
                Err(code) => {
                    assert!(!unaffected.contains(&backend), "{key} under {backend}");
                    assert_eq!(code, "not-renderable");
                }
            }
        }
    }
}

#[test]
fn term_09_a_value_of_another_type_goes_to_the_child_as_its_text() {
    let policy = Profile::empty().dotenv("TERMINAL_DOCKER_VOLUMES=None\n").policy();
    let entries = policy.child_entries().expect("everything can be read");
    let volumes = entries.iter().find(|(name, _)| name.as_str() == Some("TERMINAL_DOCKER_VOLUMES"));
    assert!(volumes.is_some_and(|(_, value)| value.matches("None")));
}
