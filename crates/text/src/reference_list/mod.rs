//! Lists of references that a model put into its text: a report has one list, its program's own.

mod entry;
mod names;

pub use names::references_title;

use std::collections::BTreeSet;
use std::ops::Range;

use entry::{Line, read};
use names::{Certainty, named};

use crate::bracketed_numbers;
use crate::markdown::{code, math, prose_lines, touches};

/// A list of references in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReferenceList {
    /// The bytes of the list with its title.
    pub range: Range<usize>,
    /// How many entries it has.
    pub entries: usize,
    /// The numbers of its entries.
    pub numbers: BTreeSet<u64>,
}

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

/// The lists of references of a text, in order: a title, a line in bold or a line of its own that names one, in any of many
/// languages, with entries behind it; and entries with numbers in brackets at the end of the text, without any name.
///
/// A part that has such a name and says something is no list: a chapter on sources, or one that ends statements with
/// citations.
///
/// ```
/// use graphloom_text::reference_lists;
///
/// let text = "It is so [1].\n\n## References\n\n[1] Invented, A. Title.\n\n## Sources of error\n\nThe gauge drifts.\n";
/// let found = reference_lists(text);
/// assert_eq!(&text[found[0].range.clone()], "## References\n\n[1] Invented, A. Title.\n\n");
/// assert_eq!((found.len(), found[0].entries), (1, 1));
/// ```
#[must_use]
pub fn reference_lists(text: &str) -> Vec<ReferenceList> {
    let lines = lines(text);
    let mut found: Vec<ReferenceList> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let list = title(&lines, at).and_then(|title| named_list(&lines, at, &title));
        match list {
            Some((list, next)) => {
                found.push(list);
                at = next;
            }
            None => at += 1,
        }
    }
    let end = found.last().map_or(0, |list| list.range.end);
    found.extend(unnamed_list(&lines, end));
    found
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

/// A line of a text.
struct TextLine<'t> {
    start: usize,
    end: usize,
    text: &'t str,
    /// Whether it is no code, formula or quotation.
    plain: bool,
}

fn lines(text: &str) -> Vec<TextLine<'_>> {
    let mut at = 0;
    let ends = text.split_inclusive('\n').map(str::len);
    let lines = prose_lines(text).into_iter().zip(ends).map(|((line, plain), length)| {
        let start = at;
        at += length;
        TextLine { start, end: at, text: line, plain }
    });
    lines.collect()
}

/// A line that names a list.
struct Title {
    certainty: Certainty,
    /// The level of a heading; none for a line without marks of one.
    level: Option<usize>,
    /// The lines that it takes.
    lines: usize,
    /// What follows the name on its line.
    behind: bool,
}

