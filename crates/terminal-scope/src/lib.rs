//! Where a profile's commands run: a complete policy, or a refusal.
