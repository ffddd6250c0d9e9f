//! The host over real profile trees: activation, scopes, reads, children, reports.

#[cfg(test)]
mod activation;
#[cfg(test)]
mod ambient;
#[cfg(test)]
mod children;
#[cfg(test)]
mod launch;
#[cfg(test)]
mod memory;
#[cfg(test)]
mod profiles;
#[cfg(test)]
mod reading;
#[cfg(test)]
mod refresh;
#[cfg(test)]
mod report;
#[cfg(test)]
mod sources;
#[cfg(test)]
mod stress;
#[cfg(test)]
mod world;
