//! The two files of a home, over real disks and scripted ones.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod dotenv_values;
