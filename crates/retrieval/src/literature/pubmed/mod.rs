//! PubMed through the E-utilities: `esearch` finds numbers, `efetch` gives the works, and where it fails `esummary` gives
//! them without abstracts.

mod articles;
mod summaries;

use async_trait::async_trait;
use reqwest::Url;
use serde_json::Value;

use super::json::{body, data, list_at, number_at, text_at};
use super::text::shortened;
use super::{ApiKey, Contact, Fault, Found, Gateway, Pmid, Provenance, Query, Record, Reply, Source, compile};

/// PubMed: the literature of medicine and biology.
#[derive(Clone, Debug)]
pub struct Pubmed {
    gateway: Gateway,
    address: Url,
    contact: Option<Contact>,
    key: Option<ApiKey>,
}

/// What a search found: the numbers, and how many there are.
struct Numbers {
    ids: Vec<Pmid>,
    total: Option<u64>,
    notes: Vec<String>,
}

impl Pubmed {
    /// The host that PubMed serves programs from.
    pub const ADDRESS: &'static str = "https://eutils.ncbi.nlm.nih.gov";

    /// The name of the source.
    pub const NAME: &'static str = "pubmed";

    /// PubMed at `address` through `gateway`.
    #[must_use]
    pub fn new(gateway: Gateway, address: Url, contact: Option<Contact>, key: Option<ApiKey>) -> Self {
        Self { gateway, address, contact, key }
    }

    /// The address of a utility, with what every request says of who asks.
    fn utility(&self, name: &str, mut parameters: compile::Parameters) -> Url {
        parameters.push(("tool", "graphloom".to_owned()));
        parameters.extend(self.contact.as_ref().map(|contact| ("email", contact.as_str().to_owned())));
        parameters.extend(self.key.as_ref().map(|key| ("api_key", key.reveal().to_owned())));
        super::endpoint(&self.address, &format!("entrez/eutils/{name}.fcgi"), &parameters)
    }

    async fn found(&self, query: &Query, parameters: compile::Parameters) -> Result<Found, Fault> {
        let asked_for = parameters[0].1.clone();
        let shown = query.to_string();
        let numbers = self.gateway.ask(&self.utility("esearch", parameters), numbers).await?;
        let (mut notes, found) = (numbers.notes, numbers.value);
        notes.extend(found.notes);
        if found.ids.is_empty() {
            return Ok(Found::new(&asked_for, Vec::new(), found.total).after(notes, &asked_for, query.limit));
        }
        let ids: Vec<String> = found.ids.iter().map(ToString::to_string).collect();
        let of = |mode: &str| vec![("db", "pubmed".to_owned()), ("id", ids.join(",")), ("retmode", mode.to_owned())];
        let articles = self.utility("efetch", of("xml"));
        let articles = self.gateway.ask(&articles, |reply| {
            let body = data(reply)?;
            articles::read(&body).map_err(|reason| match reply.status {
                400.. => super::refusal(reply.status, &shortened(&body, 160)),
                _ => Fault::Malformed { reason },
            })
        });
        let records = match articles.await {
            Ok(asked) => {
                notes.extend(asked.notes);
                asked.value
            }
            Err(fault) => {
                let fault = super::without_key(fault, self.key.as_ref());
                notes.push(format!("the abstracts did not come: it {fault}"));
                let asked = self.gateway.ask(&self.utility("esummary", of("json")), summaries::read).await?;
                notes.extend(asked.notes);
                asked.value
            }
        };
        // The works come in any order, so the numbers give them theirs.
        let place = |record: &Record| {
            let id = record.pmid?;
            found.ids.iter().position(|known| *known == id)
        };
        let mut records: Vec<(usize, Record)> =
            records.into_iter().filter_map(|record| Some((place(&record)?, record))).collect();
        records.sort_by_key(|(place, _)| *place);
        let ranked = (1..).zip(records).map(|(rank, (_, mut record))| {
            let id = record.pmid.map(|id| id.to_string()).unwrap_or_default();
            record.provenance = vec![Provenance::new(Self::NAME, id, &shown, rank)];
            record.identified()
        });
        let records: Vec<Record> = ranked.collect();
        if records.is_empty() {
            return Err(Fault::Malformed { reason: format!("none of its {} records has a title", found.ids.len()) });
        }
        if records.len() < found.ids.len() {
            notes.push(format!("{} of its records had no title and were left out", found.ids.len() - records.len()));
        }
        Ok(Found::new(&asked_for, records, found.total).after(notes, &asked_for, query.limit))
    }
}

#[async_trait]
impl Source for Pubmed {
    fn name(&self) -> &str {
        Self::NAME
    }

    async fn search(&self, query: &Query) -> Result<Found, Fault> {
        let parameters = compile::pubmed(query).ok_or_else(super::nothing_to_ask)?;
        self.found(query, parameters).await.map_err(|fault| super::without_key(fault, self.key.as_ref()))
    }
}

/// An answer as JSON that holds no error. Over its limit the host may report success.
fn json(reply: &Reply) -> Result<Value, Fault> {
    let body = body(reply)?;
    if let Some(reason) =
        ["/error", "/esearchresult/ERROR", "/esummaryresult/0"].iter().find_map(|at| text_at(&body, at))
    {
        if reason.contains("rate limit") {
            return Err(Fault::RateLimited { until: None });
        }
        return Err(super::refusal(reply.status, &shortened(&reason, 200)));
    }
    if reply.status != 200 {
        return Err(super::refusal(reply.status, "no reason given"));
    }
    Ok(body)
}

fn numbers(reply: &Reply) -> Result<Numbers, Fault> {
    let body = json(reply)?;
    let Some(list) = body.pointer("/esearchresult/idlist").and_then(Value::as_array) else {
        return Err(Fault::Malformed { reason: "there is no list `esearchresult.idlist`".to_owned() });
    };
    let ids: Vec<Pmid> = list.iter().filter_map(|id| Pmid::parse(&text_at(id, "")?)).collect();
    let total = number_at(&body, "/esearchresult/count");
    if let Some(total) = total.filter(|total| *total > 0 && ids.is_empty()) {
        return Err(Fault::Malformed { reason: format!("it says that it has {total} records and gives none") });
    }
    let missing: Vec<String> = list_at(&body, "/esearchresult/errorlist/phrasesnotfound")
        .iter()
        .filter_map(|word| text_at(word, ""))
        .collect();
    let notes = match missing.is_empty() {
        true => Vec::new(),
        false => vec![format!("it does not know {}", shortened(&missing.join(", "), 120))],
    };
    Ok(Numbers { ids, total, notes })
}
