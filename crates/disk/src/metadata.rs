use std::time::SystemTime;

/// What kind of thing a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "everything else is `Other`")]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, where links were not followed.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket, a device, or what the platform has besides.
    Other,
}

impl FileKind {
    /// The kind's name for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::File => "a file",
            Self::Directory => "a directory",
            Self::Symlink => "a symbolic link",
            Self::Fifo => "a named pipe",
            Self::Other => "a socket or device",
        }
    }
}

/// What `stat` says, as far as the rules ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "plain data, built by every implementation of the seam")]
pub struct Metadata {
    /// What it is.
    pub kind: FileKind,
    /// Its size in bytes.
    pub len: u64,
    /// The permission bits (Unix; 0 elsewhere).
    pub mode: u32,
    /// The owner's id (Unix; 0 elsewhere).
    pub owner: u32,
    /// The device it is on.
    pub device: u64,
    /// Its inode.
    pub inode: u64,
    /// Last change of its contents: seconds and nanoseconds since 1970.
    pub modified: (i64, u32),
    /// Last change of the inode: seconds and nanoseconds since 1970.
    pub changed: (i64, u32),
    /// When it was made, where the system knows and was asked.
    pub created: Option<SystemTime>,
}

impl Metadata {
    /// Whether it is a regular file.
    pub fn is_file(&self) -> bool {
        self.kind == FileKind::File
    }

    /// Whether it is a directory.
    pub fn is_dir(&self) -> bool {
        self.kind == FileKind::Directory
    }

    /// Whether both speak of one inode.
    pub fn same_inode(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}