fn title(lines: &[TextLine<'_>], at: usize) -> Option<Title> {
    let line = &lines[at];
    if !line.plain || line.text.starts_with("    ") || line.text.starts_with('\t') {
        return None;
    }
    let text = line.text.trim();
    if let Some((level, name)) = heading(text) {
        return named(name).map(|certainty| Title { certainty, level: Some(level), lines: 1, behind: false });
    }
    let before = at.checked_sub(1).map_or("", |before| lines[before].text.trim());
    let under = lines.get(at + 1).map_or("", |next| next.text.trim());
    if let Some(certainty) = named(text) {
        if under.len() >= 2 && ["=", "-"].iter().any(|sign| under.replace(sign, "").is_empty()) {
            return Some(Title {
                certainty,
                level: Some(if under.starts_with('=') { 1 } else { 2 }),
                lines: 2,
                behind: false,
            });
        }
        let is_item = text.starts_with(['-', '+', '|', '>']) || text.starts_with("* ");
        let apart = before.is_empty()
            || !matches!(read(before), Line::Words)
            || text.starts_with('*')
            || text.ends_with([':', '：']);
        return (!is_item && apart).then_some(Title { certainty, level: None, lines: 1, behind: false });
    }
    // `Sources: [1] …`, all in one line.
    let (name, rest) = text.split_once([':', '：'])?;
    let rest = rest.trim_matches(['*', '_', ' ']);
    // One source is that of a table or a picture.
    let is_one = ["source", "quelle", "note"].contains(&name.trim_matches(['*', '_', ' ']).to_lowercase().as_str());
    let certainty = named(name).filter(|_| !is_one)?;
    let begins =
        matches!(read(rest), Line::Entry(_)) && !rest.starts_with("[reference") && !rest.starts_with("[citation");
    (begins && before.is_empty()).then_some(Title { certainty, level: None, lines: 1, behind: true })
}

/// Level and words of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let rest = &line[level..];
    ((1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']))).then(|| (level, rest.trim()))
}

/// The list behind a title, and the line behind it; none when what is there is no list.
fn named_list(lines: &[TextLine<'_>], at: usize, title: &Title) -> Option<(ReferenceList, usize)> {
    let first = at + title.lines;
    let (mut entries, mut sure, mut words, mut last) = (0_usize, 0_usize, 0_usize, first);
    let mut numbers = BTreeSet::new();
    if title.behind {
        let inner = lines[at].text.split_once([':', '：']).map_or("", |(_, rest)| rest);
        numbers.extend(bracketed_numbers(inner).flat_map(|found| found.numbers));
        (entries, sure) = (numbers.len().max(1), 1);
    }
    let mut open = false;
    let mut next = first;
    while let Some(line) = lines.get(next) {
        let text = line.text.trim();
        if line.plain
            && let Some((level, _)) = heading(text)
            && title.level.is_none_or(|own| level <= own)
        {
            break;
        }
        next += 1;
        if text.is_empty() {
            open = false;
            continue;
        }
        let kind = match heading(text) {
            Some(_) => Line::Rule,
            None if line.plain || open => read(text),
            None => Line::Words,
        };
        match kind {
            Line::Entry(number) => {
                numbers.extend(number);
                (entries, sure, open) = (entries + 1, sure + 1, true);
            }
            Line::Item(number) => {
                numbers.extend(number);
                (entries, open) = (entries + 1, true);
            }
            Line::Rule => {}
            // The second line of an entry.
            Line::Words if open => {}
            // What says that the list follows.
            Line::Words if entries == 0 && text.ends_with([':', '：']) => {}
            // The list was broken off in this line.
            Line::Words
                if entries > 0
                    && lines[next..].iter().all(|line| line.text.trim().is_empty())
                    && !text.ends_with(['.', '。', '!', '?']) => {}
            Line::Words if title.level.is_none() && entries > 0 => {
                // A line without marks of a heading has no end but this.
                next -= 1;
                break;
            }
            Line::Words => words += 1,
        }
        last = next;
    }
    let is_end = lines[next..].iter().all(|line| line.text.trim().is_empty());
    let is_list = match title.certainty {
        Certainty::Sure => {
            (entries > 0 && words <= entries) || (entries == 0 && words == 0 && title.level.is_some() && is_end)
        }
        Certainty::Unsure => {
            (sure > 0 && words == 0 && sure * 2 >= entries)
                || (entries == 0 && words == 0 && title.level.is_some() && is_end)
        }
    };
    let end = if title.level.is_some() || is_end { next } else { last };
    let range = lines[at].start..lines.get(end.max(first) - 1).map_or(lines[at].end, |line| line.end);
    is_list.then(|| (ReferenceList { range, entries, numbers }, end.max(first)))
}

/// Entries with numbers in brackets that end a text without any name.
fn unnamed_list(lines: &[TextLine<'_>], from: usize) -> Option<ReferenceList> {
    let mut numbers = BTreeSet::new();
    let (mut first, mut entries, mut reliable) = (lines.len(), 0, false);
    for (at, line) in lines.iter().enumerate().rev() {
        let text = line.text.trim();
        if text.is_empty() {
            continue;
        }
        let is_numbered = text.starts_with(['[', '【', '［', '\\', '*']);
        match read(text) {
            Line::Entry(Some(number))
                if is_numbered && line.plain && line.start >= from && !numbers.contains(&number) =>
            {
                numbers.insert(number);
                (first, entries) = (at, entries + 1);
                let without = text.trim_start_matches(|c: char| !c.is_alphabetic());
                let listed = read(&format!("- {without}"));
                reliable |= matches!(listed, Line::Entry(_));
            }
            _ => break,
        }
    }
    let apart = first > 0 && lines.get(first).is_some() && {
        let before = lines[first - 1].text.trim();
        before.is_empty() || matches!(read(before), Line::Rule)
    };
    let ascends = numbers.first()
        == lines
            .get(first)
            .and_then(|line| match read(line.text.trim()) {
                Line::Entry(number) => number,
                _ => None,
            })
            .as_ref();
    (apart && ascends && (entries >= 2 || reliable)).then(|| ReferenceList {
        range: lines[first].start..lines.last().map_or(0, |line| line.end),
        entries,
        numbers,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_the_model_go_and_real_parts_stay() {
        for (text, rest) in [
            ("A.\n\n## References\n[1] Invented, A. Title.\n[2] B.\n", "A."),
            ("A.\n\n## References\n", "A."),
            ("A.\n\n### 7. Sources & References\n\n1. Smith, J. (2020). T.\n2. https://b.example\n", "A."),
            ("A.\n\nSources:\n- https://a.example\n- https://b.example", "A."),
            ("A.\n\n**Sources**\n\n1. [T](https://a.example)\n", "A."),
            ("A.\n\n**References:**\n- A book\n- Another", "A."),
            ("A.\n\nReferences\n----------\n* A book\n", "A."),
            ("甲。\n\n参考文献\n[1] 作者. 题目. 2020.\n[2] 乙", "甲。"),
            ("甲。\n\n## 参考资料：\n\n【1】题目\n", "甲。"),
            ("Eins.\n\n**Quellen:**\n\n[1] Erfunden, A. (2020)\n", "Eins."),
            ("Un.\n\n## Références\n\n- Dupont (2020), Titre.\n", "Un."),
            ("Один.\n\nСписок литературы:\n1. Иванов И. Книга.\n", "Один."),
            ("A [1], b [2, 1] x[1] `[1]`.\n\n[1]: https://a.example\n[2]: https://b.example\n", "A, b x[1] `[1]`."),
            ("A [^1].\n\n[^1]: Smith, J. (2020). Title.", "A."),
            (
                "A.\n\n---\n\n## References\n\nThese were read:\n\n- [reference:a#1] T\n\n## B\n\nC [1].",
                "A.\n\n## B\n\nC [1].",
            ),
            ("A.\n\n## References\n\n### Books\n- B\n\n### Web\n- W\n", "A."),
            ("A.\n\nSources: https://a.example, https://b.example", "A."),
            ("A.\n\n## References\n\n[1] Invented, A. Title.\n[2] Inv", "A."),
        ] {
            let without = without_reference_lists(text);
            assert_eq!(without.text, rest, "{text:?}");
            assert!(without.told().is_some(), "{text:?}");
        }
        for text in [
            "## Sources of error\n\nThe gauge drifts [reference:a#1].\n\n- It drifts up.\n",
            "## Sources\n\nThe White Nile rises at the lake [reference:a#1].\n",
            "## Sources\n\n- The White Nile rises at the lake [reference:a#1].\n- The Blue Nile does not.\n",
            "## Sources\n\n- The White Nile\n- The Blue Nile\n",
            "## Sources\n\nThe river (1960) was measured at https://a.example first.\n",
            "Source: World Bank [reference:a#1].\n\nMore.",
            "# References to Homer\n\n- Joyce\n",
            "```\n## References\n[1] x\n```",
            "> ## References\n> [1] x",
            "A [1] is so.\n\n[1] is what it was.",
            "The steps:\n\n1. First\n2. Second\n",
            "",
        ] {
            let without = without_reference_lists(text);
            assert_eq!((without.text.as_str(), without.told()), (text, None), "{text:?}");
        }
    }
}
