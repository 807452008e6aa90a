//! Sources of the network, on the loopback: what they find, and how each way of failing is told.

use graphloom_frozen_web::FrozenWeb;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::support::{DONE, TestDir, USAGE, WAITING, result, said, text};

const ROUTES: [(&str, &str); 3] =
    [("openalex", "/openalex/works"), ("arxiv", "/arxiv/api/query"), ("crossref", "/crossref/works")];

/// The sources, answering as they are told.
struct Hosts {
    runtime: Runtime,
    server: MockServer,
}

impl Hosts {
    fn start() -> Self {
        let runtime = Runtime::new().unwrap();
        let server = runtime.block_on(MockServer::start());
        Self { runtime, server }
    }

    /// From now on the source answers like this.
    fn answer(&self, source: &str, with: ResponseTemplate) {
        let route = ROUTES.iter().find(|(name, _)| *name == source).unwrap().1;
        self.runtime.block_on(Mock::given(path(route)).respond_with(with).mount(&self.server));
    }

    fn reset(&self) {
        self.runtime.block_on(self.server.reset());
    }

    fn all_good(&self) {
        for (source, body) in [("openalex", openalex()), ("crossref", crossref())] {
            self.answer(source, ResponseTemplate::new(200).set_body_json(body));
        }
        self.answer("arxiv", ResponseTemplate::new(200).set_body_raw(ARXIV, "application/atom+xml"));
    }

    fn requests(&self) -> Vec<String> {
        let received = self.runtime.block_on(self.server.received_requests()).unwrap();
        received.into_iter().map(|request| request.url.to_string()).collect()
    }

    fn talk(&self, dir: &TestDir, search: &str, args: &[&str]) -> std::process::Output {
        let address = format!("literature.address={}", self.server.uri());
        let more = ["--search", search, "--set", &address, "--model", "scripted:model.jsonl"];
        dir.run(&[args, &more[..]].concat())
    }
}

fn openalex() -> Value {
    json!({ "meta": { "count": 418 }, "results": [{
        "id": "https://openalex.org/W1", "doi": "https://doi.org/10.5555/Tides.2017", "title": "Spring tides in bays",
        "publication_year": 2017, "type": "article", "is_retracted": false, "cited_by_count": 31,
        "authorships": [{ "author_position": "first", "author": { "display_name": "Ann Lee" } }],
        "abstract_inverted_index": { "Tides": [0], "were": [1], "measured.": [2] } }] })
}

fn crossref() -> Value {
    json!({ "status": "ok", "message": { "total-results": 2, "items": [
        { "DOI": "10.5555/tides.2017", "type": "journal-article", "title": ["Spring Tides in Bays"],
          "author": [{ "given": "Ann", "family": "Lee" }], "container-title": ["Journal of Tides"], "volume": "4",
          "issued": { "date-parts": [[2017, 5, 2]] } },
        { "DOI": "10.5555/neaps", "type": "journal-article", "title": ["A study of neaps"],
          "author": [{ "given": "Bo", "family": "Ray" }], "issued": { "date-parts": [[2019]] } }] } })
}

const ARXIV: &str = "<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch='http://a9.com/-/spec/opensearch/1.1/' xmlns:arxiv='http://arxiv.org/schemas/atom' \
xmlns='http://www.w3.org/2005/Atom'><opensearch:totalResults>1</opensearch:totalResults>
<entry><id>http://arxiv.org/abs/1605.08386v1</id><title>Spring tides in bays</title>
<summary>We measured spring tides in bays, and say how.</summary><published>2017-01-26T17:59:46Z</published>
<author><name>Ann Lee</name></author></entry></feed>";

const NOTHING: &str = "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:o='http://a9.com/-/spec/opensearch/1.1/'>\
                       <o:totalResults>0</o:totalResults></feed>";

