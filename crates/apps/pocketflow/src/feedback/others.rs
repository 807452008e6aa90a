//! Rejections, ends and questions; any other reply is unclear.

use super::change::Candidate;
use super::tokens::Text;
use super::words::WordLists;
use super::{Language, Reading};

/// Reads a reply that is neither an approval nor an edit, and returns the words that decided.
pub(super) fn read(text: &Text, words: &WordLists) -> (Reading, Vec<String>) {
    let tokens = &text.tokens;
    if tokens.is_empty() {
        return (Reading::Unclear, Vec::new());
    }
    // Text after a question mark may reject: `Why? Redo it`.
    let said_behind = text.asks && !text.text.ends_with('?') && words.find("reject", text).is_some();
    // In these languages a word of a question may stand in a refusal: `どれも違います`.
    let anywhere = matches!(words.language, Language::Japanese | Language::Chinese | Language::Korean);
    let refuses = anywhere && !text.asks && ["reject", "bad"].iter().any(|list| words.find(list, text).is_some());
    let asks = !said_behind && !refuses && (text.asks || asks(text, words));
    let reject = |feedback: &str, search, found: String| {
        (Reading::Reject { feedback: feedback.to_owned(), search }, vec![format!("`{found}`")])
    };
    if !asks {
        if let Some(found) = ends(text, words) {
            return (Reading::Candidate(Candidate::Cancel), vec![format!("`{found}`")]);
        }
        if let Some(found) = words.find("search", text) {
            return reject(&text.text, true, found);
        }
        if let Some(found) = words.find("cancels", text) {
            return (Reading::Candidate(Candidate::Cancel), vec![format!("`{found}`")]);
        }
        // A first `no` with punctuation behind it rejects; the rest of the reply is the reason.
        let no = words.longest("no", tokens, 0);
        if no > 0 && tokens.get(no).is_some_and(|next| next.after_break || stops(text, tokens[no - 1].end, next.start))
        {
            return reject(&text.text[tokens[no].start..], false, text.text[..tokens[no - 1].end].to_owned());
        }
        if let Some(found) = words.find("reject", text) {
            // Beside a remark, words of a rejection may be about something else; in its clause they are.
            return match (words.find("remark", text), outside_remarks("reject", text, words)) {
                (None, _) => reject(&text.text, false, found),
                (Some(remark), false) => (Reading::Unclear, vec![format!("a remark: `{remark}`")]),
                (Some(_), true) => {
                    let candidate = Candidate::Reject(text.text.clone());
                    (Reading::Candidate(candidate), vec![format!("`{found}`, beside a remark")])
                }
            };
        }
    }
    if asks { (Reading::Question, vec!["it asks".to_owned()]) } else { (Reading::Unclear, Vec::new()) }
}

/// Whether a phrase of a list stands in a clause without a remark.
fn outside_remarks(list: &str, text: &Text, words: &WordLists) -> bool {
    let clause = |at: usize| text.tokens[..=at].iter().filter(|token| token.after_break).count();
    let remarks: Vec<usize> = words.spans("remark", text).iter().map(|(at, _)| clause(*at)).collect();
    words.spans(list, text).iter().any(|(at, _)| !remarks.contains(&clause(*at)))
}

/// Whether a reply has words of a rejection or of an end.
pub(super) fn acts(text: &Text, words: &WordLists) -> bool {
    words.find("reject", text).or_else(|| words.find("cancels", text)).or_else(|| ends(text, words)).is_some()
}

/// The first words of a reply, where they are a stop with punctuation behind it: `stop, do not search`.
pub(super) fn ends(text: &Text, words: &WordLists) -> Option<String> {
    let end = words.longest("cancel", &text.tokens, 0);
    let next = text.tokens.get(end).filter(|next| end > 0 && next.after_break)?;
    Some(text.text[..next.start].trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned())
}

/// Whether a reply has the form of a question; the question mark is not looked at.
pub(super) fn asks(text: &Text, words: &WordLists) -> bool {
    let tokens = &text.tokens;
    if words.longest("asks", tokens, 0) > 0 {
        return true;
    }
    let last = |ending: usize| words.lengths("asks_end", tokens, tokens.len() - ending).contains(&ending);
    let ends = (1..=tokens.len().min(4)).any(last);
    // Only these languages mark a question by its ending, and let a question word stand anywhere.
    match words.language {
        Language::Japanese | Language::Chinese => ends || words.find("asks", text).is_some(),
        Language::Korean => ends || text.text.ends_with(['까', '죠']) && words.find("asks", text).is_some(),
        _ => false,
    }
}

/// Whether a colon or a dash stands between two words.
fn stops(text: &Text, from: usize, to: usize) -> bool {
    text.text[from..to].contains([':', '-'])
}
