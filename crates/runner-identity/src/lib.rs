//! A runner's stable identity, its token binding and its wiring.