#[test]
fn the_literature_is_searched_and_every_work_is_cited_once() {
    let (dir, hosts) = (TestDir::new(), Hosts::start());
    hosts.all_good();
    said(&hosts.talk(&dir, "openalex,arxiv,crossref", &["say", "c1", "tides"]), WAITING);
    assert!(hosts.requests().is_empty(), "nothing is asked before the queries are approved");
    let review = hosts.talk(&dir, "openalex,arxiv,crossref", &["say", "c1", "approve"]);
    let report = said(&review, WAITING);
    for line in [
        "- OpenAlex gave 2 records for 2 of 2 queries.",
        "- arXiv gave 2 records for 2 of 2 queries.",
        "- Crossref gave 4 records for 2 of 2 queries.",
    ] {
        assert!(report.contains(line), "{line}: {report}");
    }
    assert!(text(&review.stderr).contains("OpenAlex gave 1 of 418 records."), "{}", text(&review.stderr));
    let records = dir.session()["artifacts"]["review"]["value"]["records"].clone();
    let titles: Vec<&str> = records.as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Spring Tides in Bays", "A study of neaps"], "by DOI, arXiv id and title one work");
    assert_eq!(records[0]["arxiv"], "1605.08386");
    let places = records[0]["provenance"].as_array().unwrap();
    assert_eq!(places.len(), 6, "three sources, two queries: {places:#?}");

    // What the model says is words; code writes each source's syntax.
    let requests = hosts.requests().join("\n");
    for part in ["/openalex/works?", "/arxiv/api/query?", "/crossref/works?", "tides"] {
        assert!(requests.contains(part), "{part}: {requests}");
    }

    said(&hosts.talk(&dir, "none", &["say", "c1", "approve"]), DONE);
    let bibtex = said(&dir.run(&["export", "c1", "--format", "bibtex"]), DONE);
    assert!(bibtex.starts_with("@article{lee2017spring,") && bibtex.contains("doi = {10.5555/tides.2017}"), "{bibtex}");
    assert!(bibtex.contains("journal = {Journal of Tides}") && bibtex.contains("volume = {4}"), "{bibtex}");
    let csl: Value = serde_json::from_str(&said(&dir.run(&["export", "c1", "--format", "csl-json"]), DONE)).unwrap();
    assert_eq!((&csl[0]["DOI"], &csl[0]["type"]), (&json!("10.5555/tides.2017"), &json!("article-journal")));
}

#[test]
fn every_way_of_failing_is_named_in_the_chat_and_in_the_report() {
    let (dir, hosts) = (TestDir::new(), Hosts::start());
    let html = ResponseTemplate::new(200).set_body_raw("<html><title>Maintenance</title></html>", "text/html");
    let lie = json!({ "status": "failed", "message-type": "validation-failure",
        "message": [{ "type": "x", "value": "y", "message": "this route is closed" }] });
    hosts.answer("openalex", html);
    hosts.answer("arxiv", ResponseTemplate::new(429).insert_header("retry-after", "Fri, 31 Dec 2100 23:59:59 GMT"));
    hosts.answer("crossref", ResponseTemplate::new(200).set_body_json(lie));
    said(&hosts.talk(&dir, "openalex,arxiv,crossref", &["say", "c1", "tides"]), WAITING);
    let failed = said(&hosts.talk(&dir, "openalex,arxiv,crossref", &["say", "c1", "approve"]), WAITING);
    for part in [
        "No source could be searched",
        "- OpenAlex answered with a web page instead of data (`Maintenance`)",
        "- arXiv asked for a pause until Fri, 31 Dec 2100 23:59:59 GMT",
        "- Crossref reported success (status 200) but sent an error: this route is closed",
        "Or say `retry` to search with the same ones",
    ] {
        assert!(failed.contains(part), "{part}: {failed}");
    }
    let session = dir.session();
    assert_eq!(session["decision"]["rule"], "no-source-answered");
    assert_eq!(session["params"]["do-literature-review"]["queries"][0], "spring tides", "the parameters are kept");

    // One is back, one is empty, one is down: what was found counts, and the report names the others.
    hosts.reset();
    hosts.answer("openalex", ResponseTemplate::new(200).set_body_json(openalex()));
    hosts.answer("arxiv", ResponseTemplate::new(200).set_body_raw(NOTHING, "application/atom+xml"));
    hosts.answer("crossref", ResponseTemplate::new(502));
    let report = said(&hosts.talk(&dir, "openalex,arxiv,crossref", &["say", "c1", "retry"]), WAITING);
    let exported = said(&dir.run(&["export", "c1"]), DONE);
    for part in [
        "- OpenAlex gave 2 records for 2 of 2 queries.",
        "- arXiv has no record for 2 of 2 queries.",
        "- Crossref is down (status 502); try again later",
    ] {
        assert!(report.contains(part) && exported.contains(part), "{part}: {report}\n{exported}");
    }
}

