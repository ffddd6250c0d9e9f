//! A runner's identity, rule by rule (RUN-01 to RUN-37): in process, on scripted disks, and with real
//! processes that race and are killed.

#[cfg(test)]
mod child;
#[cfg(test)]
#[cfg(unix)]
mod crashes;
#[cfg(test)]
#[cfg(unix)]
mod create;
#[cfg(test)]
#[cfg(unix)]
mod disk_trouble;
#[cfg(test)]
#[cfg(unix)]
mod errors;
#[cfg(test)]
#[cfg(unix)]
mod harness;
#[cfg(test)]
mod identity;
#[cfg(test)]
#[cfg(unix)]
mod load;
#[cfg(test)]
mod machine;
#[cfg(test)]
#[cfg(unix)]
mod modes;
#[cfg(test)]
mod parent;
#[cfg(test)]
#[cfg(unix)]
mod races;
#[cfg(test)]
mod runner_id;
#[cfg(test)]
#[cfg(unix)]
mod steps;
#[cfg(test)]
mod token;
#[cfg(test)]
mod wiring;
