//! Full texts in JATS, the form in which journals of medicine and biology deposit them.

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::literature::text::{entity, one_line};

/// Elements whose content is no text to be read in its place.
const LEFT_OUT: &[&str] = &[
    "ref-list",
    "table-wrap",
    "fig",
    "graphic",
    "media",
    "inline-formula",
    "disp-formula",
    "tex-math",
    "fn-group",
    "xref",
    "supplementary-material",
    "alternatives",
];

/// The most elements inside each other; articles have some twenty.
const DEEPEST: usize = 200;

/// An article as its title and Markdown. The error says what does not fit: an article without a body is the description of
/// one.
pub(crate) fn article(text: &str) -> Result<(String, String), String> {
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    reader.config_mut().allow_dangling_amp = true;
    let mut open: Vec<(String, usize)> = Vec::new();
    let (mut content, mut title, mut readable) = (String::new(), String::new(), String::new());
    let mut left_out = 0_usize;
    let mut has_body = false;
    loop {
        match reader.read_event().map_err(|error| format!("no XML: {error}"))? {
            Event::Start(start) => {
                // Each end looks at all that is open.
                if open.len() >= DEEPEST {
                    return Err(format!("its elements are nested more than {DEEPEST} deep"));
                }
                let name = start.local_name().as_ref().to_owned();
                if open.is_empty() && name != "article" {
                    return Err(format!("`{name}` stands where an article was expected"));
                }
                left_out += usize::from(LEFT_OUT.contains(&name.as_str()));
                has_body |= name == "body";
                open.push((name, content.len()));
            }
            Event::End(_) => {
                let Some((name, from)) = open.pop() else { continue };
                if LEFT_OUT.contains(&name.as_str()) {
                    left_out -= 1;
                    content.truncate(from);
                    continue;
                }
                let is_inside = |wanted: &str| open.iter().any(|(name, _)| name == wanted);
                match name.as_str() {
                    "article-title" if is_inside("title-group") && title.is_empty() => {
                        title = one_line(&content[from..]);
                        content.truncate(from);
                    }
                    "title" if is_inside("body") => {
                        let depth = open.iter().filter(|(name, _)| name == "sec").count().clamp(1, 6);
                        push(&mut readable, &format!("{} ", "#".repeat(depth)), &content[from..]);
                        content.truncate(from);
                    }
                    "p" if is_inside("body") || is_inside("abstract") => {
                        push(&mut readable, "", &content[from..]);
                        content.truncate(from);
                    }
                    "italic" | "bold" | "sub" | "sup" | "sc" | "underline" | "monospace" | "ext-link" => {}
                    _ if open.len() <= 3 => content.truncate(from),
                    _ => content.push(' '),
                }
            }
            Event::Text(text) if left_out == 0 => content.push_str(&text.xml10_content()),
            Event::CData(text) if left_out == 0 => content.push_str(&text.xml10_content()),
            Event::GeneralRef(reference) if left_out == 0 => {
                let name = reference.xml10_content();
                content.push(entity(&name).unwrap_or(' '));
            }
            Event::DocType(kind) if kind.xml10_content().contains('[') => {
                return Err("it declares entities, which are not read".to_owned());
            }
            Event::Eof if !open.is_empty() => return Err("the XML is cut short".to_owned()),
            Event::Eof if !has_body => return Err("it describes an article and does not hold it".to_owned()),
            Event::Eof => return Ok((title, readable)),
            _ => {}
        }
    }
}

fn push(readable: &mut String, before: &str, text: &str) {
    let line = one_line(text);
    if !line.is_empty() {
        readable.push_str(before);
        readable.push_str(&line);
        readable.push_str("\n\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_an_article_is_read_in_order() {
        let text = "<?xml version='1.0'?><!DOCTYPE article PUBLIC 'x' 'y.dtd'><article><front><article-meta><title-group>\
            <article-title>On <italic>walks</italic></article-title></title-group><abstract><p>They mix.</p></abstract>\
            </article-meta></front><body><sec><title>Methods</title><p>We walked<xref>1</xref> far &amp; wide.</p>\
            <table-wrap><p>1 2 3</p></table-wrap><sec><title>Shoes</title><p>CO<sub>2</sub> was low.</p></sec></sec></body>\
            <back><ref-list><ref><p>Somebody else.</p></ref></ref-list></back></article>";
        let (title, readable) = article(text).unwrap();
        assert_eq!(title, "On walks");
        assert_eq!(readable, "They mix.\n\n# Methods\n\nWe walked far & wide.\n\n## Shoes\n\nCO2 was low.\n\n");
    }

    #[test]
    fn what_is_no_article_is_refused_with_a_reason() {
        for (text, reason) in [
            ("<rss></rss>", "`rss` stands"),
            ("<article><front></front></article>", "describes an article"),
            ("<article><body>", "cut short"),
            ("<!DOCTYPE a [<!ENTITY b 'bb'>]><article>&b;</article>", "declares entities"),
            (&format!("<article>{}", "<p>".repeat(199) + "<q></q>"), "more than 200 deep"),
            (&format!("<article>{}", "<p>".repeat(199)), "cut short"),
        ] {
            assert!(article(text).unwrap_err().contains(reason), "{text}");
        }
    }
}
