//! The types that read a profile's files, around files that are broken in every way.

use std::path::Path;

use watertight_disk::RealFileSystem;
use watertight_profile_home::{
    CachedFiles, Cause, Config, DiskFiles, FileError, HomeFile, Managed, ManagedDirectory, MemoryFiles,
    ProfileFiles, Yaml, parse_config, parse_dotenv, write_dotenv, write_value,
};
use watertight_vocabulary::Refusal;

use crate::texts::{CANARY, Silent, Texts, show};
use crate::tree::{Tree, broken_configs, odd_config, odd_dotenv};

/// What can hold no value.
pub(crate) const PLAIN: &[(&str, &str)] = &[("HomeFile", "units")];

pub(crate) fn show_all(texts: &mut Texts) {
    let tree = Tree::new();
    let (memory, cached) = (MemoryFiles::new(), CachedFiles::new(DiskFiles::new()));
    let disks: [&dyn ProfileFiles; 2] = [&cached, &DiskFiles::new().with_config_limit(16)];
    for home in tree.homes() {
        show!(texts, home);
        memory.set_dotenv(&home, odd_dotenv());
        memory.set_config(&home, odd_config());
        for files in disks {
            match files.dotenv(&home) {
                Ok(dotenv) => dotenv.iter().for_each(|dotenv| show_dotenv(texts, dotenv)),
                Err(error) => show_error(texts, &error),
            }
            match files.config(&home) {
                Ok(config) => config.iter().for_each(|config| show_config(texts, config)),
                Err(error) => {
                    show_error(texts, &error);
                    memory.fail(&home, HomeFile::Config, error);
                }
            }
        }
        show!(texts, cached, memory);
    }
    show!(texts, DiskFiles::new());
    for (name, bytes) in broken_configs() {
        match parse_config(&bytes) {
            Ok(config) => show_config(texts, &config),
            Err(error) => show_error(texts, &error),
        }
        let _ = parse_dotenv(&bytes)
            .map(|dotenv| show_dotenv(texts, &dotenv))
            .map_err(|error| show_error(texts, &error));
        assert!(!name.is_empty());
    }
    show_dotenv(texts, &parse_dotenv(odd_dotenv().as_bytes()).unwrap());
    show_config(texts, &parse_config(format!("{CANARY}: {CANARY}\n").as_bytes()).unwrap());
    show_config(texts, &parse_config(odd_config().as_bytes()).unwrap());
    show_config(
        texts,
        &parse_config(
            format!("terminal:\n  ? [{CANARY}, 1, 2.5, true, ~]\n  : {{{CANARY}: {CANARY}}}\n").as_bytes(),
        )
        .unwrap(),
    );

    for managed in ["managed", "broken-managed", "nowhere", "runner_id"] {
        let managed = ManagedDirectory::at(tree.path(managed));
        let found = managed.read(&RealFileSystem);
        show!(texts, managed, found);
        if let Managed::Refusal(refusal) = found {
            show!(texts, refusal);
        }
    }
    show!(texts, write_value(&format!("{CANARY}\n{CANARY}")).unwrap_err());
    show!(texts, write_dotenv([("KEY", CANARY), (CANARY, CANARY), ("no name", CANARY)]).unwrap_err());
}

fn show_dotenv(texts: &mut Texts, dotenv: &watertight_profile_home::Dotenv) {
    show!(texts, *dotenv);
    for entry in dotenv.entries() {
        show!(texts, entry);
    }
    for diagnostic in dotenv.diagnostics() {
        show!(texts, *diagnostic);
    }
}

fn show_config(texts: &mut Texts, config: &Config) {
    show!(texts, *config);
    for section in ["terminal", "model", "mcp", "gateway", CANARY] {
        match config.section(section) {
            Ok(section) => {
                show!(texts, section);
                for (key, value) in section.entries() {
                    show_yaml(texts, key);
                    show_yaml(texts, value);
                }
            }
            // An error names the section that was asked for.
            Err(_) if section == CANARY => {}
            Err(error) => show_error(texts, &error),
        }
    }
}

fn show_yaml(texts: &mut Texts, yaml: &Yaml) {
    show!(texts, *yaml);
    match yaml {
        Yaml::Int(text) | Yaml::Text(text) => show!(texts, *text),
        Yaml::Float(float) => show!(texts, *float),
        Yaml::List(items) => items.iter().for_each(|item| show_yaml(texts, item)),
        Yaml::Map(entries) => {
            for (key, value) in entries {
                show_yaml(texts, key);
                show_yaml(texts, value);
            }
        }
        _ => {}
    }
}

fn show_error(texts: &mut Texts, error: &FileError) {
    show!(
        texts,
        *error,
        *error.cause(),
        Refusal::from(error),
        error.clone().in_file(Path::new("/home/.env"))
    );
    match error.cause() {
        Cause::Unreadable(why) => show!(texts, *why),
        Cause::Invalid(why) => show!(texts, *why),
    }
}
