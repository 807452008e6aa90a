//! The sign behind statements that only the writer vouches for, and its legend.

use std::borrow::Cow;

use crate::markup::Unit;
use crate::markup::placed;
use crate::state::{FinalResult, Locale, StatementBasis, StatementMessage};

/// The sign. Readers of Markdown take it for punctuation, so it harms no emphasis that ends before it.
pub(super) const SIGN: char = '†';

/// The text of a report with the sign behind each statement that no checked statement supports.
pub(super) fn with_signs(result: &FinalResult, language: Locale) -> Cow<'_, str> {
    let text = &result.response_content;
    let Some(statements) = statements(result) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len() + 64);
    let mut from = 0;
    for one in statements.iter().filter(|one| one.basis != StatementBasis::Derived) {
        let Some(end) = Unit::CodePoints.byte(text, one.end_offset).filter(|end| *end >= from) else { continue };
        let statement = &text[from..end];
        out.push_str(statement);
        // An address would take the sign for its own.
        let last = statement.split_whitespace().next_back().unwrap_or_default();
        if last.contains("://") || last.starts_with("www.") {
            out.push(' ');
        }
        out.push(SIGN);
        if one.basis == StatementBasis::Contradicted {
            out.push_str(language.pick("（与已核查的陈述矛盾）", " *(a checked statement says otherwise)*"));
        }
        from = end;
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// The statements without a citation in the current text; `None` when they were not looked up.
fn statements(result: &FinalResult) -> Option<Vec<StatementMessage>> {
    let known = result.statement_messages.as_deref()?;
    // A text that was put in the place of another one has other statements.
    Some(placed(&result.response_content, known, &result.chart_messages))
}

/// The legend of the sign with the count of all statements without a citation; `None` when there are no such statements.
pub(super) fn legend(result: &FinalResult, language: Locale) -> Option<String> {
    let statements = statements(result).filter(|all| !all.is_empty())?;
    let count = |basis| statements.iter().filter(|one| one.basis == basis).count();
    let (derived, open) = (count(StatementBasis::Derived), count(StatementBasis::NotChecked));
    let own = statements.len() - derived;
    let mut line = match language {
        Locale::Chinese => {
            format!("没有引用的陈述：{} 条。其中 {derived} 条与已核查的陈述一致", statements.len())
        }
        Locale::English => {
            let have = if statements.len() == 1 { "statement has" } else { "statements have" };
            let rest = if derived == 1 { "rests" } else { "rest" };
            format!("{} {have} no citation: {derived} {rest} on checked statements", statements.len())
        }
    };
    if own > 0 {
        line.push_str(&match language {
            Locale::Chinese => {
                format!("，{own} 条带 {SIGN}，是作者自己的话：没有找到支持它的引用或已核查的陈述")
            }
            Locale::English => format!(
                ", {own} with {SIGN} {} the writer's own, for which no cited passage and no checked statement was found",
                if own == 1 { "is" } else { "are" }
            ),
        });
    }
    if open > 0 {
        line.push_str(&match language {
            Locale::Chinese => format!("（其中 {open} 条未能查找）"),
            Locale::English => format!(" ({open} of these could not be looked up)"),
        });
    }
    line.push_str(language.pick("。", "."));
    Some(line)
}
