//! The reading of a reply by a model, and the conditions under which it is accepted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::change::{Candidate, Edit, ReviewedItems};
use super::{ReadReply, Reading};

/// The least confidence at which the reading of a model is accepted.
const SURE: f32 = 0.7;

/// What a model says that a reply means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelReading {
    /// The class.
    pub intent: Intent,
    /// For an edit, what is to change.
    #[serde(default)]
    pub edits: Vec<ModelEdit>,
    /// For a rejection its reason, for a new topic the topic, for queries these, one a line; else empty.
    #[serde(default)]
    pub detail: String,
    /// The words of the reply that this rests on, copied.
    #[serde(default)]
    pub words: String,
    /// How sure the model is, from 0 to 1.
    pub confidence: f32,
}

/// The classes that a model can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// Go on.
    Approve,
    /// Change something.
    Edit,
    /// Make it again.
    Reject,
    /// Something is asked.
    Question,
    /// Other queries, where they were asked for.
    Queries,
    /// Another topic.
    NewTopic,
    /// End the journey.
    Cancel,
    /// None of these.
    Unclear,
}

/// A change as a model says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelEdit {
    /// What is done.
    pub what: EditKind,
    /// The number of what it is done to; 0 for all, and for what is added.
    #[serde(default)]
    pub number: usize,
    /// The second number of a swap or a merge, and the new place of a move.
    #[serde(default)]
    pub other: usize,
    /// The new words, or how it is to be made again.
    #[serde(default)]
    pub text: String,
}

/// The changes that a model can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "What")]
#[expect(missing_docs, reason = "each is the change of the same name")]
pub enum EditKind {
    Remove,
    Add,
    Replace,
    Swap,
    Move,
    Merge,
    Rework,
}

impl ModelEdit {
    fn edit(&self, shown: &ReviewedItems) -> Option<Edit> {
        let there = |place: usize| (1..=shown.items.len()).contains(&place).then_some(place);
        let text = || Some(self.text.trim().to_owned()).filter(|text| !text.is_empty());
        Some(match self.what {
            EditKind::Remove => Edit::Remove(there(self.number)?),
            EditKind::Add => Edit::Add(text()?),
            EditKind::Replace => Edit::Replace(there(self.number)?, text()?),
            EditKind::Swap => Edit::Swap(there(self.number)?, there(self.other)?),
            EditKind::Move => Edit::Move(there(self.number)?, there(self.other)?),
            EditKind::Merge => Edit::Merge(there(self.number)?, there(self.other)?),
            EditKind::Rework if self.number == 0 => Edit::Rework { at: None, how: text()? },
            EditKind::Rework => Edit::Rework { at: Some(there(self.number)?), how: text()? },
        })
    }
}

/// Takes the reading of a model for a reply that the rules left unclear.
///
/// The reading is accepted when its confidence is at least 0.7 and the words that it quotes stand in the reply. Whatever
/// would act is a candidate only; queries are shown for a review, and a question is answered.
#[must_use]
pub fn adopt(read: ReadReply, message: &str, shown: &ReviewedItems, model: &ModelReading) -> ReadReply {
    if read.reading != Reading::Unclear {
        return read;
    }
    let mut evidence = read.evidence;
    evidence.push(format!(
        "the model reads {:?} with confidence {:.2} from `{}`",
        model.intent, model.confidence, model.words
    ));
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let words = plain(&model.words);
    let rests = !words.is_empty() && plain(message).contains(&words);
    if !rests {
        evidence.push("these words do not stand in the reply".to_owned());
    }
    // The comparison is false for a confidence of NaN.
    let sure = model.confidence >= SURE && rests;
    let detail = model.detail.trim().to_owned();
    let edits: Option<Vec<Edit>> = model.edits.iter().map(|edit| edit.edit(shown)).collect();
    let reading = match (model.intent, edits) {
        _ if !sure => Reading::Unclear,
        (Intent::Approve, Some(edits)) if edits.is_empty() => Reading::Candidate(Candidate::Approve),
        (Intent::Approve | Intent::Edit, Some(edits)) if !edits.is_empty() => {
            Reading::Candidate(Candidate::Edit(edits))
        }
        (Intent::Reject, _) => {
            Reading::Candidate(Candidate::Reject(if detail.is_empty() { message.trim().to_owned() } else { detail }))
        }
        (Intent::Question, _) => Reading::Question,
        (Intent::Queries, _) => {
            let queries: Vec<String> =
                detail.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
            if queries.is_empty() { Reading::Unclear } else { Reading::Queries(queries) }
        }
        (Intent::NewTopic, _) if !detail.is_empty() => Reading::Candidate(Candidate::NewTopic(detail)),
        (Intent::Cancel, _) => Reading::Candidate(Candidate::Cancel),
        _ => Reading::Unclear,
    };
    ReadReply { reading, evidence, language: read.language }
}
