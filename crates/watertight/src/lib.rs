//! One process, many profiles, no leaks: environment, secrets and terminal policy bound to the task.
