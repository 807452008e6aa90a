//! Files for readers: nothing acts, nothing comes from outside, everything resolves.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use graphloom_deepsearch::export::{html, markdown};
use graphloom_deepsearch::state::{ChartMessage, CitationMessage, FinalResult, InferMessage, Locale, Verdict};
use proptest::prelude::*;

use crate::page;

fn result() -> FinalResult {
    let mut result = FinalResult::default();
    result.response_content = "# T <script>alert(1)</script>\n\nA fact.[checked_citation:0][[1]](https://a.example/x) A lie.[checked_citation:1][[2]](javascript:alert(1)) \
        [So it is.](#inference:1) <img src=x onerror=alert(1)> [click](javascript:alert(2)) ![pic](https://evil.example/p.png)\n\n(#insertChart:chart_1_1)\n\n\
        ``` \"><script>\ncode\n```\n\n| a |\n|---|\n| b |\n\n# Reference Articles\n\n[1]. [A](https://a.example/x)\n"
        .to_owned();
    let mut good = CitationMessage::default();
    good.id = 0;
    good.reference_index = 1;
    good.title = "A \"><script>alert(3)</script>".into();
    good.url = "https://a.example/x".into();
    good.content = "Before &lt;mark&gt; it <mark>the fact</mark> after </aside><script>alert(4)</script>".into();
    good.verdict = Verdict::Supported;
    let mut bad = CitationMessage::default();
    bad.id = 1;
    bad.reference_index = 2;
    bad.url = "javascript:alert(5)".into();
    bad.content = "nothing".into();
    bad.verdict = Verdict::NotFound;
    result.citation_messages.data = vec![good, bad];
    let mut infer = InferMessage::default();
    infer.id = 1;
    infer.conclusion = "So it is.".into();
    infer.html_base64 =
        STANDARD.encode("<html><svg id=\"x\"><defs><marker id=\"arrow\"/></defs><text>drawn</text></svg></html>");
    result.infer_messages = vec![infer];
    let mut chart = ChartMessage::default();
    chart.chart_id = "chart_1_1".into();
    chart.chart_title = "Sizes <b>".into();
    chart.base64 = STANDARD.encode("<svg><text>bars</text></svg>");
    result.chart_messages = vec![chart];
    result
}

#[test]
fn the_page_opens_sources_and_runs_nothing() {
    let page = html(&result(), Locale::English);
    assert!(page.contains("<a class=\"cite supported\" id=\"c0\" href=\"#e0\""));
    assert!(
        page.contains("id=\"e0\"")
            && page.contains("<mark>the fact</mark>")
            && page.contains("Before &lt;mark&gt; it ")
    );
    assert!(page.contains("<a class=\"cite not_found\" id=\"c1\" href=\"#e1\""));
    assert!(page.contains("<a class=\"infer\" id=\"i1\" href=\"#inference-1\">So it is.</a>"));
    assert!(page.contains("<text>drawn</text>") && page.contains("id=\"arrow1\""));
    assert!(page.contains("<text>bars</text></svg><figcaption>Sizes &lt;b&gt;</figcaption>"));
    assert!(page.contains("<table>") && page.contains("Citations: 1 supported · 1 not found in the source"));
    let expected = page::Counted { citations: 2, marked: 1, inferences: 1, drawings: 2 };
    assert_eq!(page::read(&page), expected, "a citation that is not found has nothing to mark");
    assert!(!page.contains("evil.example"), "no picture from outside");
}

#[test]
fn a_drawing_that_acts_is_only_a_picture() {
    let mut result = result();
    for drawn in [
        "<svg onload=alert(1)></svg>",
        "<svg><script>alert(1)</script></svg>",
        "<svg><a href='javascript:x'></a></svg>",
        "<svg><image href='https://evil.example'/></svg>",
    ] {
        result.chart_messages[0].base64 = STANDARD.encode(drawn);
        let page = html(&result, Locale::English);
        assert!(page.contains("<img alt=\"Sizes &lt;b&gt;\" src=\"data:image/svg+xml;base64,"), "{drawn}");
        assert_eq!(page::read(&page).drawings, 1, "only that of the conclusion");
    }
}

#[test]
fn the_markdown_has_no_marks_of_programs() {
    let text = markdown(&result());
    assert!(text.contains("A fact.[[1]](https://a.example/x)") && text.contains(" So it is. "));
    assert!(text.contains("![Sizes <b>](data:image/svg+xml;base64,"));
    assert!(!text.contains("checked_citation") && !text.contains("#inference") && !text.contains("#insertChart"));
}

proptest! {
    #[test]
    fn whatever_is_written_acts_not(
        text in "(\\PC|\n|<script>|<a href=x onclick=alert\\(1\\)>|\\[x\\]\\(javascript:alert\\(1\\)\\)|\u{f8f0}c0\u{f8f1}|\\[checked_citation:0\\]|```|# |\\| a \\||<!--|]]>){0,40}",
        title in "\\PC{0,20}"
    ) {
        let mut result = result();
        result.response_content = text;
        result.citation_messages.data[0].title.clone_from(&title);
        result.citation_messages.data[0].content = title;
        page::read(&html(&result, Locale::Chinese));
        let _ = markdown(&result);
    }
}
