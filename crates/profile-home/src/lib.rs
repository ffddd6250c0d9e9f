//! One profile's .env and config.yaml, read once and right.
