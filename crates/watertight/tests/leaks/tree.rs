//! A tree of profiles whose files are broken in every way, with a canary wherever a value can stand.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;
use watertight::{Host, HostBuilder};
use watertight_disk::{RealFileSystem, home_at};
use watertight_env_snapshot::MapEnv;
use watertight_profile_discovery::{HomeLayout, ProfileTree, Root};
use watertight_profile_home::{DiskFiles, ManagedDirectory, ProfileHome};
use watertight_vocabulary::Platform;

use crate::texts::CANARY;

/// A root, its profiles, and the environment of the process that was launched for it.
pub(crate) struct Tree {
    folder: TempDir,
    pub(crate) env: Arc<MapEnv>,
}

/// Assignments that are sound, odd, reported, or none at all.
pub(crate) fn odd_dotenv() -> String {
    format!(
        "MODEL_KEY={CANARY}\nPATH={CANARY}\nTERMINAL_CWD={CANARY}\nTERMINAL_TIMEOUT={CANARY}\n\
         TERMINAL_ENV={CANARY}\nTERMINAL_UNKNOWN={CANARY}\nAPI KEY={CANARY} oops\n{CANARY}\n={CANARY}\n\
         TWICE={CANARY}\nTWICE={CANARY}\nHASH=#{CANARY}\nDOLLAR=${{{CANARY}}}\nESCAPE=\"\\n{CANARY}\"\n\
         AFTER='{CANARY}' {CANARY}\nLINES=\"{CANARY}\n{CANARY}\"\nNUL={CANARY}\0\n\
         HERMES_HOME=/{CANARY}\nOMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN={CANARY}\n\
         PEM=-----BEGIN PRIVATE KEY-----\n{CANARY}\n-----END PRIVATE KEY-----\nOPEN=\"{CANARY}\n"
    )
}

/// A sound `config.yaml` whose values are not what their keys take.
pub(crate) fn odd_config() -> String {
    format!(
        "model: {CANARY}\nmcp:\n  - {{token: {CANARY}}}\nterminal:\n  backend: {CANARY}\n  cwd: /{CANARY}\n  \
         timeout: {CANARY}\n  container_persistent: {CANARY}\n  docker_image: {CANARY}\n  docker_env: {CANARY}\n  \
         docker_forward_env: {{a: {CANARY}}}\n  docker_volumes: [{CANARY}, .nan]\n  ssh_port: 1{CANARY}\n  \
         unknown: {CANARY}\n  ssh_host: [{CANARY}]\n"
    )
}

/// Texts that are no `config.yaml`, each for another reason.
pub(crate) fn broken_configs() -> Vec<(&'static str, Vec<u8>)> {
    let text = |text: &str| text.replace('@', CANARY).into_bytes();
    vec![
        ("alias", text("terminal:\n  cwd: *undefined\n  key: @\n")),
        ("anchor", text("a: &x @\nb: &x @\nterminal: {cwd: *x}\n")),
        ("colon", text("terminal: @: @: @\n")),
        ("control", text("terminal:\n  cwd: \"@\u{7}\"\n")),
        ("deep", text(&format!("terminal: {}@{}\n", "[".repeat(200), "]".repeat(200)))),
        ("documents", text("terminal: {cwd: @}\n---\nterminal: {cwd: @}\n")),
        ("duplicate", text("terminal: {cwd: @}\nterminal: {cwd: @}\n")),
        ("latin", [b"terminal: {cwd: \xff".as_slice(), CANARY.as_bytes(), b"}\n"].concat()),
        ("list", text("- @\n- @\n")),
        ("merge", text("terminal:\n  <<: @\n")),
        ("open", text("terminal:\n  cwd: \"@\n  backend: [@, {@\n")),
        ("scalar", text("@\n")),
        ("section", text("terminal: @\n")),
        ("tabs", text("terminal:\n\tcwd: @\n")),
        ("tag", text("terminal:\n  cwd: !secret @\n")),
        ("yaml-tag", text("terminal:\n  timeout: !!int @\n")),
    ]
}

