//! What a reply means that no rule could read.

use graphloom_core_graph::NodeError;
use serde_json::json;

use super::Small;
use super::sentence::clip;
use crate::feedback::{Intent, ModelReading};

/// What the model chooses from, in the words of its prompt. A new topic needs words of its own, which a command gives.
const CHOICES: [(&str, Intent); 5] = [
    ("approve", Intent::Approve),
    ("reject", Intent::Reject),
    ("question", Intent::Question),
    ("cancel", Intent::Cancel),
    ("unclear", Intent::Unclear),
];

/// Reads a reply by the likelihood of each class. A small model is right too seldom to end a journey or to approve, so
/// those two are never what it reads; the note says how to say them.
pub(crate) async fn read_reply(
    small: &Small<'_>,
    message: &str,
    notes: &mut Vec<String>,
) -> Result<ModelReading, NodeError> {
    let options = CHOICES.map(|(word, _)| word.to_owned());
    let args = json!({ "message": clip(message) });
    let choice = small.choose("intent", "intent", &args, &options).await?;
    let (word, intent) = CHOICES[choice.index.min(CHOICES.len() - 1)];
    let confidence = share(&choice.scores, choice.index);
    let intent = match intent {
        Intent::Approve | Intent::Cancel => {
            notes.push(format!(
                "a small model took your reply for `{word}`, which it is not trusted with; say `/{word}` if you mean it"
            ));
            Intent::Unclear
        }
        other => other,
    };
    // The reason is what was said: a small model would shorten it to something else.
    let detail = if intent == Intent::Reject { message.trim().to_owned() } else { String::new() };
    Ok(ModelReading { intent, detail, confidence })
}

/// The share of a likelihood among all; 0 without likelihoods.
fn share(scores: &[f32], index: usize) -> f32 {
    let Some(own) = scores.get(index) else { return 0.0 };
    let sum: f32 = scores.iter().map(|score| (score - own).exp()).sum();
    if sum > 0.0 { 1.0 / sum } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_is_the_share_of_the_likelihood() {
        assert!((share(&[0.0, 0.0], 0) - 0.5).abs() < 1e-6);
        assert!(share(&[-1.0, -9.0], 0) > 0.99);
        assert_eq!(share(&[], 0), 0.0);
        assert!(share(&[f32::NAN, 1.0], 1).is_nan() || share(&[f32::NAN, 1.0], 1) == 0.0);
    }
}
