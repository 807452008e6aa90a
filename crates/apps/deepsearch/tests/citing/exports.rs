//! Files for readers: nothing acts, nothing comes from outside, everything resolves.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use graphloom_deepsearch::export::{html, markdown};
use graphloom_deepsearch::state::{ChartMessage, CitationMessage, FinalResult, InferMessage, Locale, Verdict};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

use super::page;

fn result() -> FinalResult {
    let mut result = FinalResult::default();
    result.response_content = "# T <script>alert(1)</script>\n\nA fact.[checked_citation:0][[1]](https://a.example/x) A lie.[checked_citation:1][[2]](javascript:alert(1)) \
        [So it is.](#inference:1) <img src=x onerror=alert(1)> [click](javascript:alert(2)) ![pic](https://evil.example/p.png)\n\n(#insertChart:chart_1_1)\n\n**Sizes b**: How large\n\n| Place | Size |\n| --- | --- |\n| north | 3 KB[checked_citation:0][[1]](https://a.example/x) |\n\n\
        ## Part\n\n``` \"><script>\ncode\n```\n\n| a |\n|---|\n| b |\n\n# Reference Articles\n\n[1]. [A](https://a.example/x)\n"
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
    assert!(
        page.contains("<text>bars</text></svg></div>\n<figcaption><strong>Sizes b</strong>: How large</figcaption>")
    );
    assert_eq!(page.matches("How large").count(), 1, "a caption stands once");
    assert!(page.contains("<td>3 KB<a class=\"cite supported\" href=\"#e0\""), "each datum has a link");
    assert!(page.contains("<table>") && page.contains("Citations: 1 supported · 1 not found in the source"));
    let expected = page::Counted { citations: 3, marked: 2, inferences: 1, drawings: 2, contents: 2 };
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
    let text = markdown(&result(), Locale::English);
    assert!(
        text.contains("A fact.[\\[1\\]](https://a.example/x) A lie.\\[2\\]") && text.contains(" So it is. "),
        "{text}"
    );
    assert!(text.contains("![Sizes b](data:image/svg+xml;base64,"));
    assert!(text.contains("\n\n**Sizes b**: How large\n\n| Place | Size |"), "a caption stands once: {text}");
    assert!(!text.contains("checked_citation") && !text.contains("#inference") && !text.contains("#insertChart"));
    assert!(!text.contains("evil.example") && !text.contains("](javascript:"), "{text}");
    assert_acts_not(&text);
}

#[test]
fn a_report_of_an_older_version_has_its_captions_once_too() {
    let mut result = result();
    result.response_content = "# T\n\nText.\n\n(#insertChart:chart_1_1)\n\n<font size=2>**Sizes b**: How large</font>[checked_citation:0][[1]](https://a.example/x)\n".into();
    let page = html(&result, Locale::English);
    assert!(!page.contains("font size") && page.matches("How large").count() == 1, "{page}");
    let text = markdown(&result, Locale::English);
    assert!(!text.contains("font") && text.contains("**Sizes b**: How large["), "{text}");
}

#[test]
fn citations_that_no_mark_leads_to_are_neither_counted_nor_shown() {
    let mut result = result();
    // A person has taken the second statement out.
    result.response_content = "# T\n\nA fact.[checked_citation:0][[1]](https://a.example/x)\n".into();
    let page = html(&result, Locale::English);
    assert!(page.contains("<p class=\"summary\">Citations: 1 supported</p>") && !page.contains("id=\"e1\""), "{page}");
    assert_eq!(page::read(&page).citations, 1);
}

#[test]
fn files_stand_with_their_path_and_lead_nowhere() {
    let mut result = result();
    result.response_content = "# T\n\nA fact.[checked_citation:0][[1]](docs/the%20log.md)\n\n# References\n\n[1]. [The log](docs/the%20log.md)\n".into();
    result.citation_messages.data[0].url = "docs/the log.md".into();
    let text = markdown(&result, Locale::English);
    assert!(text.contains("A fact.\\[1\\]\n") && text.contains("[1]. The log, `docs/the log.md`\n"), "{text}");
    let page = html(&result, Locale::English);
    assert!(page.contains("[1]. The log, <code>docs/the log.md</code>"), "{page}");
    assert_eq!(page::read(&page).citations, 1);
}

