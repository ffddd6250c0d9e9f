//! Policies as people read them: each entry, what may be shown of its value, and where it comes from.

use std::fmt::Write;
use std::path::Path;

use watertight_env_snapshot::MapEnv;
use watertight_terminal_scope::{Shown, TerminalPolicy};

use crate::support::{Profile, managed, policy};

/// One line for each entry, then the problems.
fn show(policy: &TerminalPolicy) -> String {
    let mut shown = String::new();
    let mut line = |text: String| writeln!(shown, "{text}").expect("a string takes everything");
    for explanation in policy.explanations() {
        let value = match &explanation.value {
            Shown::Value(value) => value.clone(),
            Shown::Default | Shown::Set => "[secret]".to_owned(),
            Shown::Unreadable => "[unreadable]".to_owned(),
            Shown::Absent => "[absent]".to_owned(),
        };
        let origin = explanation.origin.map(|origin| origin.to_string()).unwrap_or_default();
        let over: Vec<String> = explanation.shadowed.iter().map(ToString::to_string).collect();
        let over = if over.is_empty() { String::new() } else { format!("  over {}", over.join(", ")) };
        let problem = explanation.problem.map(|code| format!("  !{code}")).unwrap_or_default();
        line(format!("{} = {value}  from {origin}{over}{problem}", explanation.variable));
    }
    for problem in policy.problems() {
        line(format!("- {problem}"));
    }
    shown
}

#[test]
fn term_10_snapshot_of_the_policy_of_an_empty_profile() {
    insta::assert_snapshot!(show(&Profile::empty().policy()));
}

/// A section that sets every key to something of its type.
const EVERYTHING: &str = "terminal:
  backend: docker
  modal_mode: direct
  degraded_mode: fail
  cwd: /canary/work
  temp_dir: /canary/tmp
  timeout: 60
  lifetime_seconds: 61
  docker_image: canary-image
  docker_forward_env: [CANARY_NAME]
  singularity_image: canary-image
  modal_image: canary-image
  daytona_image: canary-image
  vercel_runtime: canary-runtime
  vercel_image: canary-image
  ssh_host: canary-host
  ssh_user: canary-user
  ssh_port: 2222
  ssh_key: /canary/key
  container_cpu: 1.5
  container_memory: 1024
  container_disk: 2048
  container_persistent: no
  docker_volumes: ['/canary:/x']
  docker_env: {CANARY: canary-value}
  docker_mount_cwd_to_workspace: yes
  docker_network: off
  docker_extra_args: [--read-only]
  docker_shm_size: 2g
  docker_run_as_host_user: on
  docker_snap_compat: 'true'
  docker_persist_across_processes: 0
  docker_shared_container_key: canary-key
  docker_orphan_reaper: n
  sandbox_dir: /canary/sandbox
  persistent_shell: FALSE
";

#[test]
fn term_10_snapshot_of_the_policy_of_a_profile_that_sets_every_key() {
    insta::assert_snapshot!(show(&Profile::empty().config(EVERYTHING).policy()));
}

#[test]
fn term_10_snapshot_of_the_policy_of_a_profile_that_conflicts_in_every_layer() {
    let dotenv = "TERMINAL_ENV=ssh
TERMINAL_TIMEOUT=soon
TERMINAL_DOCKER_IMAGE=canary-dotenv
TERMINAL_DOCKER_IMAGE_PINNED=0
TERMINAL_SSH_KEY=canary-dotenv
TERMINAL_DOCKER_VOLUMES=None
TERMINAL_CWD=
TERMINAL_NEWKNOB=canary-dotenv
";
    let config = "terminal:
  backend: docker
  timeout: 022
  docker_image: 1.10
  ssh_key: canary-yaml
  ssh_user: 12
  container_cpu: .nan
  docker_network: maybe
  cwd: .
  docker_image_pinned: yes
  docker_extra_argz: [--net=none]
";
    let env = MapEnv::from([
        ("TERMINAL_ENV", "modal"),
        ("TERMINAL_TIMEOUT", "61"),
        ("TERMINAL_DOCKER_IMAGE", "canary-launch"),
        ("TERMINAL_SSH_KEY", "canary-launch"),
        ("TERMINAL_NEWKNOB", "canary-launch"),
        ("TERMINAL_DEGRADED_MODE", "fail"),
    ]);
    let administrator =
        managed("TERMINAL_ENV=Local\nTERMINAL_SSH_KEY=canary-managed\nTERMINAL_LIFETIME_SECONDS=62\n");
    let profile = Profile::empty().dotenv(dotenv).config(config);
    let builder = profile.builder().launch_environment(&env).managed(&administrator);
    insta::assert_snapshot!(show(&policy(builder.build())));
}

#[test]
fn term_40_snapshot_of_what_refusals_say() {
    let mut said = String::new();
    for config in [
        "terminal: docker\n",
        "- terminal\n",
        "terminal: {backend: no}\n",
        "terminal: {backend: [docker]}\n",
        "terminal: {backend: docker, backend: local}\n",
        "terminal: {ssh_key: !vault canary-1}\n",
        "terminal:\n  backend: docker\nextra: {left open\n",
    ] {
        writeln!(said, "{}", Profile::empty().config(config).refusal()).expect("a string takes everything");
    }
    insta::assert_snapshot!(said);
}

#[test]
fn term_09_snapshot_of_what_errors_say() {
    let profile = Profile::empty()
        .dotenv("TERMINAL_ENV=canary-1\nTERMINAL_TIMEOUT=canary-2\n")
        .terminal("{docker_image: 1.10, docker_volumes: [.nan], container_cpu: half}");
    let policy = policy(profile.builder().user_home(None).build());
    let local = policy_without_home();
    let errors = [
        policy.backend().map(drop),
        policy.integer("timeout").map(drop),
        policy.text("docker_image").map(drop),
        policy.list("docker_volumes").map(drop),
        policy.number("container_cpu").map(drop),
        policy.boolean("timeout").map(drop),
        policy.boolean("timeouts").map(drop),
        local.path("cwd").map(drop),
    ];
    let lines: Vec<String> =
        errors.into_iter().filter_map(Result::err).map(|error| error.to_string()).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

fn policy_without_home() -> std::sync::Arc<TerminalPolicy> {
    policy(Profile::empty().builder().user_home(None::<&Path>).build())
}
