use watertight_vocabulary::Platform;

/// Whether a runner lost the process that started it (RUN-36).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "RUN-36 knows these three")]
pub enum Orphaned {
    /// Its parent is gone and nobody adopted it: it should stop.
    Yes,
    /// Its parent is the expected one, or it was adopted.
    No,
    /// It cannot be told here. That is not "alive": ask in another way, or do not rely on it.
    Unknown,
}

/// Whether a runner is orphaned: the present parent is not the expected one, and it was not adopted.
///
/// 1 is an expected parent like any other: a launcher may be a container's first process. `current` is what
/// [`current_parent`] says. A pid that stays the same after its process died tells nothing, so on a platform
/// without reparenting (Windows) the answer is [`Orphaned::Unknown`] whatever the pids are.
pub fn orphaned(expected: u32, current: Option<u32>, adopted: bool, platform: Platform) -> Orphaned {
    match current {
        _ if adopted => Orphaned::No,
        Some(current) if platform.is_unix() => {
            if current == expected {
                Orphaned::No
            } else {
                Orphaned::Yes
            }
        }
        _ => Orphaned::Unknown,
    }
}

/// The pid of this process's parent as the system has it now; `None` where the platform has no such thing.
pub fn current_parent() -> Option<u32> {
    #[cfg(unix)]
    return Some(std::os::unix::process::parent_id());
    #[cfg(not(unix))]
    None
}

/// The name of the signal that adopts a runner: it then no longer watches its parent (RUN-21).
pub const fn adopt_signal(platform: Platform) -> Option<&'static str> {
    if platform.is_unix() { Some("SIGUSR1") } else { None }
}

/// The adopt signal's number where this was compiled, for the call that sends or handles it (RUN-21).
#[cfg(unix)]
pub const ADOPT_SIGNAL: Option<i32> = Some(rustix::process::Signal::USR1.as_raw());
/// The adopt signal's number where this was compiled: there is none (RUN-21).
#[cfg(not(unix))]
pub const ADOPT_SIGNAL: Option<i32> = None;
