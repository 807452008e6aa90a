//! The self-contained page of one conclusion.

use std::collections::BTreeMap;

use super::provenance::{Kind, Provenance};
use super::svg::draw;
use crate::markup::{escape, safe_href};
use crate::state::Locale;

/// The page: the conclusion, the drawing, a legend, the inference in words, and the records. The page has no script and
/// loads nothing.
pub(super) fn page(
    conclusion: &str,
    inference: &str,
    graph: &Provenance,
    origins: &BTreeMap<u32, usize>,
    language: Locale,
) -> String {
    let mut records: Vec<_> =
        graph.nodes().filter(|(_, node)| node.kind == Kind::Record).map(|(_, node)| node).collect();
    records.sort_by_key(|node| node.number);
    let list: String = records
        .iter()
        .map(|node| {
            let title = escape(if node.text.is_empty() { &node.url } else { &node.text });
            let shown = match safe_href(&node.url) {
                Some(url) => format!("<a href=\"{url}\" rel=\"noopener noreferrer\">{title}</a>"),
                None => format!("{title} <small>{}</small>", escape(&node.url)),
            };
            format!("<li value=\"{}\">{shown}</li>\n", node.number.unwrap_or_default())
        })
        .collect();
    let (places, against) = graph.independence(origins);
    let count = match language {
        Locale::Chinese => format!("{places} 个独立来源支持，{against} 个记录相反"),
        Locale::English => {
            let (places, against) = (counted(places, "independent place"), counted(against, "record"));
            format!("supported from {places}, contradicted by {against}")
        }
    };
    let legend = language.pick(
        "蓝框：引用的记录 · 灰框：陈述 · 黄框：结论 · 虚线：相反",
        "blue: cited records · grey: statements · yellow: the conclusion · dashed: speaks against it",
    );
    let steps: String = inference.lines().map(|line| format!("<p>{}</p>\n", escape(line))).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>{title}</title><style>body{{font:15px/1.5 sans-serif;margin:2rem;max-width:70rem}}figure{{margin:1rem 0;overflow-x:auto}}\
         small,figcaption{{color:#666}}</style></head><body>\n<h1>{title}</h1>\n<figure>{}<figcaption>{legend}</figcaption></figure>\n\
         <p><small>{count}</small></p>\n{steps}<ol>\n{list}</ol>\n</body></html>\n",
        language.as_str(),
        draw(graph),
        title = escape(conclusion),
    )
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
