//! Questions in the syntax of each source. Terms are cleaned again here, because a question may come from a file.

use graphloom_text::{Language, is_stop_word};

use super::query::cleaned;
use super::{MOST_RECORDS, Query};

/// Words that sources read as operators when they are in upper case.
const OPERATORS: &[&str] = &["and", "or", "not", "andnot", "to"];

/// Parameters of an address, in order.
pub(crate) type Parameters = Vec<(&'static str, String)>;

/// The question with safe terms.
struct SafeQuery {
    terms: Vec<String>,
    groups: Vec<Vec<String>>,
    from: Option<u16>,
    to: Option<u16>,
    limit: u32,
}

impl SafeQuery {
    /// `None` when no term is left to ask for.
    fn of(query: &Query) -> Option<Self> {
        let safe = |terms: &[String]| {
            terms.iter().filter_map(|term| cleaned(term)).map(without_operator).take(40).collect::<Vec<_>>()
        };
        let terms = safe(&query.terms);
        let groups: Vec<Vec<String>> =
            query.groups.iter().map(|group| safe(group)).filter(|group| !group.is_empty()).take(4).collect();
        // Four digits, because the dates of every source have them.
        let year = |year: Option<u16>| year.map(|year| year.clamp(1000, 9999));
        let any = !(terms.is_empty() && groups.is_empty());
        any.then(|| Self {
            terms,
            groups,
            from: year(query.years.from),
            to: year(query.years.to),
            limit: query.limit.clamp(1, MOST_RECORDS),
        })
    }

    /// The terms that an index has; all of them when it has none and there is nothing else to ask for. Small words are in
    /// none, so that asking for them finds nothing or all.
    fn indexed(&self) -> Vec<&str> {
        let language = Language::detect(&self.terms.join(" "));
        let has = |term: &&str| !is_stop_word(&term.to_lowercase(), language);
        let words: Vec<&str> = self.terms.iter().map(String::as_str).filter(has).collect();
        if words.is_empty() && self.groups.is_empty() { self.terms.iter().map(String::as_str).collect() } else { words }
    }
}

/// An operator as a plain word.
fn without_operator(term: String) -> String {
    let lower = term.to_lowercase();
    if lower.split(' ').any(|word| OPERATORS.contains(&word)) {
        let words = term.split(' ').map(|word| {
            if OPERATORS.contains(&word.to_lowercase().as_str()) { word.to_lowercase() } else { word.to_owned() }
        });
        return words.collect::<Vec<_>>().join(" ");
    }
    term
}

/// In quotation marks when a source would take it apart.
fn quoted(term: &str) -> String {
    if term.chars().all(char::is_alphanumeric) { term.to_owned() } else { format!("\"{term}\"") }
}

/// OpenAlex: words side by side must all occur, quotation marks make phrases, `OR` and brackets alternatives.
pub(crate) fn openalex(query: &Query) -> Option<Parameters> {
    let safe = SafeQuery::of(query)?;
    let mut parameters = vec![("search", joined(&safe))];
    let mut filter = Vec::new();
    filter.extend(safe.from.map(|year| format!("from_publication_date:{year}-01-01")));
    filter.extend(safe.to.map(|year| format!("to_publication_date:{year}-12-31")));
    if !filter.is_empty() {
        parameters.push(("filter", filter.join(",")));
    }
    parameters.push(("per_page", safe.limit.to_string()));
    parameters.push((
        "select",
        "id,doi,ids,title,display_name,publication_year,type,primary_location,best_oa_location,open_access,authorships,\
         biblio,cited_by_count,is_retracted,abstract_inverted_index"
            .to_owned(),
    ));
    Some(parameters)
}

/// arXiv: every term in any field, joined by `AND`, or by `OR` when a `loose` question is wanted.
pub(crate) fn arxiv(query: &Query, loose: bool) -> Option<Parameters> {
    let safe = SafeQuery::of(query)?;
    let field = |term: &str| format!("all:{}", quoted(term));
    let words: Vec<String> = safe.indexed().into_iter().map(field).collect();
    let mut parts = if loose && words.len() > 1 { vec![format!("({})", words.join(" OR "))] } else { words };
    parts.extend(safe.groups.iter().map(|group| match group.as_slice() {
        [one] => field(one),
        several => format!("({})", several.iter().map(|term| field(term)).collect::<Vec<_>>().join(" OR ")),
    }));
    if safe.from.is_some() || safe.to.is_some() {
        let (from, to) = (safe.from.unwrap_or(1990), safe.to.unwrap_or(9999));
        parts.push(format!("submittedDate:[{from}01010000 TO {to}12312359]"));
    }
    Some(vec![
        ("search_query", parts.join(" AND ")),
        ("start", "0".to_owned()),
        ("max_results", safe.limit.to_string()),
        ("sortBy", "relevance".to_owned()),
        ("sortOrder", "descending".to_owned()),
    ])
}

/// Crossref: no operators, so all words are given and the best come first.
pub(crate) fn crossref(query: &Query, contact: Option<&str>) -> Option<Parameters> {
    let safe = SafeQuery::of(query)?;
    let words: Vec<&str> = safe.terms.iter().chain(safe.groups.iter().flatten()).map(String::as_str).collect();
    let mut parameters = vec![("query.bibliographic", words.join(" "))];
    let mut filter = Vec::new();
    filter.extend(safe.from.map(|year| format!("from-pub-date:{year}")));
    filter.extend(safe.to.map(|year| format!("until-pub-date:{year}")));
    if !filter.is_empty() {
        parameters.push(("filter", filter.join(",")));
    }
    parameters.push(("rows", safe.limit.to_string()));
    parameters.push((
        "select",
        "DOI,title,subtitle,author,issued,abstract,container-title,publisher,volume,issue,page,is-referenced-by-count,\
         type,URL"
            .to_owned(),
    ));
    parameters.push(("sort", "relevance".to_owned()));
    parameters.extend(contact.map(|contact| ("mailto", contact.to_owned())));
    Some(parameters)
}

/// All terms and groups, joined by `AND`, with alternatives in brackets.
fn joined(safe: &SafeQuery) -> String {
    let mut parts: Vec<String> = safe.indexed().into_iter().map(quoted).collect();
    parts.extend(safe.groups.iter().map(|group| match group.as_slice() {
        [one] => quoted(one),
        several => format!("({})", several.iter().map(|term| quoted(term)).collect::<Vec<_>>().join(" OR ")),
    }));
    parts.join(" AND ")
}

/// PubMed: words side by side must all occur, quotation marks make phrases, `OR` and brackets alternatives.
pub(crate) fn pubmed(query: &Query) -> Option<Parameters> {
    let safe = SafeQuery::of(query)?;
    let mut parameters = vec![("term", joined(&safe)), ("db", "pubmed".to_owned())];
    if safe.from.is_some() || safe.to.is_some() {
        // One bound alone is refused.
        parameters.push(("datetype", "pdat".to_owned()));
        parameters.push(("mindate", safe.from.unwrap_or(1000).to_string()));
        parameters.push(("maxdate", safe.to.unwrap_or(3000).to_string()));
    }
    parameters.push(("retmax", safe.limit.to_string()));
    parameters.push(("retmode", "json".to_owned()));
    parameters.push(("sort", "relevance".to_owned()));
    Some(parameters)
}

/// Semantic Scholar: no operators, and a hyphen finds nothing.
pub(crate) fn semantic_scholar(query: &Query) -> Option<Parameters> {
    let safe = SafeQuery::of(query)?;
    let words: Vec<&str> = safe.terms.iter().chain(safe.groups.iter().flatten()).map(String::as_str).collect();
    let mut parameters = vec![("query", words.join(" ").replace('-', " "))];
    if safe.from.is_some() || safe.to.is_some() {
        let year = |year: Option<u16>| year.map_or_else(String::new, |year| year.to_string());
        parameters.push(("year", format!("{}-{}", year(safe.from), year(safe.to))));
    }
    parameters.push(("limit", safe.limit.to_string()));
    parameters.push((
        "fields",
        "title,abstract,year,authors,externalIds,venue,journal,citationCount,openAccessPdf,publicationTypes,url"
            .to_owned(),
    ));
    Some(parameters)
}

/// CORE: words joined by `AND`, and comparisons of years. The question, and how many works are asked for.
pub(crate) fn core(query: &Query) -> Option<(String, u32)> {
    let safe = SafeQuery::of(query)?;
    let mut parts = vec![joined(&safe)];
    parts.extend(safe.from.map(|year| format!("yearPublished>={year}")));
    parts.extend(safe.to.map(|year| format!("yearPublished<={year}")));
    Some((parts.join(" AND "), safe.limit))
}

/// Europe PMC: as PubMed, with the years in the question.
pub(crate) fn europe_pmc(query: &Query) -> Option<Parameters> {
    let safe = SafeQuery::of(query)?;
    let mut question = joined(&safe);
    if safe.from.is_some() || safe.to.is_some() {
        let (from, to) = (safe.from.unwrap_or(1000), safe.to.unwrap_or(3000));
        question.push_str(&format!(" AND PUB_YEAR:[{from} TO {to}]"));
    }
    Some(vec![
        ("query", question),
        ("format", "json".to_owned()),
        ("resultType", "core".to_owned()),
        ("pageSize", safe.limit.to_string()),
        ("cursorMark", "*".to_owned()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(parameters: Option<Parameters>) -> String {
        parameters.unwrap().remove(0).1
    }

    fn value(parameters: &Parameters, name: &str) -> Option<String> {
        parameters.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone())
    }

    #[test]
    fn one_question_has_a_form_for_each_source() {
        let query = Query::parse("tutoring in \"language models\"")
            .unwrap()
            .any_of(["school", "higher education"])
            .since(2023)
            .until(2024)
            .limit(25);
        assert_eq!(first(openalex(&query)), "tutoring AND \"language models\" AND (school OR \"higher education\")");
        assert_eq!(
            first(arxiv(&query, false)),
            "all:tutoring AND all:\"language models\" AND (all:school OR all:\"higher education\") AND \
             submittedDate:[202301010000 TO 202412312359]"
        );
        assert_eq!(
            first(arxiv(&query, true)),
            "(all:tutoring OR all:\"language models\") AND (all:school OR all:\"higher education\") AND \
             submittedDate:[202301010000 TO 202412312359]"
        );
        assert_eq!(first(crossref(&query, None)), "tutoring in language models school higher education");
        let all = "tutoring AND \"language models\" AND (school OR \"higher education\")";
        let pubmed = pubmed(&query).unwrap();
        assert_eq!(first(Some(pubmed.clone())), all);
        assert_eq!((value(&pubmed, "mindate"), value(&pubmed, "maxdate")), (Some("2023".into()), Some("2024".into())));
        assert_eq!(core(&query).unwrap(), (format!("{all} AND yearPublished>=2023 AND yearPublished<=2024"), 25));
        assert_eq!(first(europe_pmc(&query)), format!("{all} AND PUB_YEAR:[2023 TO 2024]"));
        let scholar =
            semantic_scholar(&Query::parse("state-of-the-art \"language models\"").unwrap().since(2023)).unwrap();
        assert_eq!(scholar[0].1, "state of the art language models");
        assert_eq!(value(&scholar, "year").unwrap(), "2023-");
        let openalex = openalex(&query).unwrap();
        assert_eq!(
            value(&openalex, "filter").unwrap(),
            "from_publication_date:2023-01-01,to_publication_date:2024-12-31"
        );
        assert_eq!(value(&openalex, "per_page").unwrap(), "25");
        let with_mail = crossref(&query, Some("me@example.org")).unwrap();
        assert_eq!(value(&with_mail, "filter").unwrap(), "from-pub-date:2023,until-pub-date:2024");
        assert_eq!(value(&with_mail, "mailto").unwrap(), "me@example.org");
        assert_eq!(value(&crossref(&query, None).unwrap(), "mailto"), None);
    }

    #[test]
    fn nothing_in_a_question_becomes_syntax() {
        let mut query = Query::parse("x").unwrap();
        query.terms = vec!["a) OR (b".into(), "AND".into(), "\"".into(), "ti:x".into(), "C++".into()];
        query.groups = vec![vec!["|".into()], vec!["OR NOT".into()]];
        query.limit = 0;
        assert_eq!(first(openalex(&query)), "\"a or b\" AND \"ti x\" AND \"C++\" AND \"or not\"");
        assert_eq!(first(arxiv(&query, false)), "all:\"a or b\" AND all:\"ti x\" AND all:\"C++\" AND all:\"or not\"");
        assert_eq!(first(crossref(&query, None)), "a or b and ti x C++ or not");
        assert_eq!(first(pubmed(&query)), "\"a or b\" AND \"ti x\" AND \"C++\" AND \"or not\"");
        assert_eq!(core(&query).unwrap().0, "\"a or b\" AND \"ti x\" AND \"C++\" AND \"or not\"");
        assert_eq!(first(europe_pmc(&query)), "\"a or b\" AND \"ti x\" AND \"C++\" AND \"or not\"");
        query.terms = vec!["()".into()];
        query.groups.clear();
        assert!(pubmed(&query).is_none() && core(&query).is_none() && europe_pmc(&query).is_none());
        assert!(semantic_scholar(&query).is_none());
        assert!(openalex(&query).is_none() && arxiv(&query, false).is_none() && crossref(&query, None).is_none());
        query.terms = vec!["The".into()];
        assert_eq!(first(arxiv(&query, false)), "all:The");
    }
}
