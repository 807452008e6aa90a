//! The order of a report: title, abstract, chapters, conclusion, references.

use graphloom_text::markdown::close;
use graphloom_text::{link_target, link_words};

use super::references::{Reference, number_citations};
use crate::evidence::canonical;
use crate::markup::{MISSING, renumber, without_references};
use crate::state::{Locale, SubReport, TraceSource};

/// A chapter, with the sentence that leads to the next.
#[derive(Clone, Debug)]
pub struct Chapter<'a> {
    /// The section's report.
    pub report: &'a SubReport,
    /// What leads to the next chapter; empty for nothing.
    pub transition: String,
}

/// What a report is made of.
#[derive(Clone, Debug)]
pub struct Parts<'a> {
    /// The language of the headings.
    pub language: Locale,
    /// The title.
    pub title: &'a str,
    /// The chapters, in order.
    pub chapters: Vec<Chapter<'a>>,
    /// The abstract; none when it could not be written.
    pub summary: Option<String>,
    /// The conclusion; none when it could not be written.
    pub conclusion: Option<String>,
}

/// The report in Markdown, and the citations of the traced sections in its order.
///
/// Traced sections keep their `[source_tracer_result]` marks for the check of the whole report. The others get numbers at
/// once. The list of references counts addresses in the order of the text.
pub fn assemble(parts: &Parts<'_>) -> (String, Vec<TraceSource>) {
    let language = parts.language;
    let missing = |(chinese, english)| format!("[{}]", language.pick(chinese, english));
    let mut text = format!("# {}\n\n# {}\n\n", parts.title, language.pick("摘要", "Abstract"));
    let summary = parts.summary.as_deref().map(without_headings).filter(|summary| !summary.is_empty());
    text.push_str(&summary.unwrap_or_else(|| missing(MISSING[0])));
    text.push_str("\n\n");
    let mut references: Vec<Reference> = Vec::new();
    let mut traces = Vec::new();
    for (number, chapter) in (1..).zip(&parts.chapters) {
        let content = &chapter.report.content;
        let body = close(&without_references(&content.text)).text;
        for trace in &content.trace {
            if references.iter().all(|known| canonical(&known.url) != canonical(&trace.url)) {
                references.push(Reference { title: trace.title.clone(), url: trace.url.clone() });
            }
            traces.push(trace.clone());
        }
        let body = number_citations(&body, &content.classified_content, &mut references);
        text.push_str(renumber(number, &chapter.report.section_task, &body).trim_end());
        text.push_str("\n\n");
        if !chapter.transition.is_empty() {
            text.push_str(&chapter.transition);
            text.push_str("\n\n");
        }
    }
    text.push_str(&format!("# {}\n\n", language.pick("结论", "Conclusion")));
    let conclusion = parts.conclusion.as_deref().map(without_headings).filter(|conclusion| !conclusion.is_empty());
    text.push_str(&conclusion.unwrap_or_else(|| missing(MISSING[1])));
    text.push('\n');
    if !references.is_empty() {
        text.push_str(&format!("\n# {}\n\n", language.pick("参考文章", "Reference Articles")));
        for (number, reference) in (1..).zip(&references) {
            let title = if reference.title.is_empty() { &reference.url } else { &reference.title };
            text.push_str(&format!("[{number}]. [{}]({})\n\n", link_words(title), link_target(&reference.url)));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    (text, traces)
}

/// A text without its headings, which would count as chapters.
fn without_headings(text: &str) -> String {
    let lines: Vec<&str> = crate::markup::lines(text)
        .filter(|(line, plain)| !(*plain && crate::markup::heading(line).is_some()))
        .map(|(line, _)| line)
        .collect();
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Document;
    use crate::state::SubReportContent;

    #[test]
    fn a_report_has_the_order_of_the_original() {
        let mut one = SubReport { section_task: "First".into(), ..SubReport::default() };
        one.content = SubReportContent {
            classified_content: vec![Document::new("https://a.example", "A", "t")],
            text: "# 1 First\nFact [citation:1].\n\n# References\n1. A".into(),
            ..SubReportContent::default()
        };
        let mut two = SubReport { section_task: "Second".into(), ..SubReport::default() };
        two.content.text = "Traced [source_tracer_result][B](https://b.example).".into();
        two.content.trace =
            vec![TraceSource { title: "B".into(), url: "https://b.example".into(), ..TraceSource::default() }];
        let chapters = vec![
            Chapter { report: &one, transition: "Then.".into() },
            Chapter { report: &two, transition: String::new() },
        ];
        let parts = Parts {
            language: Locale::English,
            title: "T",
            chapters,
            summary: Some("# Abstract\nShort.".into()),
            conclusion: None,
        };
        let (text, traces) = assemble(&parts);
        let expected = "# T\n\n# Abstract\n\nShort.\n\n# 1. First\nFact [[1]](https://a.example).\n\nThen.\n\n# 2. Second\n\
            Traced [source_tracer_result][B](https://b.example).\n\n# Conclusion\n\n[The conclusion could not be written]\n\n\
            # Reference Articles\n\n[1]. [A](https://a.example)\n\n[2]. [B](https://b.example)\n";
        assert_eq!(text, expected);
        assert_eq!(traces.len(), 1);
    }
}
