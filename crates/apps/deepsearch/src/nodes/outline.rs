//! Node `outline`.

use graphloom_agents::Strategy;
use graphloom_core_graph::{Context, Node, NodeError, Snapshot, Step};
use serde_json::json;

use super::fail;
use crate::ask::{self, Ask};
use crate::names::{GraphKind, OUTLINE_INTERACTION};
use crate::outline::{RELATIONSHIPS, RawOutline, from_parts, outline_of, schema};
use crate::resources::{Resources, Slot};
use crate::state::{InteractionMode, Outline, SearchContext};
use crate::status::{Notice, StatusCode};
use crate::stream::{self, Place};

const AGENT: &str = "outline";

/// What is asked for: a new outline, one of a form, or a changed one.
fn prompt(state: &SearchContext) -> &'static str {
    match state.outline_interactions.iter().next_back().map(|round| round.interaction_mode) {
        Some(InteractionMode::ReviseComment) => "outliner_interaction",
        Some(InteractionMode::ReviseOutline) => "outliner_user_revised",
        None if !state.report_template.is_empty() => "outliner_template",
        None => "outliner",
    }
}

/// Makes the outline, or changes it as a person said; the first of a small model has a section for each part of the
/// question. In: query, questions, `user_feedback`, `report_template`, `outline_interactions`, `current_outline`. Out:
/// `current_outline`, `history_outlines`, `outline_executed_num`, streamed. Failure: 211800 ends the run; in a round
/// about the outline the one before is kept.
///
/// Source: openJiuwen DeepSearch, `OutlineNode`, `DependencyOutlineNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn outline(
    kind: GraphKind,
    state: Snapshot<SearchContext>,
    cx: Context<Resources>,
) -> Result<Step<SearchContext>, NodeError> {
    let config = &state.config;
    let most = config.outliner_max_section_num;
    let dependencies = kind == GraphKind::Dependency;
    let name = prompt(&state);
    let last = state.outline_interactions.iter().next_back();
    let own = last.filter(|_| name == "outliner_user_revised").and_then(|round| read(&round.feedback));
    let earlier: Vec<String> = (1..)
        .zip(state.outline_interactions.iter())
        .map(|(round, interaction)| format!("Round {round} feedback: {}", interaction.feedback))
        .collect();
    let args = json!({
        "query": state.query, "language": state.language.as_str(), "today": state.request.today,
        "max_section_num": most, "questions": state.questions, "user_feedback": state.user_feedback,
        "report_template": state.report_template, "dependencies": dependencies, "relationships": RELATIONSHIPS,
        "current_outline": state.current_outline.as_ref().map(|outline| outline_text(outline)).unwrap_or_default(),
        "feedback": last.map(|round| round.feedback.as_str()).unwrap_or_default(), "previous_feedback": earlier,
        "found": state.entry_search_results.iter().take(5).map(|found| &found.title).collect::<Vec<_>>(),
    });
    let tool = if dependencies { "dep_driving_generate_outline" } else { "generate_outline" };
    let ask = Ask::new("outline", name)
        .slot(Slot::PlanUnderstanding.or_named(&config.outliner_specified_llm))
        .tries(config.outliner_max_generate_outline_retry_num)
        .tool(tool)
        .schema(schema(most, dependencies))
        .small_tokens(120 + 80 * most);
    let read = |raw: RawOutline| outline_of(raw, most, dependencies, &state.query);
    let by_parts = match cx.resources().strategy(Slot::PlanUnderstanding) {
        Strategy::Guided if name == "outliner" => {
            read(from_parts(&state.query, state.language, most, dependencies)).ok()
        }
        _ => None,
    };
    let made = match by_parts {
        Some(made) => Ok(made),
        None => ask::value(&cx, &ask, &args, read).await?,
    };
    let spent = cx.resources().ledger.spent();
    let (mut made, mut notes) = match made {
        Ok(made) => made,
        Err(failure) => {
            // A person's own outline needs no model to be followed.
            let own = own.and_then(|raw| outline_of(raw, most, dependencies, &state.query).ok());
            match (own, &state.current_outline) {
                (Some((outline, mut notes)), _) => {
                    notes.push(format!("the outline is taken as it was written: {failure}"));
                    (outline, notes)
                }
                (None, Some(_)) if last.is_some() => {
                    let message = format!("the outline before is kept: {failure}");
                    let notice = Notice::warning(StatusCode::Outline, &message);
                    let update = SearchContext::update().notices([notice]).notes([message]).spent(spent);
                    return Ok(Step::goto(next(&state, kind)).with(update));
                }
                _ => return Ok(fail(Notice::fatal(StatusCode::Outline, failure.to_string()))),
            }
        }
    };
    for note in &mut notes {
        note.insert_str(0, "outline: ");
    }
    let number = state.outline_executed_num + 1;
    made.id = number.to_string();
    stream::emit_whole(&cx, AGENT, Place::default(), serde_json::to_string(&made)?).await;
    let before = state.current_outline.as_ref().map(|outline| (**outline).clone());
    let update = SearchContext::update()
        .current_outline(Some(made.into()))
        .history_outlines(before)
        .outline_executed_num(number)
        .notes(notes)
        .spent(spent);
    Ok(Step::goto(next(&state, kind)).with(update))
}

fn next(state: &SearchContext, kind: GraphKind) -> Node {
    if state.config.outline_interaction_enabled { OUTLINE_INTERACTION } else { kind.team() }
}

/// An outline that a person wrote.
fn read(text: &str) -> Option<RawOutline> {
    serde_json::from_str(text).ok()
}

/// The outline as a model sees it: without plans.
fn outline_text(outline: &Outline) -> String {
    let sections: Vec<_> = outline
        .sections
        .iter()
        .map(|section| {
            json!({
                "id": section.id, "title": section.title, "description": section.description,
                "is_core_section": section.is_core_section, "parent_ids": section.parent_ids,
                "relationships": section.relationships,
            })
        })
        .collect();
    json!({ "title": outline.title, "sections": sections }).to_string()
}
