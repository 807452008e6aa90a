//! Sentences of notes that bear on a request, each with a link to its note: what a model that is too small to write says.

use graphloom_retrieval::answer::{Material, Quotable, Request, unanswered_line};
use graphloom_vault::{Note, NotePath};

use super::{link_to, plain};

/// Sentences that are quoted for each part of a request.
const PER_PART: usize = 3;

/// What notes say on a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quoted {
    /// A list of sentences with links; empty when none bears on the request.
    pub text: String,
    /// A line on the parts of the request that nothing bears on; empty when there are none.
    pub left_open: String,
}

impl Quoted {
    /// Both, one after the other.
    pub fn joined(&self) -> String {
        [self.text.as_str(), self.left_open.as_str()].join("\n\n").trim().to_owned()
    }
}

/// Quotes notes on a request: for each part the sentences that fit best, each once; `all` are the paths of the vault, which
/// say how a note is linked.
pub fn quoted(request: &Request, notes: &[Note], all: &[NotePath]) -> Quoted {
    let texts: Vec<(String, String)> =
        notes.iter().map(|note| (format!("{} {}", note.path().stem(), note.title()), prose(note))).collect();
    let mut lines: Vec<String> = Vec::new();
    let mut answer = String::new();
    for part in request.parts() {
        let material = notes
            .iter()
            .zip(&texts)
            .map(|(note, (above, text))| Material::new(note.path().as_str(), above.as_str(), text.as_str()));
        let found = request.about(&part.text).quotable("", material, &answer);
        for Quotable { evidence, text, followers, .. } in found.into_iter().take(PER_PART) {
            let Some(note) = notes.iter().find(|note| note.path().as_str() == evidence) else { continue };
            let all_of_it = std::iter::once(text).chain(followers).collect::<Vec<_>>();
            answer.push_str(&format!("\n\n{}", all_of_it.join("\n\n")));
            let sentences = plain(&all_of_it.join(" "));
            lines.push(format!("- {sentences} ({})", link_to(note.path(), note.title(), all)));
        }
    }
    let text = lines.join("\n");
    let left_open = unanswered_line(&request.unanswered(&answer));
    Quoted { text, left_open }
}

/// The paragraphs and list items of a note as plain text, without code, tables and headings.
fn prose(note: &Note) -> String {
    let mut out = String::new();
    let mut in_code = false;
    for line in note.body().lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_code = !in_code;
            out.push_str("\n\n");
            continue;
        }
        let is_left_out = in_code || trimmed.is_empty() || trimmed.starts_with(['#', '|', '<', '>', '!']);
        if is_left_out || line.starts_with("    ") || line.starts_with('\t') {
            out.push_str("\n\n");
            continue;
        }
        if trimmed.starts_with(['-', '*', '+']) {
            out.push_str("\n\n");
        }
        out.push_str(&plain(trimmed.trim_start_matches(['-', '*', '+', ' '])));
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_quoted_with_their_notes_and_what_is_open_is_said() {
        let note = |path: &str, text: &str| Note::parse(NotePath::parse(path).unwrap(), text);
        let notes = [
            note(
                "Tides.md",
                "# Tides\n\nTides rise when the *moon* pulls the water of the sea.\n\n```\nTides are code in this line.\n```\n",
            ),
            note(
                "Moon.md",
                "# Moon\n\n- The moon has no air.\n- The moon pulls the water of all the tides there are.\n",
            ),
        ];
        let all: Vec<NotePath> = notes.iter().map(|note| note.path().clone()).collect();
        let request = Request::of("What do my notes say about tides and how do bees find flowers?");
        let made = quoted(&request, &notes, &all);
        assert!(made.text.contains("- Tides rise when the moon pulls the water of the sea. ([[Tides]])"), "{made:?}");
        assert!(!made.text.contains("code"), "{made:?}");
        assert!(made.left_open.contains("bees find flowers") && !made.left_open.contains("tides"), "{made:?}");
    }
}
