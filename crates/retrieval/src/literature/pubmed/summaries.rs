//! The works of `esummary`, which have no abstracts.

use super::super::json::{list_at, text_at};
use super::super::text::plain;
use super::super::{Author, Doi, Fault, Pmcid, Pmid, Record, RecordKind, Reply};

pub(super) fn read(reply: &Reply) -> Result<Vec<Record>, Fault> {
    let body = super::json(reply)?;
    let Some(result) = body.get("result").filter(|result| result.is_object()) else {
        return Err(Fault::Malformed { reason: "there is no part `result`".to_owned() });
    };
    let ids = list_at(result, "/uids").iter().filter_map(|id| text_at(id, ""));
    Ok(ids.filter_map(|id| record(result.get(&id)?, &id)).collect())
}

fn record(item: &serde_json::Value, id: &str) -> Option<Record> {
    let title = text_at(item, "/title").map(|title| plain(&title).trim_end_matches('.').to_owned());
    let mut record = Record::new(title.filter(|title| !title.is_empty())?);
    record.pmid = Pmid::parse(id);
    for other in list_at(item, "/articleids") {
        let Some(value) = text_at(other, "/value") else { continue };
        match text_at(other, "/idtype").as_deref() {
            Some("doi") => record.doi = record.doi.or_else(|| Doi::parse(&value)),
            Some("pmc" | "pmcid") => record.pmcid = record.pmcid.or_else(|| Pmcid::parse(&value)),
            _ => {}
        }
    }
    record.authors = list_at(item, "/authors").iter().filter_map(author).collect();
    let date = ["/sortpubdate", "/pubdate"].iter().find_map(|at| text_at(item, at)).unwrap_or_default();
    record.year = date.get(..4).and_then(|year| year.parse().ok()).filter(|year| (1000..=2999).contains(year));
    record.venue = ["/fulljournalname", "/source"].iter().find_map(|at| text_at(item, at));
    record.volume = text_at(item, "/volume");
    record.issue = text_at(item, "/issue");
    record.pages = text_at(item, "/pages");
    record.url = record.pmid.map(Pmid::url);
    record.retracted = list_at(item, "/pubtype").iter().any(|kind| kind == "Retracted Publication");
    record.kind = RecordKind::Article;
    Some(record)
}

/// `Piwowar H` is a family name with initials.
fn author(author: &serde_json::Value) -> Option<Author> {
    let name = text_at(author, "/name")?;
    if text_at(author, "/authtype").as_deref() == Some("CollectiveName") {
        return Author::group(&name);
    }
    match name.rsplit_once(' ') {
        Some((family, initials)) if initials.chars().all(|c| c.is_uppercase() || c == '-') => {
            Author::person(Some(initials), family)
        }
        _ => Author::displayed(&name),
    }
}
