//! New crates as members of a copy of this workspace, which are built beside what is compiled already.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use graphloom_test_support::WHOLE_WORKSPACE;
use serde_json::Value;

use crate::run;

/// The cargo that runs this test.
pub(super) fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into())
}

/// A copy of this workspace with new crates in it.
///
/// Its root has the manifest and the lock file of this one, and links to its folders. Cargo names what it compiles by
/// versions, features, profiles and paths from the root. All of these are the same here, so that only the new crates are
/// compiled. How this workspace formats its code is no rule for them.
pub(super) struct Workspace {
    root: tempfile::TempDir,
    crates: Vec<String>,
}

/// What cargo has made of a crate.
#[derive(Debug, Default)]
pub(super) struct Programs {
    /// The crate's own program.
    pub(super) main: PathBuf,
    /// Its tests.
    pub(super) test: PathBuf,
}

impl Workspace {
    /// Makes a crate of each template; a crate is named after its template.
    pub(super) fn of(templates: &[String], mut name: impl FnMut(&str) -> String) -> Self {
        let root = tempfile::tempdir().unwrap();
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let checkout = fs::canonicalize(checkout).unwrap();
        for entry in fs::read_dir(&checkout).unwrap() {
            let entry = entry.unwrap();
            let file = entry.file_name();
            let is_own = ["Cargo.toml", "Cargo.lock", "rustfmt.toml", "target"].iter().any(|own| file == **own);
            if !is_own && !file.to_string_lossy().starts_with('.') {
                std::os::unix::fs::symlink(entry.path(), root.path().join(file)).unwrap();
            }
        }
        let crates: Vec<String> = templates.iter().map(|template| name(template)).collect();
        for (name, template) in crates.iter().zip(templates) {
            let (status, _, stderr) = run(root.path(), &["new", name, "--template", template, "--path", "."]);
            assert_eq!(status, 0, "{stderr}");
        }
        fs::copy(checkout.join("Cargo.lock"), root.path().join("Cargo.lock")).unwrap();
        let manifest = fs::read_to_string(checkout.join("Cargo.toml")).unwrap();
        let listed: String = crates.iter().map(|name| format!("\n    \"{name}\",")).collect();
        let with_crates = manifest.replacen("\nmembers = [", &format!("\nmembers = [{listed}"), 1);
        assert_ne!(with_crates, manifest, "the root's manifest lists its members");
        fs::write(root.path().join("Cargo.toml"), with_crates).unwrap();
        Self { root, crates }
    }

    pub(super) fn folder(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub(super) fn crates(&self) -> &[String] {
        &self.crates
    }

    /// Compiles each crate with its tests, without the network, and finds what was made of it. `variables` are set for
    /// the compiler.
    pub(super) fn compile(&self, variables: &[(&str, OsString)]) -> Vec<Programs> {
        let mut command = self.cargo("test");
        command.args(["--no-run", "--message-format", "json", "--test", "graph"]);
        // Cargo gives a third-party crate the features that all chosen packages need of it, so the packages that were
        // chosen for this test are chosen again.
        if WHOLE_WORKSPACE {
            command.arg("--workspace");
        } else {
            command.args(["-p", env!("CARGO_PKG_NAME")]);
            self.crates.iter().for_each(|name| {
                command.args(["-p", name]);
            });
        }
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        let Output { status, stdout, stderr } = command.output().unwrap();
        let mut programs: Vec<Programs> = self.crates.iter().map(|_| Programs::default()).collect();
        let mut told = String::from_utf8(stderr).unwrap();
        for message in stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let message: Value = serde_json::from_slice(message).unwrap();
            told.extend(message["message"]["rendered"].as_str());
            let Some(program) = message["executable"].as_str() else { continue };
            let target = &message["target"];
            let source = Path::new(target["src_path"].as_str().unwrap());
            let made = self.crates.iter().position(|name| source.starts_with(self.folder(name)));
            let made = made.unwrap_or_else(|| panic!("`{}` is no test of a new crate", source.display()));
            match target["kind"][0].as_str() {
                Some("bin") => programs[made].main = program.into(),
                _ => programs[made].test = program.into(),
            }
        }
        assert!(status.success(), "{told}");
        programs
    }

    /// Cargo in this workspace, with the profile and the folder for what is compiled of this test.
    fn cargo(&self, command: &str) -> Command {
        let program = std::env::current_exe().unwrap();
        let profile = program.parent().and_then(Path::parent).unwrap();
        let name = match profile.file_name().unwrap().to_str().unwrap() {
            "debug" => "dev",
            other => other,
        };
        let mut cargo = Command::new(cargo());
        cargo.args([command, "--offline", "--profile", name]).current_dir(self.root.path());
        cargo.env("CARGO_TARGET_DIR", profile.parent().unwrap());
        // What cargo tells the programs that it runs is about this test, not about the new crates.
        for (variable, _) in std::env::vars_os() {
            let told = variable.to_string_lossy();
            let about_this = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"];
            if about_this.iter().any(|start| told.starts_with(start)) {
                cargo.env_remove(&variable);
            }
        }
        cargo
    }
}

impl Drop for Workspace {
    /// What was compiled of the new crates is of no use to anybody.
    fn drop(&mut self) {
        let mut command = self.cargo("clean");
        self.crates.iter().for_each(|name| {
            command.args(["-p", name]);
        });
        command.output().ok();
    }
}
