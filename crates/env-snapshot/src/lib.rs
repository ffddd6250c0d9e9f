//! An environment that is frozen once, and the environments of children built from it.
