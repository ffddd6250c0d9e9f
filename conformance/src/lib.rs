//! Conformance cases, subjects, runner and properties for hosts of several profiles.
