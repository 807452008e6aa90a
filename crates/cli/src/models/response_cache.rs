//! The answers of earlier runs.

use std::sync::Arc;
use std::time::SystemTime;

use graphloom_llm::layers::{CachePolicy, ResponseStore, SqliteResponses};
use graphloom_llm::resolve::ModelSpec;

use super::Chosen;
use crate::{DataDir, Failure, ModelArgs, Progress};

/// The cache of answers of `--cache`. A run that is recorded or played back asks for every answer: a recording has all calls.
pub(super) fn response_cache(
    args: &ModelArgs,
    chosen: &Chosen,
    dirs: &DataDir,
    progress: &Progress,
) -> Result<Option<(Arc<dyn ResponseStore>, CachePolicy)>, Failure> {
    let Some(policy) = &args.cache else { return Ok(None) };
    let is_recording =
        args.record.is_some() || chosen.specs.all().iter().any(|spec| matches!(spec, ModelSpec::Replay(_)));
    if is_recording {
        progress.note("`--cache` is left out: a recording has every call");
        return Ok(None);
    }
    let path = dirs.answers()?;
    progress.note(format!("answers of earlier runs are taken from `{}`", path.display()));
    Ok(Some((Arc::new(SqliteResponses::open(&path)?), policy.clone())))
}

/// What tells the models of a specification apart from others of the same name. A file that changes is another model.
pub(super) fn identity(spec: &ModelSpec) -> String {
    let files = spec.members().into_iter().filter_map(|member| match member {
        ModelSpec::Gguf(path) | ModelSpec::Scripted(path) => {
            let file = std::fs::metadata(path).ok()?;
            let changed = file.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
            Some(format!(" {} {}", file.len(), changed.as_nanos()))
        }
        _ => None,
    });
    format!("{spec}{}", files.collect::<String>())
}
