//! One word from the model: whether a run would get an answer.

use std::time::{Duration, Instant};

use graphloom_cli::{Chosen, DataDir, ModelArgs, Session, build_models};
use graphloom_llm::ChatRequest;
use graphloom_llm::layers::Spent;
use graphloom_llm::resolve::ModelSpec;

use super::findings::ModelAnswer;

/// How long an answer is waited for. A server may have to load its model first.
const PATIENCE: Duration = Duration::from_secs(60);

/// The longest answer that is asked for and shown, in tokens.
const LENGTH: u32 = 16;

/// Asks every model that a run would use for one word. A recording and a script are not asked: each answers only what
/// stands in it.
///
/// # Errors
/// Why the models cannot be made, in words.
pub(super) async fn model_answers(
    chosen: &Chosen,
    dirs: &DataDir,
    session: &Session,
) -> Result<Vec<ModelAnswer>, String> {
    let live = |spec: &&ModelSpec| !matches!(spec, ModelSpec::Scripted(_) | ModelSpec::Replay(_));
    if !chosen.specs.all().iter().all(live) {
        return Ok(Vec::new());
    }
    let mut args = ModelArgs::default();
    args.model = Some(chosen.specs.clone());
    args.consent.no_input = true;
    let set =
        build_models(&args, dirs, &session.progress, Spent::default()).await.map_err(|failure| failure.to_string())?;
    let mut words: Vec<ModelAnswer> = Vec::new();
    let roles = chosen.specs.roles.keys().map(String::as_str);
    for role in ["default"].into_iter().chain(roles) {
        let model = chosen.specs.role(role).to_string();
        if words.iter().any(|word| word.model == model) {
            continue;
        }
        session.progress.phase(format!("asking `{model}` for one word"));
        let mut request = ChatRequest::user("Say one word.");
        request.params.max_tokens = Some(LENGTH);
        let begun = Instant::now();
        let answer = tokio::time::timeout(PATIENCE, set.models.role(role).chat(request)).await;
        let milliseconds = begun.elapsed().as_millis() as u64;
        let mut word = ModelAnswer { model, said: None, problem: None, tokens: None, milliseconds };
        match answer {
            Ok(Ok(answer)) => {
                word.said = Some(first_word(&answer.text()));
                word.tokens = Some((answer.usage.input, answer.usage.output));
            }
            Ok(Err(error)) => word.problem = Some(error.to_string()),
            Err(_) => word.problem = Some(format!("no answer within {} s", PATIENCE.as_secs())),
        }
        words.push(word);
    }
    Ok(words)
}

/// The first word of an answer; small models say more than they are asked.
fn first_word(text: &str) -> String {
    let word = text.split_whitespace().next().unwrap_or_default();
    word.trim_matches(|c: char| !c.is_alphanumeric()).chars().filter(|c| !c.is_control()).take(40).collect()
}