/// A reader of Markdown finds nothing that acts: no HTML, no picture but the charts, no link but to the web.
fn assert_acts_not(text: &str) {
    for options in [Options::empty(), Options::ENABLE_TABLES, Options::all()] {
        for event in Parser::new_ext(text, options) {
            match event {
                Event::Html(html) | Event::InlineHtml(html) => panic!("{html:?} in {text:?}"),
                Event::Start(Tag::Image { dest_url, .. }) => {
                    assert!(dest_url.starts_with("data:image/svg+xml;base64,"), "{dest_url} in {text:?}");
                }
                Event::Start(Tag::Link { dest_url, .. }) => {
                    let lower = dest_url.to_ascii_lowercase();
                    assert!(lower.starts_with("http://") || lower.starts_with("https://"), "{dest_url} in {text:?}");
                }
                _ => {}
            }
        }
    }
}

/// What sources and models may have written, put together in any order.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<",
        ">",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?x",
        "</p>",
        "<a href=x onclick=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](<javascript:alert(1)>)",
        "![p](https://evil.example/p)",
        "![p](data:text/html,x)",
        "[a]: javascript:x",
        "[a][a]",
        "[a]",
        "[b]: <docs/x> \"<b>\"",
        "[[1]](https://a.example)",
        "[[1]](docs/a.md)",
        "[[page|x]]",
        "[1]. [t](javascript:x)",
        "[1]. [t](docs/a b.md)",
        "![",
        "[",
        "](",
        ")",
        "]",
        "![[x]]",
        "<javascript:x>",
        "<mailto:a@b.example>",
        "<a@b.example>",
        "<https://a.example/>",
        "&lt;img src=x&gt;",
        "\\",
        "`",
        "``",
        "```",
        "~~~",
        "    ",
        "\t",
        "$",
        "$$",
        "[^1]",
        "[^1]: ",
        "> ",
        "- ",
        "# ",
        "| a |",
        "|---|",
        "---",
        "+++",
        "{#id .c}",
        ":",
        "*",
        "_",
        "\n",
        "\n\n",
        "[checked_citation:0][[1]](https://a.example/x)",
        "[checked_citation:1][[2]](javascript:alert(2))",
        "(#insertChart:chart_1_1)",
        "<font size=2>**",
        "**T**: d</font>",
        "[So](#inference:1)",
        "\u{f8f0}c0\u{f8f1}",
        "\u{f8f0}p0\u{f8f1}",
        "\u{202e}",
        "word",
        "&#60;b&#62;",
        "http://a.example",
        "\r",
        "\u{2028}",
    ]);
    prop::collection::vec(prop_oneof![8 => pieces.prop_map(str::to_owned), 1 => "\\PC{0,4}"], 0..40)
        .prop_map(|all| all.concat())
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
        assert_acts_not(&markdown(&result, Locale::English));
    }

    #[test]
    fn no_file_acts_whatever_sources_say(text in hostile(), title in hostile(), sentence in hostile()) {
        let mut result = result();
        let title_line = title.replace(['\n', '\r'], " ");
        result.response_content = format!(
            "# T\n\n{text}\n\n{sentence}[checked_citation:0][[1]](https://a.example/x)\n\n(#insertChart:chart_1_1)\n\n\
             # Reference Articles\n\n[1]. [{title_line}](https://a.example/x)\n\n[2]. [{title_line}](docs/{title_line})\n"
        );
        result.chart_messages[0].chart_title.clone_from(&title);
        result.citation_messages.data[0].title.clone_from(&title);
        result.citation_messages.data[0].content = format!("before <mark>{sentence}</mark>");
        result.infer_messages[0].conclusion = sentence;
        assert_acts_not(&markdown(&result, Locale::English));
        page::read(&html(&result, Locale::English));
    }
}