#[test]
fn a_source_that_is_not_there_and_a_corpus_that_is() {
    let (dir, hosts) = (TestDir::new(), Hosts::start());
    let nobody = graphloom_test_support::ports::Deserted::new();
    let address = format!("literature.openalex.address=http://{}", nobody.address);
    hosts.all_good();
    let both = ["--corpus", "papers", "--set", &address];
    said(&hosts.talk(&dir, "local,openalex,crossref", &[&["say", "c1", "tides"], &both[..]].concat()), WAITING);
    let output = hosts.talk(&dir, "local,openalex,crossref", &[&["say", "c1", "approve"], &both[..]].concat());
    let report = said(&output, WAITING);
    for part in ["- local gave", "- OpenAlex is down (", "- Crossref gave 4 records"] {
        assert!(report.contains(part), "{part}: {report}");
    }
}

#[test]
fn without_a_corpus_nothing_is_asked_unless_it_is_named() {
    let (dir, hosts) = (TestDir::new(), Hosts::start());
    hosts.all_good();
    let address = format!("literature.address={}", hosts.server.uri());
    let args = ["--set", &address, "--model", "scripted:model.jsonl"];
    let quiet = dir.run(&[&["say", "c1", "tides"], &args[..]].concat());
    assert!(text(&quiet.stderr).contains("nothing is searched; add `--corpus DIR`"), "{}", text(&quiet.stderr));
    let told = said(&dir.run(&[&["say", "c1", "approve"], &args[..]].concat()), WAITING);
    assert!(told.contains("no source is set up; give a folder of documents with `--corpus DIR`"), "{told}");
    assert!(hosts.requests().is_empty());
    let report = said(&dir.run(&[&["say", "c1", "go on without records"], &args[..]].concat()), WAITING);
    assert!(report.contains("this proposal rests on none"), "{report}");
    assert!(report.contains("- literature cannot be searched (no source is set up"), "{report}");

    // A key in the environment is a choice of the person.
    let keyed = dir.command(&[&["say", "c2", "tides"], &args[..]].concat()).env("OPENALEX_API_KEY", "k").output();
    assert!(text(&keyed.unwrap().stderr).contains("queries that you approve are sent to: openalex"));
    // It is for OpenAlex's own host, so this one gets it only when the person says so.
    let mut keyed = dir.command(&[&["say", "c2", "approve", "--json"], &args[..]].concat());
    let output = keyed.env("OPENALEX_API_KEY", "secret-key").output().unwrap();
    assert!(result(&output)["chat"][0].as_str().unwrap().contains("- OpenAlex gave 2 records"));
    assert!(!hosts.requests().is_empty() && hosts.requests().iter().all(|url| !url.contains("secret-key")));
    let host = hosts.server.address().to_string();
    let told = text(&output.stderr);
    assert!(told.contains(&format!("`OPENALEX_API_KEY_FOR={host}` names another host")), "{told}");
    let before = hosts.requests().len();
    let keyed = |args: &[&str]| {
        let mut command = dir.command(args);
        command.env("OPENALEX_API_KEY", "secret-key").env("OPENALEX_API_KEY_FOR", &host).output().unwrap()
    };
    keyed(&[&["say", "c3", "tides"], &args[..]].concat());
    let output = keyed(&[&["say", "c3", "approve", "--json"], &args[..]].concat());
    assert!(result(&output)["chat"][0].as_str().unwrap().contains("- OpenAlex gave 2 records"));
    let sent = hosts.requests().split_off(before);
    assert!(
        !sent.is_empty() && sent.iter().all(|url| url.contains("/openalex/") && url.contains("api_key=secret-key"))
    );
    assert!(!text(&output.stdout).contains("secret-key") && !dir.session().to_string().contains("secret-key"));
}

