//! Replies of a fixed form: slash commands, edits, a new topic.

use super::{Edit, Reading};

/// Reads a reply that has one of the fixed forms; the text of the result names the form.
pub(super) fn read(text: &str) -> Option<(Reading, String)> {
    if let Some(command) = text.strip_prefix('/') {
        return Some(slash(command));
    }
    if let Some(topic) = after_any(text, &["new topic:", "new topic -", "新しいトピック:", "新しいテーマ:"])
    {
        return Some((Reading::NewTopic { topic: topic.to_owned() }, "`new topic:`".to_owned()));
    }
    if ["new topic", "新しいトピック", "新しいテーマ"].contains(&text.to_lowercase().as_str()) {
        return Some((Reading::NewTopic { topic: String::new() }, "`new topic`".to_owned()));
    }
    let edits: Option<Vec<Edit>> =
        text.split(['\n', ';']).map(str::trim).filter(|piece| !piece.is_empty()).map(edit).collect();
    let edits = edits.filter(|edits| !edits.is_empty())?;
    Some((Reading::Edit(edits), "edits".to_owned()))
}

/// Whether a reply has the fixed form of a rejection.
pub(super) fn rejects(text: &str) -> bool {
    after_any(text, &["reject:", "却下:"]).is_some()
}

fn slash(command: &str) -> (Reading, String) {
    let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    let rest = rest.trim();
    let evidence = format!("`/{name}`");
    let reading = match name.to_lowercase().as_str() {
        "approve" => Reading::Approve,
        "reject" => Reading::Reject { feedback: rest.to_owned(), search: false },
        "search" => Reading::Reject { feedback: rest.to_owned(), search: true },
        "cancel" => Reading::Cancel,
        "new" => Reading::NewTopic { topic: rest.to_owned() },
        "question" => Reading::Question,
        "add" if !rest.is_empty() => Reading::Edit(vec![Edit::Add(rest.to_owned())]),
        "remove" => number(rest).map_or(Reading::Unclear, |at| Reading::Edit(vec![Edit::Remove(at)])),
        "edit" => match rest.split_once(char::is_whitespace) {
            Some((at, text)) if !text.trim().is_empty() => number(at.trim_end_matches(':'))
                .map_or(Reading::Unclear, |at| Reading::Edit(vec![Edit::Replace(at, text.trim().to_owned())])),
            _ => Reading::Unclear,
        },
        _ => return (Reading::Unclear, format!("{evidence} is no command")),
    };
    (reading, evidence)
}

fn edit(piece: &str) -> Option<Edit> {
    if let Some(rest) = after_any(piece, &["remove ", "delete ", "drop "]) {
        return number(rest.trim_start_matches('#')).map(Edit::Remove);
    }
    if let Some(at) = piece.strip_suffix("を削除") {
        return number(at.trim_end_matches('番')).map(Edit::Remove);
    }
    if let Some(text) = after_any(piece, &["add:", "追加:"]) {
        return (!text.is_empty()).then(|| Edit::Add(text.to_owned()));
    }
    let (head, text) = piece.split_once(':')?;
    let (head, text) = (head.trim(), text.trim());
    let at = after_any(head, &["edit ", "replace ", "change "])
        .or_else(|| head.strip_suffix("を編集"))
        .or_else(|| head.strip_suffix("を変更"))?;
    let at = number(at.trim_start_matches('#').trim_end_matches('番'))?;
    (!text.is_empty()).then(|| Edit::Replace(at, text.to_owned()))
}

fn number(text: &str) -> Option<usize> {
    text.trim().trim_end_matches('.').parse().ok().filter(|number| *number > 0)
}

/// The text after the first of `beginnings` that `text` starts with, without regard to ASCII case.
fn after_any<'t>(text: &'t str, beginnings: &[&str]) -> Option<&'t str> {
    beginnings.iter().find_map(|beginning| {
        let head = text.get(..beginning.len())?;
        head.eq_ignore_ascii_case(beginning).then(|| text[beginning.len()..].trim())
    })
}
