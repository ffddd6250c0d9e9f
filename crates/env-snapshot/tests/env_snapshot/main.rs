//! What the crate promises, module by module as in `src`; `spawned` looks at real children.

#[cfg(test)]
mod audit;
#[cfg(test)]
mod child_env;
#[cfg(test)]
mod error;
#[cfg(test)]
mod launch;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod lists;
#[cfg(test)]
mod map;
#[cfg(test)]
mod pass;
#[cfg(test)]
mod process;
#[cfg(test)]
mod runner;
#[cfg(test)]
mod snapshot;
#[cfg(test)]
mod spawned;
#[cfg(test)]
mod strip;
#[cfg(test)]
mod support;