impl Tree {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        let env = MapEnv::from([
            ("MODEL_KEY", CANARY),
            ("TERMINAL_TIMEOUT", CANARY),
            ("TERMINAL_SSH_HOST", CANARY),
            ("OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN", CANARY),
            ("PATH", "/usr/bin:/bin"),
            ("SHARED_KEY", CANARY),
            ("TWICE", CANARY),
            ("TWICE", CANARY),
        ])
        .on(Platform::Linux);
        env.set("HOME", path.join("user"));
        env.set("HERMES_HOME", path.join("root"));
        let tree = Self { folder, env: Arc::new(env) };
        fs::create_dir_all(path.join("user")).unwrap();
        tree.write("root/.env", odd_dotenv());
        tree.write("root/config.yaml", odd_config());
        for (name, config) in broken_configs() {
            tree.write(&format!("root/profiles/{name}/.env"), odd_dotenv());
            tree.write(&format!("root/profiles/{name}/config.yaml"), config);
        }
        let dotenvs: [(&str, Vec<u8>); 4] = [
            ("coder", odd_dotenv().into_bytes()),
            ("eight", [b"KEY=\xff".as_slice(), CANARY.as_bytes()].concat()),
            ("large", format!("KEY={CANARY}\n").repeat(40_000).into_bytes()),
            ("sixteen", [b"\xff\xfe".as_slice(), CANARY.as_bytes()].concat()),
        ];
        for (name, dotenv) in dotenvs {
            tree.write(&format!("root/profiles/{name}/.env"), dotenv);
            tree.write(&format!("root/profiles/{name}/config.yaml"), odd_config());
        }
        tree.write("root/profiles/gateway/config.yaml", format!("gateway: {{standalone: {CANARY}}}\n"));
        tree.write("root/profiles/folder/.env/inside", CANARY);
        tree.write("managed/.env", odd_dotenv());
        tree.write("broken-managed/.env", [b"\xff\xfe".as_slice(), CANARY.as_bytes()].concat());
        tree.write("runner_id", format!("{CANARY} {CANARY}\n"));
        #[cfg(unix)]
        {
            let link = |target: &str, at: &str| {
                let at = path.join(at);
                fs::create_dir_all(at.parent().unwrap()).unwrap();
                std::os::unix::fs::symlink(path.join(target), at).unwrap();
            };
            link("root/profiles/coder/.env", "root/profiles/thief/.env");
            link("root/profiles/coder/.env", "root/active_profile");
            link("nowhere", "root/profiles/dangling/.env");
            link("root/profiles/looping/.env", "root/profiles/looping/.env");
            link("root/profiles/coder", "root/profiles/second");
        }
        tree
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(below)
    }

    pub(crate) fn write(&self, below: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// The homes of all its profiles, the root's first.
    pub(crate) fn homes(&self) -> Vec<ProfileHome> {
        let mut folders = vec![self.path("root")];
        let profiles = fs::read_dir(self.path("root/profiles")).unwrap();
        folders.extend(profiles.map(|entry| entry.unwrap().path()));
        folders.sort();
        folders.iter().map(|folder| home_of(folder)).collect()
    }

    /// One profile's home.
    pub(crate) fn home(&self, name: &str) -> ProfileHome {
        home_of(&self.path("root/profiles").join(name))
    }

    pub(crate) fn profiles(&self) -> ProfileTree {
        let root =
            Root::from_env(&HomeLayout::hermes(), &*self.env, Platform::Linux, &RealFileSystem).unwrap();
        ProfileTree::new(root, Arc::new(RealFileSystem), Arc::new(DiskFiles::new()))
    }

    pub(crate) fn builder(&self) -> HostBuilder {
        let managed = ManagedDirectory::at(self.path("managed"));
        Host::builder()
            .env(Arc::clone(&self.env))
            .platform(Platform::Linux)
            .managed(managed)
            .share(["SHARED_KEY"])
    }
}

fn home_of(folder: &Path) -> ProfileHome {
    ProfileHome::confined(home_at(&RealFileSystem, folder).unwrap())
}
