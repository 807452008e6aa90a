//! Node `entry`.

use graphloom_agents::Strategy;
use graphloom_core_graph::{Context, NodeError, Snapshot, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::fail;
use crate::ask::{self, Ask, AskFailure};
use crate::config::SearchMethod;
use crate::locale::{self, LanguageName};
use crate::names::{GENERATE_QUESTIONS, OUTLINE};
use crate::resources::{Resources, Slot};
use crate::search::Retrieved;
use crate::state::{Locale, SearchContext};
use crate::status::{Notice, StatusCode};

/// Hands the request over to whoever plans the report.
#[derive(Serialize, Deserialize, JsonSchema)]
struct SendToPlanner {
    /// A title for the request.
    #[schemars(length(max = 120))]
    query_title: String,
    /// The language of the request, such as `en` or `zh`.
    #[schemars(length(min = 1, max = 16))]
    language: String,
}

/// Finds the language of the request, and searches for the question itself meanwhile. In: query, messages. Out:
/// language, `entry_search_results`. Failure: a model that fails ends the run (211600).
///
/// Source: openJiuwen DeepSearch, `EntryNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn entry(state: Snapshot<SearchContext>, cx: Context<Resources>) -> Result<Step<SearchContext>, NodeError> {
    let resources = cx.resources();
    let query = &state.query;
    let limit = usize::try_from(state.config.web_search_engine_config.max_web_search_results).unwrap_or(5);
    let search = cx.once("entry_search", async { Ok(resources.search.ask(SearchMethod::All, query, limit).await) });
    let ask = Ask::new("entry", "entry").tool("send_to_planner").tries(1).small_tokens(80);
    let args = json!({ "query": query, "today": state.request.today });
    let language = ask::value(&cx, &ask, &args, |call: SendToPlanner| {
        let named = locale::language_of_name(&call.language);
        match resources.strategy(Slot::General) {
            Strategy::Guided => fits(query, &named)?,
            Strategy::Free => {}
        }
        Ok((named, call.language))
    });
    let (found, language) = futures::join!(search, language);
    let found: Retrieved = found?;
    let mut notes: Vec<String> = found.notes.iter().map(|note| format!("the request: {note}")).collect();
    let mut update = SearchContext::update().entry_search_results(found.documents).spent(resources.ledger.spent());
    let by_script = locale::of_script(query);
    let language = match language? {
        Ok((LanguageName::Known(language), _)) => language,
        Ok((LanguageName::Other, name)) => {
            let message = format!("the request is in `{}`; the report is written in English", name.trim());
            update = update.notices([Notice::warning(StatusCode::LanguageMapped, &message)]);
            notes.push(message);
            Locale::English
        }
        Ok((LanguageName::Nothing, _)) | Err(AskFailure::Unusable { .. } | AskFailure::Empty { .. }) => {
            notes.push(format!("the model named no language; the script of the request says {}", by_script.as_str()));
            by_script
        }
        Err(failure) => return Ok(fail(Notice::fatal(StatusCode::Entry, failure.to_string()))),
    };
    let next = if state.config.workflow_human_in_the_loop { GENERATE_QUESTIONS } else { OUTLINE };
    Ok(Step::goto(next).with(update.language(language).notes(notes)))
}

/// Whether a request may be in a language. A small model names languages at random: a text without Han characters is not
/// asked for in Chinese, and one that is English by its letters in no other language.
fn fits(query: &str, named: &LanguageName) -> Result<(), String> {
    if *named == LanguageName::Known(Locale::Chinese) && locale::of_script(query) == Locale::English {
        return Err("the request has no Chinese characters".to_owned());
    }
    if *named == LanguageName::Other && locale::is_english(query) {
        return Err("the request is in English".to_owned());
    }
    Ok(())
}
