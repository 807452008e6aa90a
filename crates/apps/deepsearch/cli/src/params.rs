//! The parameters of a run: defaults of the original, then files, then `--set`, then options.

use graphloom_cli::config::{ConfigFiles, Layers, Setting, Settings};
use graphloom_cli::{ExitStatus, Failure, RunArgs, Session};
use graphloom_deepsearch::Config;
use graphloom_deepsearch::config::is_secret;
use graphloom_deepsearch::status::StatusCode;
use serde_json::Value;

/// The main graphs, by `execution_method`.
const METHODS: [&str; 2] = ["parallel", "dependency_driving"];

/// The parameters, or `None` when they were only to be printed. `before` is the configuration that a run began with.
pub(crate) fn params(run: &RunArgs, session: &Session, before: Option<&Config>) -> Result<Option<Config>, Failure> {
    let defaults = before.cloned().unwrap_or_default();
    // A run that goes on keeps its own parameters.
    let none = ConfigFiles::default();
    let mut layers = Layers::of(&defaults, before.map_or(&session.files, |_| &none), &run.parameters)?;
    if run.models.consent.yes {
        // Nobody is asked, so nothing waits for an answer.
        for key in ["workflow_human_in_the_loop", "outline_interaction_enabled", "user_feedback_processor_enable"] {
            layers.option("--yes", key, false)?;
        }
    }
    let has_method =
        layers.settings().0.iter().any(|s| s.key == "info_collector_search_method" && s.source != "default");
    if !has_method && before.is_none() {
        // What is searched follows from `--corpus` and `--search`; the method only narrows it.
        layers.option("--search", "info_collector_search_method", "all")?;
    }
    if run.parameters.print_config {
        let settings = Settings(layers.settings().0.into_iter().map(without_secret).collect());
        session.progress.result(ExitStatus::Done, &settings.to_string(), &settings)?;
        return Ok(None);
    }
    let method = layers.settings().0.into_iter().find(|setting| setting.key == "execution_method");
    if let Some(method) = method.and_then(|setting| setting.value.as_str().map(str::to_owned))
        && !METHODS.contains(&method.as_str())
    {
        let code = StatusCode::WorkflowUnknown;
        let known = METHODS.map(|method| format!("`{method}`")).join(" and ");
        return Err(Failure::usage(format!("[{code}]`execution_method` is `{method}`; there are {known}")));
    }
    let config: Config = layers.build()?;
    if let Some(notice) = config.check().first() {
        return Err(Failure::usage(notice.to_string()));
    }
    Ok(Some(config))
}

fn without_secret(mut setting: Setting) -> Setting {
    let is_set = setting.value.as_str().is_some_and(|text| !text.is_empty());
    if is_secret(&setting.key) && is_set {
        setting.value = Value::String("(set)".into());
    }
    setting
}