#[test]
fn the_web_is_searched_as_the_other_sources_are() {
    let dir = TestDir::new();
    let runtime = Runtime::new().unwrap();
    let frozen = runtime.block_on(FrozenWeb::of(&dir.path("papers"), &dir.path("frozen")));
    let talk = |message: &str| {
        let args = ["say", "c1", message, "--search", "google", "--model", "scripted:model.jsonl"];
        dir.command(&args).envs(frozen.environment()).output().unwrap()
    };
    said(&talk("tides"), WAITING);
    assert!(runtime.block_on(frozen.questions()).is_empty(), "nothing is asked before the queries are approved");
    let review = said(&talk("approve"), WAITING);
    assert!(review.contains("- Google (Serper) gave"), "{review}");
    assert!(!runtime.block_on(frozen.questions()).is_empty());
    let records = dir.session()["artifacts"]["review"]["value"]["records"].clone();
    let places: Vec<&str> = records.as_array().unwrap().iter().map(|one| one["url"].as_str().unwrap()).collect();
    assert!(places.iter().all(|place| place.starts_with("http://")) && !places.is_empty(), "{places:?}");
}

#[test]
fn open_full_texts_are_looked_for_where_that_is_said() {
    let (dir, hosts) = (TestDir::new(), Hosts::start());
    let mut body = openalex();
    // A place in a private network, which is not asked.
    body["results"][0]["open_access"] = json!({ "oa_url": "http://127.0.0.1/spring-tides" });
    hosts.answer("openalex", ResponseTemplate::new(200).set_body_json(body));
    let told = "of `Spring tides in bays` only the abstract is used";
    for (id, more, is_told) in [("c1", &[][..], false), ("c2", &["--full-text"], true)] {
        said(&hosts.talk(&dir, "openalex", &["say", id, "tides"]), WAITING);
        let review = said(&hosts.talk(&dir, "openalex", &[&["say", id, "approve"], more].concat()), WAITING);
        assert!(review.contains("- OpenAlex gave"), "{review}");
        assert_eq!(review.contains(told) && review.contains("this machine, which is not asked"), is_told, "{review}");
    }
}

#[test]
fn a_proxy_is_used_and_offline_asks_nobody() {
    let (dir, hosts) = (TestDir::new(), Hosts::start());
    // The server stands for a proxy, which gets whole addresses.
    hosts.all_good();
    let proxy = hosts.server.uri();
    let talk = |id: &str, message: &str, more: &[&str]| {
        let args = ["say", id, message, "--search", "openalex", "--model", "scripted:model.jsonl"];
        let elsewhere = ["--set", "literature.address=http://works.example"];
        dir.run(&[&args[..], &elsewhere, more].concat())
    };
    said(&talk("c1", "tides", &["--proxy", &proxy]), WAITING);
    let found = said(&talk("c1", "approve", &["--proxy", &proxy]), WAITING);
    assert!(found.contains("- OpenAlex gave"), "{found}");
    let through = hosts.requests();
    assert!(through.iter().all(|address| address.starts_with("http://works.example/openalex/works")), "{through:?}");
    assert!(!through.is_empty());

    hosts.reset();
    let refused = talk("c2", "tides", &["--proxy", &proxy, "--offline"]);
    let why = text(&refused.stderr);
    assert_ne!(refused.status.code(), Some(DONE), "{why}");
    assert!(why.contains("`works.example` is not asked, because the program runs with `--offline`"), "{why}");
    assert!(hosts.requests().is_empty(), "nothing left the machine");
    // What is on this machine is asked all the same.
    said(&hosts.talk(&dir, "none", &["say", "c3", "tides", "--offline"]), WAITING);
    let wrong = talk("c4", "tides", &["--proxy", "ftp://me:secret@proxy:1"]);
    let why = text(&wrong.stderr);
    assert!(wrong.status.code() == Some(USAGE) && why.contains("is no proxy") && !why.contains("secret"), "{why}");
}
