//! A task's secrets: layers, provenance and one decision table that fails closed.
