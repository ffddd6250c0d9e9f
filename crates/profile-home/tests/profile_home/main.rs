//! The two files of a home, over real disks and scripted ones.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod cache;
mod config;
mod config_values;
mod dotenv_findings;
mod dotenv_peers;
mod dotenv_properties;
mod dotenv_values;
mod hostile;
mod managed;
mod opening;
mod pyyaml;
mod readers;
mod world;
