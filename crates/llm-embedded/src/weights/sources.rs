//! A file of this machine and the model's hub, as places that a file of weights can come from. Each one fills a temporary file in the
//! model's directory.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use tempfile::NamedTempFile;

use super::install::{spool, temporary};
use super::{FetchEvent, FetchOptions, KnownModel};
use crate::EmbeddedError;
use crate::error::chain;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);
const READ_TIMEOUT: Duration = Duration::from_secs(30);

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

pub(super) fn runtime() -> Result<tokio::runtime::Runtime, String> {
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
