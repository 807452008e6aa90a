//! Asking a person about the changes of a run.

use graphloom_agents::{ReviewRequest, Verdict};
use graphloom_cli::{Failure, Progress, Prompt, next_line};
use graphloom_core_graph::Questions;

/// The review that a run waits with.
pub(crate) fn pending(questions: &Questions) -> Option<ReviewRequest> {
    let question = questions.iter().find(|question| question.key == "review")?;
    serde_json::from_value(question.payload.clone()).ok()
}

/// The review as text: every item with its number and difference.
pub(crate) fn shown(request: &ReviewRequest) -> String {
    let mut text = format!("{}\n", request.summary);
    for item in &request.items {
        text.push_str(&format!("\n[{}] {}\n{}", item.id, item.title, item.diff));
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    text
}

/// Shows the changes on the terminal and reads what the person says to them; `None` when they leave.
pub(crate) async fn ask(request: &ReviewRequest, progress: &Progress) -> Result<Option<Verdict>, Failure> {
    let text = format!(
        "{}\nWrite these changes? `y` for all, numbers for some, `n` for none, or say what is wrong with them:",
        shown(request)
    );
    progress.note(text);
    let Some(mut prompt) = Prompt::open(progress)? else {
        return Ok(next_line().await?.map(|line| verdict(&line)));
    };
    Ok(prompt.answer("> ").await?.map(|line| verdict(&line)))
}

/// What a person means by a line.
pub(crate) fn verdict(line: &str) -> Verdict {
    let line = line.trim();
    let numbers: Vec<&str> = line.split([',', ' ']).filter(|part| !part.is_empty()).collect();
    match line.to_lowercase().as_str() {
        "y" | "yes" | "はい" => Verdict::Approve,
        "" | "n" | "no" | "いいえ" => Verdict::Reject { reason: String::new() },
        _ if numbers.iter().all(|part| part.chars().all(|c| c.is_ascii_digit())) => {
            Verdict::Some { ids: numbers.into_iter().map(str::to_owned).collect() }
        }
        _ => Verdict::Reject { reason: line.to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_verdict() {
        for (line, expected) in [
            ("y\n", Verdict::Approve),
            ("YES", Verdict::Approve),
            ("", Verdict::Reject { reason: String::new() }),
            ("n", Verdict::Reject { reason: String::new() }),
            ("1, 3", Verdict::Some { ids: vec!["1".into(), "3".into()] }),
            ("put it into 2 folders", Verdict::Reject { reason: "put it into 2 folders".into() }),
        ] {
            assert_eq!(verdict(line), expected, "{line}");
        }
    }
}
