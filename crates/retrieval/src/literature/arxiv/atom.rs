//! The Atom feeds that arXiv answers with.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::literature::text::entity;
use crate::literature::xml::attribute;

/// A feed, as far as it is needed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Feed {
    pub(super) total: Option<u64>,
    pub(super) entries: Vec<Entry>,
}

/// One work, or an error.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) summary: String,
    pub(super) published: String,
    pub(super) authors: Vec<String>,
    pub(super) doi: String,
    pub(super) journal: String,
    pub(super) pdf: String,
}

/// Reads a whole feed. The error says what does not fit.
///
/// A document type is refused, because its entities could grow without bound.
pub(super) fn feed(text: &str) -> Result<Feed, String> {
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    reader.config_mut().allow_dangling_amp = true;
    let mut feed = Feed::default();
    let mut open: Vec<String> = Vec::new();
    let mut content = String::new();
    let mut was_feed = false;
    loop {
        match reader.read_event().map_err(|error| format!("no XML: {error}"))? {
            Event::Start(start) => {
                let name = start.local_name().as_ref().to_owned();
                if open.is_empty() {
                    if name != "feed" || was_feed {
                        return Err(format!("`{name}` stands where a feed was expected"));
                    }
                    was_feed = true;
                }
                begin(&mut feed, &open, &name, &start);
                open.push(name);
                content.clear();
            }
            Event::Empty(start) => {
                let name = start.local_name().as_ref().to_owned();
                was_feed |= open.is_empty() && name == "feed";
                begin(&mut feed, &open, &name, &start);
            }
            Event::End(_) => {
                if let Some(name) = open.pop() {
                    end(&mut feed, &open, &name, content.trim());
                }
                content.clear();
            }
            Event::Text(text) => content.push_str(&text.xml10_content()),
            Event::CData(text) => content.push_str(&text.xml10_content()),
            Event::GeneralRef(reference) => {
                let name = reference.xml10_content();
                content.push(entity(&name).ok_or_else(|| format!("the entity `{name}` is unknown"))?);
            }
            Event::DocType(_) => return Err("it declares a document type, which is not read".to_owned()),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            Event::Eof if !open.is_empty() => return Err("the XML is cut short".to_owned()),
            Event::Eof if !was_feed => return Err("there is no feed".to_owned()),
            Event::Eof => return Ok(feed),
        }
    }
}

fn begin(feed: &mut Feed, open: &[String], name: &str, start: &BytesStart<'_>) {
    match (open.len(), name) {
        (1, "entry") => feed.entries.push(Entry::default()),
        (2, "link") if open[1] == "entry" => {
            if let Some(entry) = feed.entries.last_mut()
                && attribute(start, "title").as_deref() == Some("pdf")
            {
                entry.pdf = attribute(start, "href").unwrap_or_default();
            }
        }
        _ => {}
    }
}

fn end(feed: &mut Feed, open: &[String], name: &str, content: &str) {
    if open.len() == 1 && name == "totalResults" {
        feed.total = content.parse().ok();
    }
    if open.get(1).map(String::as_str) != Some("entry") {
        return;
    }
    let Some(entry) = feed.entries.last_mut() else { return };
    let field = match (open.len(), name) {
        (2, "id") => &mut entry.id,
        (2, "title") => &mut entry.title,
        (2, "summary") => &mut entry.summary,
        (2, "published") => &mut entry.published,
        (2, "doi") => &mut entry.doi,
        (2, "journal_ref") => &mut entry.journal,
        (3, "name") if open[2] == "author" => {
            entry.authors.push(content.to_owned());
            return;
        }
        _ => return,
    };
    content.clone_into(field);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_whole_feed_is_refused_with_a_reason() {
        for (text, reason) in [
            ("", "there is no feed"),
            ("plain words", "there is no feed"),
            ("<feed><entry><id>x</id>", "the XML is cut short"),
            ("<feed><entry></feed>", "no XML"),
            ("<rss></rss>", "`rss` stands"),
            ("<feed/><feed></feed>", "`feed` stands"),
            ("<!DOCTYPE a [<!ENTITY b \"bb\">]><feed>&b;</feed>", "declares a document type"),
            ("<feed><title>&bomb;</title></feed>", "the entity `bomb`"),
        ] {
            let error = feed(text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn the_order_of_elements_and_their_prefixes_do_not_matter() {
        let text = "\u{feff}<?xml version='1.0'?><a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:title>Query</a:title>\
            <a:entry><a:author><x:affiliation>Somewhere</x:affiliation><a:name>Ann &amp; Co</a:name></a:author>\
            <a:link title='pdf' href='https://arxiv.org/pdf/1?a=1&amp;b=2'/><a:summary><![CDATA[a < b]]></a:summary>\
            <a:title>Heat\n  &#x26; Bath</a:title><a:id>1</a:id></a:entry><o:totalResults> 12 </o:totalResults></a:feed>";
        let feed = feed(text).unwrap();
        assert_eq!(feed.total, Some(12));
        let entry = &feed.entries[0];
        assert_eq!((entry.id.as_str(), entry.title.as_str()), ("1", "Heat\n  & Bath"));
        assert_eq!((entry.authors.as_slice(), entry.summary.as_str()), (&["Ann & Co".to_owned()][..], "a < b"));
        assert_eq!(entry.pdf, "https://arxiv.org/pdf/1?a=1&b=2");
    }
}
