//! The reference deployment's keys, as data in one place (TERM-03).

use ValueType::{Boolean, Integer, List, Map, Number, Path, Text};

use crate::ValueType;

/// One mapped key: its name, its type, its default as it is rendered, the backends that read it.
pub(crate) struct Row(
    pub(crate) &'static str,
    pub(crate) ValueType,
    pub(crate) &'static str,
    pub(crate) &'static [&'static str],
);

const EVERY: &[&str] = &[];
const DOCKER: &[&str] = &["docker"];
const SINGULARITY: &[&str] = &["singularity"];
const MODAL: &[&str] = &["modal"];
const DAYTONA: &[&str] = &["daytona"];
const VERCEL: &[&str] = &["vercel_sandbox"];
const SSH: &[&str] = &["ssh"];
const SANDBOXES: &[&str] = &["docker", "singularity", "modal", "daytona", "vercel_sandbox"];

/// Keys that are shown in a report besides the booleans and the numbers (TERM-11).
pub(crate) const SHOWN_TEXTS: [&str; 3] = ["backend", "modal_mode", "degraded_mode"];

/// The keys and their defaults, in the order of the specification.
pub(crate) const HERMES: [Row; 35] = [
    Row("backend", Text, "local", EVERY),
    Row("modal_mode", Text, "auto", MODAL),
    Row("degraded_mode", Text, "warn", EVERY),
    Row("cwd", Path, ".", EVERY),
    Row("temp_dir", Text, "", EVERY),
    Row("timeout", Integer, "180", EVERY),
    Row("lifetime_seconds", Integer, "300", EVERY),
    Row("docker_image", Text, "nousresearch/hermes-sandbox:desktop", DOCKER),
    Row("docker_forward_env", List, "[]", DOCKER),
    Row("singularity_image", Text, "docker://nousresearch/hermes-sandbox:desktop", SINGULARITY),
    Row("modal_image", Text, "nousresearch/hermes-sandbox:desktop", MODAL),
    Row("daytona_image", Text, "nousresearch/hermes-sandbox:desktop", DAYTONA),
    Row("vercel_runtime", Text, "", VERCEL),
    Row("vercel_image", Text, "vercel/sandbox/universal:latest", VERCEL),
    Row("ssh_host", Text, "", SSH),
    Row("ssh_user", Text, "", SSH),
    Row("ssh_port", Integer, "22", SSH),
    Row("ssh_key", Text, "", SSH),
    Row("container_cpu", Number, "1", SANDBOXES),
    Row("container_memory", Integer, "5120", SANDBOXES),
    Row("container_disk", Integer, "51200", SANDBOXES),
    Row("container_persistent", Boolean, "True", SANDBOXES),
    Row("docker_volumes", List, "[]", DOCKER),
    Row("docker_env", Map, "{}", DOCKER),
    Row("docker_mount_cwd_to_workspace", Boolean, "False", DOCKER),
    Row("docker_network", Boolean, "True", DOCKER),
    Row("docker_extra_args", List, "[]", DOCKER),
    Row("docker_shm_size", Text, "1g", DOCKER),
    Row("docker_run_as_host_user", Boolean, "False", DOCKER),
    Row("docker_snap_compat", Boolean, "False", DOCKER),
    Row("docker_persist_across_processes", Boolean, "True", DOCKER),
    Row("docker_shared_container_key", Text, "", DOCKER),
    Row("docker_orphan_reaper", Boolean, "True", DOCKER),
    Row("sandbox_dir", Text, "", EVERY),
    Row("persistent_shell", Boolean, "True", EVERY),
];
