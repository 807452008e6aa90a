//! What had to be tolerated in a reply, in words.

use graphloom_llm::parse::ParseStep;
use graphloom_llm::parse::coerce::{Coercion, CoercionKind};

/// A note for each step that changed something; plain JSON needs none.
pub(crate) fn of_steps(steps: &[ParseStep]) -> Vec<String> {
    let mut notes = Vec::new();
    for step in steps {
        match step {
            ParseStep::StrippedReasoning { bytes } => {
                notes.push(format!("{bytes} bytes of reasoning were taken away"));
            }
            ParseStep::Fence => notes.push("the JSON was taken from a fenced block".to_owned()),
            ParseStep::Extracted { .. } => notes.push("the JSON was taken from amid other text".to_owned()),
            ParseStep::Repaired { repairs } => {
                notes.push(format!("the JSON was broken and repaired in {} places", repairs.len()));
            }
            ParseStep::Coerced { changes } => notes.extend(changes.iter().map(of_coercion)),
            ParseStep::AskedAgain { errors } => {
                notes.push(format!("the model was asked again: {}", errors.join("; ")));
            }
            _ => {}
        }
    }
    // A repaired object amid other text is one thing to a reader.
    if notes.len() > 1 && steps.iter().any(|step| matches!(step, ParseStep::Repaired { .. })) {
        notes.retain(|note| note != "the JSON was taken from amid other text");
    }
    notes
}

/// The note for one change of type.
pub(crate) fn of_coercion(change: &Coercion) -> String {
    let what = match change.kind {
        CoercionKind::TextToBoolean => "text was read as true or false",
        CoercionKind::TextToNumber => "text was read as a number",
        CoercionKind::NumberToText => "a number was read as text",
        CoercionKind::TextToList => "text was read as a list",
        CoercionKind::SingleToList => "one value was read as a list of one",
        CoercionKind::NullToList => "`null` was read as an empty list",
        CoercionKind::NullDropped => "`null` was read as absent",
        CoercionKind::SpellingOfChoice => "the spelling of a choice was corrected",
        _ => "a value was changed to the type asked for",
    };
    let path = if change.path.is_empty() { "/" } else { &change.path };
    format!("at `{path}` {what}")
}
