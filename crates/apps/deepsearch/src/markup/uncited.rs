//! The statements of a report that carry no citation, and their places.

use std::collections::BTreeMap;
use std::ops::Range;

use graphloom_citations::{Claim, Target, checked_ids, claims};

use super::chart_block::{ChartBlock, chart_blocks, in_chart};
use super::missing::is_missing;
use super::references::without_references;
use super::unlinked::Unlinked;
use crate::state::{ChartMessage, FinalResult, StatementBasis, StatementMessage};

/// A statement without a citation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Uncited {
    /// The bytes of the statement in the report; a sign of it stands at their end.
    pub(crate) range: Range<usize>,
    /// The statement.
    pub(crate) text: String,
}

/// The statements of a checked report without a citation, in order. Headings, the captions of `charts`, the list of
/// references and the words for a part that could not be written state nothing.
pub(crate) fn uncited(report: &str, charts: &[ChartMessage]) -> Vec<Uncited> {
    let unlinked = Unlinked::of(report);
    let body = without_references(&unlinked.text);
    let drawn: Vec<ChartBlock> =
        chart_blocks(&body).into_iter().filter(|block| charts.iter().any(|one| one.chart_id == block.id)).collect();
    let is_caption = |at: usize| in_chart(&drawn, at) && !drawn.iter().any(|block| in_row(block, at));
    claims(&body)
        .into_iter()
        .filter(|claim| !claim.marks.iter().any(|mark| matches!(mark.target, Target::Checked { .. })))
        .filter(|claim| !is_caption(claim.range.start) && !is_title(&body, claim))
        .filter(|claim| !is_missing(&claim.text) && !is_place(&claim.text))
        .map(|claim| {
            let end = claim.range.start + body[claim.range.clone()].trim_end_matches(['|', ' ']).len();
            Uncited { range: unlinked.linked(claim.range.start..end), text: claim.text }
        })
        .collect()
}

fn in_row(block: &ChartBlock, at: usize) -> bool {
    block.rows.iter().any(|row| row.contains(&at))
}

/// Whether a text is nothing but the place of a chart.
fn is_place(text: &str) -> bool {
    text.strip_prefix("(#insertChart:").is_some_and(|rest| rest.find(')') == Some(rest.len() - 1))
}

/// Whether something only names what follows: the heading of a table, or a line in bold that ends no sentence.
fn is_title(body: &str, claim: &Claim) -> bool {
    let statement = &body[claim.range.clone()];
    if statement.starts_with('|') {
        let next = body[claim.range.end..].lines().nth(1).unwrap_or_default().trim();
        return next.starts_with('|') && next.contains('-') && next.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
    }
    let bold = statement.strip_prefix("**").and_then(|rest| rest.strip_suffix("**"));
    let alone = body[..claim.range.start].chars().next_back().is_none_or(|c| c == '\n')
        && body[claim.range.end..].chars().next().is_none_or(|c| c == '\n');
    alone
        && bold.is_some_and(|inner| {
            !inner.contains("**") && !inner.ends_with(['.', '!', '?', '。', '！', '？', ':', '：'])
        })
}

/// The statements of a report without a citation: what stood in it before stands on what it stood on, as long as a mark of
/// one of those citations is left, and everything else is the writer's own.
pub(crate) fn placed(report: &str, known: &[StatementMessage], charts: &[ChartMessage]) -> Vec<StatementMessage> {
    let by_text: BTreeMap<&str, &StatementMessage> = known.iter().map(|one| (one.text.as_str(), one)).collect();
    let marked = checked_ids(report);
    let mut points = Points { text: report, byte: 0, points: 0 };
    uncited(report, charts)
        .into_iter()
        .map(|one| {
            let before = by_text.get(one.text.as_str());
            let rests = |id: &u32| marked.contains(&u64::from(*id));
            let ids: Vec<u32> = before.iter().flat_map(|one| &one.citation_ids).copied().filter(rests).collect();
            let basis = match before.map(|one| one.basis) {
                Some(StatementBasis::Derived | StatementBasis::Contradicted) if ids.is_empty() => StatementBasis::Own,
                basis => basis.unwrap_or_default(),
            };
            let (start_offset, end_offset) = (points.at(one.range.start), points.at(one.range.end));
            StatementMessage { text: one.text, start_offset, end_offset, basis, citation_ids: ids }
        })
        .collect()
}

impl FinalResult {
    /// The result with another text. Statements that the text still has keep what they stand on, at their new places; new
    /// ones without a citation are the writer's own.
    #[must_use]
    pub fn with_content(mut self, content: String) -> Self {
        self.statement_messages = self.statement_messages.map(|known| placed(&content, &known, &self.chart_messages));
        self.response_content = content;
        self
    }
}

/// Code points before bytes that are asked for in order.
struct Points<'t> {
    text: &'t str,
    byte: usize,
    points: usize,
}

impl Points<'_> {
    fn at(&mut self, byte: usize) -> usize {
        self.points += self.text[self.byte..byte].chars().count();
        self.byte = byte;
        self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "# T\n\n# Abstract\n\n[The abstract could not be written]\n\n# 1. Ones\n\n**A part**\n\n\
        Cited.[checked_citation:0][[1]](https://a.example) It is so. [So it is](#inference:1).\n\n\
        (#insertChart:c)\n\n**Caption**: of it\n\n| a | b |\n| --- | --- |\n| x | 3 |\n\n(#insertChart:fake)\n\n**It was 9.**\n\n\
        | Place | Size |\n|---|---|\n| north | 3 KB |\n\n- 数据库是安全的。\n\n# Reference Articles\n\n[1]. [A](https://a.example)\n";

    fn chart() -> ChartMessage {
        ChartMessage { chart_id: "c".to_owned(), ..ChartMessage::default() }
    }

    #[test]
    fn statements_without_a_citation_are_found_where_they_end() {
        let found = uncited(REPORT, &[chart()]);
        let statements: Vec<(&str, &str)> =
            found.iter().map(|one| (one.text.as_str(), &REPORT[one.range.clone()])).collect();
        assert_eq!(
            statements,
            [
                ("It is so.", "It is so."),
                ("So it is.", "[So it is](#inference:1)."),
                ("x | 3", "| x | 3"),
                ("**It was 9.", "**It was 9."),
                ("north | 3 KB", "| north | 3 KB"),
                ("数据库是安全的。", "- 数据库是安全的。"),
            ]
        );
    }

    #[test]
    fn what_is_known_keeps_its_standing_at_its_new_place() {
        let known = |text: &str, basis| StatementMessage {
            text: text.to_owned(),
            basis,
            citation_ids: vec![0],
            ..StatementMessage::default()
        };
        let known = [known("It is so.", StatementBasis::Derived), known("x | 3", StatementBasis::Contradicted)];
        let found = placed(REPORT, &known, &[chart()]);
        let bases: Vec<StatementBasis> = found.iter().map(|one| one.basis).collect();
        assert_eq!(bases[..3], [StatementBasis::Derived, StatementBasis::Own, StatementBasis::Contradicted]);
        assert!(bases[3..].iter().all(|one| *one == StatementBasis::Own));
        for one in &found {
            let points: String =
                REPORT.chars().skip(one.start_offset).take(one.end_offset - one.start_offset).collect();
            assert!(
                REPORT.contains(&points) && points.contains(one.text.split([' ', '|']).next().unwrap()),
                "{points}"
            );
        }
        // The mark that a statement rests on was taken out.
        let without = REPORT.replace("[checked_citation:0][[1]](https://a.example)", "");
        assert!(placed(&without, &known, &[chart()]).iter().all(|one| one.basis == StatementBasis::Own));
    }
}
