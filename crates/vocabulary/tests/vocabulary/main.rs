//! The shared nouns: names and their classes, secrets, homes, refusals and what a person is told.

mod classes;
mod homes;
mod names;
mod secrets;
mod texts;
