//! A report's page as a browser would read it: every citation opens a marked source, nothing acts, nothing is loaded.

use dom_query::{Document, NodeRef, Selection};

/// What a page holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) citations: usize,
    pub(crate) marked: usize,
    pub(crate) inferences: usize,
    pub(crate) drawings: usize,
    pub(crate) contents: usize,
}

/// Elements that a page of a report never has.
const FORBIDDEN: &str = "script, iframe, frame, object, embed, link, base, form, input, button, audio, video, source, \
                         track, portal, template, foreignobject, use, image, animate, set";

/// Reads a page and checks it.
pub(crate) fn read(page: &str) -> Counted {
    let document = Document::from(page);
    assert_eq!(document.select(FORBIDDEN).length(), 0, "{page}");
    for node in document.select("*").nodes() {
        harmless(node);
    }
    for style in &document.select("style") {
        let text = style.text().to_lowercase();
        assert!(!text.contains("url(") && !text.contains("@import"), "{text}");
    }
    let target = |link: &Selection<'_>| {
        let href = link.attr("href").expect("a link leads somewhere");
        let id = href.strip_prefix('#').unwrap_or_else(|| panic!("{href} leads out of the page")).to_owned();
        let found = document.select(&format!("[id=\"{id}\"]"));
        assert_eq!(found.length(), 1, "{href} leads to one place");
        found
    };
    let mut counted = Counted { citations: 0, marked: 0, inferences: 0, drawings: 0, contents: 0 };
    for link in &document.select("main a.cite") {
        let source = target(&link);
        assert!(source.has_class("panel"), "a citation opens its source");
        let mark = source.select("blockquote mark");
        assert_eq!(mark.length(), 1, "{}", source.html());
        counted.marked += usize::from(!mark.text().trim().is_empty());
        assert!(source.select(".verdict").exists(), "it has a verdict");
        let back = target(&source.select("a.close").iter().next().expect("a panel can be closed"));
        assert!(back.has_class("cite"), "which leads back to a citation");
        counted.citations += 1;
    }
    for link in &document.select("main a.infer") {
        let panel = target(&link);
        assert!(panel.select("svg").exists(), "a conclusion shows what it rests on: {}", panel.html());
        counted.inferences += 1;
    }
    for link in &document.select("main nav.contents a") {
        let heading = target(&link);
        assert!(heading.is("h2, h3"), "the contents lead to chapters and their parts: {}", heading.html());
        counted.contents += 1;
    }
    counted.drawings = document.select("figure svg").length();
    let policy = document.select("meta[http-equiv=\"Content-Security-Policy\"]").attr("content");
    assert!(policy.is_some_and(|policy| policy.starts_with("default-src 'none'")), "browsers are told, too");
    counted
}

/// No attribute acts or loads.
fn harmless(node: &NodeRef<'_>) {
    let name = node.node_name().unwrap_or_default();
    for attribute in node.attrs() {
        let (key, value) = (attribute.name.local.to_string().to_lowercase(), attribute.value.to_string());
        let shown = format!("<{name} {key}=\"{value}\">");
        assert!(!key.starts_with("on"), "{shown}");
        match key.as_str() {
            "href" => {
                let fine = ["#", "http://", "https://"].iter().any(|scheme| value.starts_with(scheme));
                assert!(fine && &*name == "a", "{shown}");
            }
            "src" => assert!(&*name == "img" && value.starts_with("data:image/svg+xml;base64,"), "{shown}"),
            "style" | "srcset" | "background" | "poster" | "action" | "formaction" | "ping" | "data" => {
                panic!("{shown}");
            }
            // Parts of a drawing may name other parts of it.
            _ => assert!(!value.contains("url(") || value.starts_with("url(#"), "{shown}"),
        }
    }
}
