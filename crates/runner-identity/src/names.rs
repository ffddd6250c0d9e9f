//! The words of the wiring between a launcher, a runner and a server (RUN-22, RUN-23, RUN-30).

/// The variable that holds the runner's id and overrides the file (RUN-01).
pub const RUNNER_ID_VARIABLE: &str = "OMNIGENT_RUNNER_ID";
/// The variable that holds the pid of the process that started the runner (RUN-20).
pub const PARENT_PID_VARIABLE: &str = "OMNIGENT_RUNNER_PARENT_PID";
/// The variable that holds the runner's workspace (RUN-20).
pub const WORKSPACE_VARIABLE: &str = "OMNIGENT_RUNNER_WORKSPACE";
/// The variable that gives each session a folder of its own when it is `1` (RUN-20).
pub const ISOLATE_SESSION_VARIABLE: &str = "OMNIGENT_RUNNER_ISOLATE_SESSION";
/// The variable that holds the tunnel's binding token. No child ever sees it (RUN-30).
pub const BINDING_TOKEN_VARIABLE: &str = "OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN";
/// The variable that holds the first authentication token. No child ever sees it (RUN-31).
pub const INITIAL_AUTH_TOKEN_VARIABLE: &str = "OMNIGENT_RUNNER_INITIAL_AUTH_TOKEN";

/// The header that carries the binding token in the tunnel's handshake (RUN-23).
pub const TUNNEL_TOKEN_HEADER: &str = "X-Omnigent-Runner-Tunnel-Token";
/// The `Origin` of the project's own WebSocket clients. Its scheme is not HTTP, so no browser can send it
/// (RUN-23).
pub const INTERNAL_ORIGIN: &str = "omnigent://internal";

/// The variable that tells a process that it runs inside a session (RUN-22).
pub const SESSION_MARKER_VARIABLE: &str = "OMNIGENT";
/// What the marker says (RUN-22).
pub const SESSION_MARKER_VALUE: &str = "1";

/// What a made id begins with (RUN-03).
pub const MADE_ID_PREFIX: &str = "runner_";
/// What a token-bound id begins with (RUN-10).
pub const TOKEN_BOUND_ID_PREFIX: &str = "runner_token_";
/// What is hashed before the token (RUN-10).
pub const TOKEN_SALT: &str = "omnigent-runner:";

/// Where the id lies, below the user's home (RUN-02).
pub const ID_FILE: [&str; 3] = [".omnigent", "runners", "runner_id"];
