//! The report as one page.

use std::collections::{BTreeMap, BTreeSet};

use graphloom_citations::{Target, checked_ids, replace_marks};

use super::body::body;
use super::contents::contents;
use super::panels::{inference, source, source_head, word};
use super::placeholders::{CLOSE, OPEN, with_charts};
use super::references::with_paths;
use super::unchecked_signs::{legend, with_signs};
use crate::markup::escape;
use crate::state::{CitationMessage, FinalResult, Locale, Verdict};

/// Colours for light and dark, panels that open when they are the target of a link, and what is printed.
const STYLE: &str = include_str!("report.css");

/// The report as one HTML file. A citation opens its source with what supports the statement marked; a linked conclusion
/// opens what it rests on; charts and drawings stand in the page; statements that nothing checked says bear a sign. There is no script, and nothing comes from outside. In
/// print the passages stand at the end, source by source.
pub fn html(result: &FinalResult, language: Locale) -> String {
    // Characters for private use are not shown, so no place stands in what others wrote.
    let plain = graphloom_retrieval::visible_text(&with_signs(result, language));
    let text = replace_marks(&plain, |mark| match mark.target {
        Target::Checked { id, .. } => Some(format!("{OPEN}c{id}{CLOSE}")),
        _ => None,
    });
    let text = with_charts(&with_paths(&text), |id| {
        let place = result.chart_messages.iter().position(|chart| chart.chart_id == id)?;
        Some(format!("{OPEN}p{place}{CLOSE}"))
    });
    let body = body(&text, result, language);
    let title = body.headings.first().map_or("Report", |heading| heading.text.trim());
    // After a change of the text, citations without a mark are no part of it.
    let marked = checked_ids(&plain);
    let citations: Vec<&CitationMessage> =
        result.citation_messages.data.iter().filter(|one| marked.contains(&u64::from(one.id))).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"{language_name}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{head}<p class=\"summary\">{summary}</p>\n{legend}\
         {contents}{rest}</main>\n{notes}{sources}{inferences}</body>\n</html>\n",
        language_name = language.as_str(),
        title = escape(title),
        head = body.head,
        summary = counted(&citations, language),
        legend = legend(result, language).map_or_else(String::new, |line| format!("<p class=\"summary\">{line}</p>\n")),
        contents = contents(&body.headings, language),
        rest = body.rest,
        notes = notes(result, language),
        sources = by_source(&citations, language),
        inferences = inferences(result, language),
    )
}

/// One line on the verdicts.
fn counted(citations: &[&CitationMessage], language: Locale) -> String {
    let count = |verdict| citations.iter().filter(|citation| citation.verdict == verdict).count();
    let all = [Verdict::Supported, Verdict::Contradicted, Verdict::NotFound, Verdict::NotChecked];
    let parts: Vec<String> = all
        .into_iter()
        .filter(|verdict| count(*verdict) > 0)
        .map(|verdict| format!("{} {}", count(verdict), word(verdict, language)))
        .collect();
    match parts.is_empty() {
        true => language.pick("没有核查过的引用", "no citations were checked").to_owned(),
        false => format!("{}: {}", language.pick("引用", "Citations"), parts.join(" · ")),
    }
}

/// The passages of the citations, source by source in the order of the list of references.
fn by_source(citations: &[&CitationMessage], language: Locale) -> String {
    let mut groups: BTreeMap<u32, Vec<&CitationMessage>> = BTreeMap::new();
    for citation in citations {
        groups.entry(citation.reference_index).or_default().push(citation);
    }
    let mut seen = BTreeSet::new();
    let groups: String = groups
        .values()
        .map(|group| {
            let panels: String =
                group.iter().filter(|one| seen.insert(one.id)).map(|one| source(one, language)).collect();
            format!("<section class=\"source\">{}{panels}</section>\n", source_head(group))
        })
        .collect();
    match groups.is_empty() {
        true => groups,
        false => format!(
            "<div class=\"sources\"><h2 class=\"printed\">{}</h2>\n{groups}</div>\n",
            language.pick("来源原文", "What the sources say")
        ),
    }
}

/// What conclusions rest on.
fn inferences(result: &FinalResult, language: Locale) -> String {
    let panels: String = result.infer_messages.iter().map(inference).collect();
    match panels.is_empty() {
        true => panels,
        false => format!(
            "<div class=\"sources\"><h2 class=\"printed\">{}</h2>\n{panels}</div>\n",
            language.pick("结论的依据", "What conclusions rest on")
        ),
    }
}

/// What went wrong in the run, folded.
fn notes(result: &FinalResult, language: Locale) -> String {
    let lines: Vec<&str> =
        result.exception_info.lines().chain(result.warning_info.lines()).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return String::new();
    }
    let items: String = lines.iter().map(|line| format!("<li>{}</li>", escape(line))).collect();
    let name = language.pick("运行提示", "Notes of the run");
    format!("<footer><details><summary>{name} ({})</summary><ul>{items}</ul></details></footer>\n", lines.len())
}
