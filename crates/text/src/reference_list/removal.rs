//! A text without lists of references.

use std::collections::BTreeSet;

use super::reference_lists;
use crate::bracketed_numbers;
use crate::markdown::{code, math, touches};

/// A text without lists of references.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unlisted {
    /// The text.
    pub text: String,
    /// The entries that were taken out.
    pub entries: usize,
    /// The lists that were taken out.
    pub lists: usize,
    /// The numbers in brackets that pointed to those entries and were taken out.
    pub marks: usize,
}

impl Unlisted {
    /// What was taken out, in a few words; none when nothing was.
    #[must_use]
    pub fn told(&self) -> Option<String> {
        let count = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
        let marks = match self.marks {
            0 => String::new(),
            marks => format!(
                ", and {} to it",
                count(marks, "number in brackets that pointed", "numbers in brackets that pointed")
            ),
        };
        (self.lists > 0).then(|| {
            format!(
                "a list of references of the model's own was taken out, {}{marks}",
                count(self.entries, "entry", "entries")
            )
        })
    }
}

/// A text without its lists of references, without the numbers in brackets that pointed to their entries, and without blanks
/// and rules before a list.
///
/// ```
/// let without = graphloom_text::without_reference_lists("It is so [1].\n\n---\n**Sources:**\n[1] Invented, A. Title.\n");
/// assert_eq!((without.text.as_str(), without.entries, without.marks), ("It is so.", 1, 1));
/// ```
#[must_use]
pub fn without_reference_lists(text: &str) -> Unlisted {
    let lists = reference_lists(text);
    let mut out = Unlisted { lists: lists.len(), ..Unlisted::default() };
    if lists.is_empty() {
        text.clone_into(&mut out.text);
        return out;
    }
    let mut from = 0;
    let mut numbers = BTreeSet::new();
    for list in lists {
        out.text.push_str(&text[from..list.range.start]);
        let end = without_rule(&out.text).len();
        out.text.truncate(end);
        out.entries += list.entries;
        if list.numbers.is_empty() {
            // Entries without numbers are counted.
            numbers.extend((1..).take(list.entries));
        }
        numbers.extend(list.numbers);
        from = list.range.end;
        if !out.text.is_empty() && !text[from..].trim().is_empty() {
            out.text.push_str("\n\n");
        }
    }
    out.text.push_str(text[from..].trim_end());
    (out.text, out.marks) = without_numbers(&out.text, &numbers);
    out
}

/// A text without blanks at its end, and without the line that set off what followed.
fn without_rule(text: &str) -> &str {
    let trimmed = text.trim_end();
    let (before, last) = trimmed.rsplit_once('\n').unwrap_or(("", trimmed));
    let apart = before.is_empty() || before.ends_with('\n') || before.ends_with("\n\r");
    let is_rule = apart && last.len() >= 3 && last.trim().chars().all(|c| matches!(c, '-' | '*' | '_' | ' '));
    if is_rule { before.trim_end() } else { trimmed }
}

/// A text without numbers in brackets that are among `numbers`, and how many there were. Code, formulas, links and indices
/// such as `x[1]` stay.
fn without_numbers(text: &str, numbers: &BTreeSet<u64>) -> (String, usize) {
    let (code, math) = (code(text), math(text));
    let (mut out, mut from, mut count) = (String::with_capacity(text.len()), 0, 0);
    for found in bracketed_numbers(&text.replace("[^", "[ ")) {
        let range = found.range;
        let (before, behind) = (&text[..range.start], &text[range.end..]);
        let is_index = before.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '!' | '\\' | '['));
        let is_link = behind.starts_with(['(', ']']) || (behind.starts_with(':') && before.ends_with('\n'));
        let is_pointing = found.numbers.iter().all(|number| numbers.contains(number));
        if is_index || is_link || !is_pointing || touches(&range, &code) || touches(&range, &math) {
            continue;
        }
        out.push_str(&text[from..range.start]);
        out.truncate(out.trim_end_matches([' ', '\t']).len());
        from = range.end;
        count += 1;
    }
    out.push_str(&text[from..]);
    (out, count)
}
