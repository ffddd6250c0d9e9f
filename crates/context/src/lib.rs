//! A task's typed context: entered lexically, never inherited, closed for good.
