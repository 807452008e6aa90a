//! The basis of statements without a citation. The abstract and the conclusion consist of such statements.
//!
//! A statement without a citation is derived when a statement with supported citations has the same words, or when the
//! judge finds that such statements entail it. The statement is contradicted when they contradict it, and not checked
//! when the judge fails. Every other statement without a citation is the writer's own.

use std::collections::BTreeMap;
use std::ops::Range;

use graphloom_agents::Strategy;
use graphloom_citations::Verdict as Found;
use graphloom_citations::{
    Basis, CheckOptions, Checked, Examined, OpenClaim, Question, SourceText, Span, Target, claims, examine,
};
use graphloom_core_graph::{Context, NodeError};

use super::judge::ModelJudge;
use crate::config::Config;
use crate::markup::{placed, uncited, without_references};
use crate::resources::{Resources, Slot};
use crate::state::{ChartMessage, CitationMessage, StatementBasis, StatementMessage, Verdict};
use crate::status::Notice;

/// The statements of a report without a citation, each with its basis.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct UncitedStatements {
    /// The statements without a citation, in order.
    pub(crate) statements: Vec<StatementMessage>,
    /// Failures of the check.
    pub(crate) notices: Vec<Notice>,
    /// Remarks for the user.
    pub(crate) notes: Vec<String>,
}

/// Looks up each statement without a citation in the statements whose citations are supported. A model that answers
/// inside a grammar is not asked; then only a statement that repeats a checked statement is derived from it.
///
/// # Errors
/// Only errors that no model caused.
pub(crate) async fn check_uncited(
    cx: &Context<Resources>,
    content: &str,
    citations: &[CitationMessage],
    charts: &[ChartMessage],
    config: &Config,
) -> Result<UncitedStatements, NodeError> {
    let basis = SupportedText::of(content, citations);
    let mut known: BTreeMap<String, (StatementBasis, Vec<u32>)> = BTreeMap::new();
    let mut open: Vec<(String, OpenClaim)> = Vec::new();
    for statement in uncited(content, charts) {
        if known.contains_key(&statement.text) {
            continue;
        }
        known.insert(statement.text.clone(), (StatementBasis::Own, Vec::new()));
        match examine(&statement.text, SourceText::new("", &basis.text), CheckOptions::default()) {
            Examined::Decided(checked) => {
                known.insert(statement.text, basis.verdict_basis(&checked));
            }
            Examined::Undecided(question) => open.push((statement.text, question)),
        }
    }
    let mut out = UncitedStatements::default();
    if cx.resources().strategy(Slot::WritingChecking) == Strategy::Free {
        ask(cx, open, &basis, &mut known, &mut out.notices, config).await?;
    }
    let known: Vec<StatementMessage> = known
        .into_iter()
        .map(|(text, (basis, citation_ids))| StatementMessage {
            text,
            basis,
            citation_ids,
            ..StatementMessage::default()
        })
        .collect();
    out.statements = placed(content, &known, charts);
    out.notes.extend(summary_line(&out.statements));
    Ok(out)
}

/// Asks the judge about the statements that no rule decided.
async fn ask(
    cx: &Context<Resources>,
    open: Vec<(String, OpenClaim)>,
    basis: &SupportedText,
    known: &mut BTreeMap<String, (StatementBasis, Vec<u32>)>,
    notices: &mut Vec<Notice>,
    config: &Config,
) -> Result<(), NodeError> {
    let questions: Vec<&Question> = open.iter().map(|(_, open)| &open.question).collect();
    let (answers, missed) = ModelJudge::new(cx).judge_in_batches("trace/verify/uncited", &questions, config).await?;
    let all = known.len();
    for ((text, question), answer) in open.into_iter().zip(answers) {
        known.insert(text, basis.verdict_basis(&question.close(answer.map_err(Into::into))));
    }
    notices.extend(missed.into_iter().map(|(code, (count, why))| {
        Notice::exception(code, format!("{count} of {all} statements without a citation were not looked up: {why}"))
    }));
    Ok(())
}

/// One line on the statements without a citation.
fn summary_line(statements: &[StatementMessage]) -> Option<String> {
    let count = |basis| statements.iter().filter(|one| one.basis == basis).count();
    let (derived, against, open) =
        (count(StatementBasis::Derived), count(StatementBasis::Contradicted), count(StatementBasis::NotChecked));
    let own = statements.len() - derived - against - open;
    (!statements.is_empty()).then(|| {
        format!(
            "{} statements have no citation: {derived} rest on checked ones, {own} are the writer's own, {against} are \
             against a checked one, {open} were not looked up",
            statements.len()
        )
    })
}

/// The statements of a report whose citations are supported, as one text.
struct SupportedText {
    text: String,
    /// The byte range of each statement in `text`, and the ids of its supported citations.
    statements: Vec<(Range<usize>, Vec<u32>)>,
}

impl SupportedText {
    fn of(content: &str, citations: &[CitationMessage]) -> Self {
        let verdicts: BTreeMap<u64, Verdict> = citations.iter().map(|one| (u64::from(one.id), one.verdict)).collect();
        let mut basis = Self { text: String::new(), statements: Vec::new() };
        for claim in claims(&without_references(content)) {
            let ids = claim.marks.iter().filter_map(|mark| match mark.target {
                Target::Checked { id, .. } => Some(id),
                _ => None,
            });
            let (mut supported, mut disputed) = (Vec::new(), false);
            for id in ids {
                match verdicts.get(&id) {
                    Some(Verdict::Supported) => supported.extend(u32::try_from(id)),
                    Some(Verdict::Contradicted) => disputed = true,
                    _ => {}
                }
            }
            if !supported.is_empty() && !disputed {
                let start = basis.text.len();
                basis.text.push_str(&claim.text);
                basis.statements.push((start..basis.text.len(), supported));
                basis.text.push_str("\n\n");
            }
        }
        basis
    }

    /// The basis of a statement, and the ids of its citations, by the verdict of this text on the statement.
    fn verdict_basis(&self, checked: &Checked) -> (StatementBasis, Vec<u32>) {
        match &checked.verdict {
            Found::Supported { span } => (StatementBasis::Derived, self.citations(*span)),
            Found::Contradicted { span } => (StatementBasis::Contradicted, self.citations(*span)),
            // It was looked up, and nobody is sure that it rests on them.
            Found::NotChecked { .. } if checked.basis == Basis::Doubt => (StatementBasis::Own, Vec::new()),
            Found::NotChecked { .. } => (StatementBasis::NotChecked, Vec::new()),
            _ => (StatementBasis::Own, Vec::new()),
        }
    }

    /// The ids of the citations of the statements that a span touches.
    fn citations(&self, span: Span) -> Vec<u32> {
        let touched = self.statements.iter().filter(|(range, _)| range.start < span.end && span.start < range.end);
        touched.flat_map(|(_, ids)| ids).copied().collect()
    }
}
