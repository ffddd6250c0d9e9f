//! Which profiles a tree holds, which are served, and who is a tenant.
