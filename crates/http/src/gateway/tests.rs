//! The manners of a gateway, in virtual time, over a scripted transport.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use futures::future::join_all;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::*;

/// Answers from a script, each after two seconds, and notes when it was asked. After the script all is well.
#[derive(Default)]
struct Scripted {
    script: Mutex<VecDeque<Step>>,
    started: Mutex<Vec<Instant>>,
    in_flight: AtomicUsize,
    most_in_flight: AtomicUsize,
}

enum Step {
    Answer(u16, Vec<(&'static str, &'static str)>),
    Down,
    Silence,
}

struct InFlight<'a>(&'a AtomicUsize);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Transport for Scripted {
    async fn send(&self, _request: &Request) -> Result<Reply, HostFault> {
        self.started.lock().unwrap().push(Instant::now());
        let now = self.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_in_flight.fetch_max(now, Ordering::SeqCst);
        let _in_flight = InFlight(&self.in_flight);
        let step = self.script.lock().unwrap().pop_front();
        tokio::time::sleep(Duration::from_secs(2)).await;
        match step {
            None => Ok(Reply::new(200, HeaderMap::new(), "fine")),
            Some(Step::Answer(status, headers)) => {
                let header = |(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value));
                Ok(Reply::new(status, headers.into_iter().map(header).collect(), "fine"))
            }
            Some(Step::Down) => Err(HostFault::Down { reason: "connection refused".into() }),
            Some(Step::Silence) => std::future::pending().await,
        }
    }
}

/// As arXiv is asked.
fn one_in_three_seconds() -> Politeness {
    Politeness::paced(Duration::from_millis(3_100), 1)
}

/// As Crossref is asked by who names a contact.
fn three_at_once() -> Politeness {
    Politeness::paced(Duration::from_millis(334), 3)
}

/// Noon of some day.
fn noon() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(20_000 * 86_400 + 43_200)
}

struct TestGateway {
    transport: Arc<Scripted>,
    gateway: Gateway,
    begin: Instant,
    asked: AtomicUsize,
}

impl TestGateway {
    /// Each test has a host of its own, because the pace of a host is one for the process.
    fn new(host: &str, politeness: Politeness, script: impl IntoIterator<Item = Step>) -> Self {
        let script = Mutex::new(script.into_iter().collect());
        let transport = Arc::new(Scripted { script, ..Scripted::default() });
        let address = Url::parse(&format!("https://{host}.test")).unwrap();
        let gateway = Gateway::over(&address, Arc::clone(&transport) as Arc<dyn Transport>, politeness).at(noon);
        Self { transport, gateway, begin: Instant::now(), asked: AtomicUsize::new(0) }
    }

    async fn ask(&self) -> Result<Asked<String>, HostFault> {
        let number = self.asked.fetch_add(1, Ordering::SeqCst);
        self.ask_for(&format!("https://{}/{number}", self.gateway.host())).await
    }

    async fn ask_for(&self, url: &str) -> Result<Asked<String>, HostFault> {
        let url = Url::parse(url).unwrap();
        self.gateway.ask(&url, |reply| Ok::<_, HostFault>(reply.text().into_owned())).await
    }

    /// When requests started, in tenths of a second since the test began.
    fn starts(&self) -> Vec<u128> {
        let started = self.transport.started.lock().unwrap();
        started.iter().map(|at| at.duration_since(self.begin).as_millis() / 100).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn ten_users_ask_arxiv_three_seconds_apart_one_at_a_time() {
    let test = TestGateway::new("ten", one_in_three_seconds(), []);
    let other = Gateway::over(
        &Url::parse("https://ten.test").unwrap(),
        Arc::clone(&test.transport) as Arc<dyn Transport>,
        Politeness { interval: Duration::ZERO, at_once: 9, ..Politeness::default() },
    );
    let with_other = async {
        let url = Url::parse("https://ten.test/other").unwrap();
        other.ask(&url, |_| Ok::<_, HostFault>(())).await.unwrap();
    };
    let (answers, ()) = futures::join!(join_all((0..9).map(|_| test.ask())), with_other);
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(test.starts(), (0..10).map(|n| n * 31).collect::<Vec<_>>(), "a laxer gateway changes nothing");
    assert_eq!(test.transport.most_in_flight.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn no_more_requests_are_under_way_than_the_host_allows() {
    let test = TestGateway::new("three", three_at_once(), []);
    join_all((0..7).map(|_| test.ask())).await;
    assert_eq!(test.transport.most_in_flight.load(Ordering::SeqCst), 3);
    assert_eq!(test.starts(), [0, 3, 6, 20, 23, 26, 40]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_request_gives_its_turn_back() {
    let test = TestGateway::new("cancelled", one_in_three_seconds(), [Step::Silence]);
    let cut = tokio::time::timeout(Duration::from_secs(1), test.ask()).await;
    assert!(cut.is_err());
    test.ask().await.unwrap();
    assert_eq!(test.starts(), [0, 31]);
}

#[tokio::test(start_paused = true)]
async fn limits_in_headers_count_from_the_next_request_and_never_loosen_manners() {
    let limit = |count, at_once| {
        Step::Answer(
            200,
            vec![("x-rate-limit-limit", count), ("x-rate-limit-interval", "10s"), ("x-concurrency-limit", at_once)],
        )
    };
    let test = TestGateway::new("headers", three_at_once(), [limit("2", "1"), limit("1", "1"), limit("99999", "99")]);
    for _ in 0..2 {
        test.ask().await.unwrap();
    }
    assert_eq!(test.starts(), [0, 50], "two in ten seconds");
    join_all((0..4).map(|_| test.ask())).await;
    let starts = test.starts();
    assert_eq!(starts[2], 150, "one in ten seconds");
    assert!(starts[3..].windows(2).all(|pair| pair[1] - pair[0] >= 3), "{starts:?}");
    assert!(test.transport.most_in_flight.load(Ordering::SeqCst) <= 3);
}

#[tokio::test(start_paused = true)]
async fn a_short_pause_that_the_host_asks_for_is_waited_for_by_everyone() {
    let test = TestGateway::new("pause", Politeness::default(), [Step::Answer(429, vec![("retry-after", "7")])]);
    let (first, second) = futures::join!(test.ask(), test.ask());
    let notes = first.unwrap().notes;
    assert!(
        notes[0].starts_with("try 1 failed, the next one came 8.0 s later: it asked for a pause until"),
        "{notes:?}"
    );
    second.unwrap();
    // The answer takes two seconds, the pause seven, and one more because moments have no fractions.
    let starts = test.starts();
    assert!(starts[0] == 0 && starts[1] >= 100 && starts[2] > starts[1], "{starts:?}");
}

#[tokio::test(start_paused = true)]
async fn after_a_request_for_a_long_pause_nobody_asks() {
    let test = TestGateway::new("long", Politeness::default(), [Step::Answer(429, vec![("retry-after", "3600")])]);
    let until = Some(noon() + Duration::from_secs(3600));
    for _ in 0..3 {
        assert_eq!(test.ask().await.unwrap_err(), HostFault::RateLimited { until, status: 429 });
    }
    assert_eq!(test.starts(), [0]);
    tokio::time::advance(Duration::from_secs(3600)).await;
    test.ask().await.unwrap();
    assert_eq!(test.starts().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_spent_budget_is_no_question_of_pace() {
    let spent = Step::Answer(429, vec![("x-ratelimit-remaining-usd", "0"), ("retry-after", "1")]);
    let test = TestGateway::new("budget", Politeness::paced(Duration::from_millis(100), 4), [spent]);
    let fault = test.ask().await.unwrap_err();
    assert!(matches!(fault, HostFault::BudgetSpent { until: Some(_) }), "{fault}");
    assert_eq!(test.starts(), [0], "it was not tried again");
}

#[tokio::test(start_paused = true)]
async fn failures_are_tried_again_after_growing_pauses() {
    let test = TestGateway::new(
        "grow",
        Politeness::default(),
        [Step::Answer(502, vec![]), Step::Down, Step::Answer(500, vec![])],
    );
    let asked = test.ask().await.unwrap();
    assert_eq!(asked.notes.len(), 3);
    let starts = test.starts();
    let pauses: Vec<u128> = starts.windows(2).map(|pair| pair[1] - pair[0] - 20).collect();
    for (pause, most) in pauses.iter().zip([10, 20, 40]) {
        assert!((most * 3 / 4 - 1..=most).contains(pause), "{pauses:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_host_that_is_down_again_and_again_is_left_alone_for_a_while() {
    let test = TestGateway::new("down", Politeness::default(), std::iter::repeat_with(|| Step::Down).take(12));
    let down = HostFault::Down { reason: "connection refused".into() };
    for _ in 0..6 {
        assert_eq!(test.ask().await.unwrap_err(), down);
    }
    assert_eq!(test.starts().len(), 12, "three questions of four tries");
    tokio::time::advance(Duration::from_secs(60)).await;
    test.ask().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn silence_ends() {
    let test = TestGateway::new("silent", Politeness::default(), [Step::Silence, Step::Silence]);
    assert_eq!(test.ask().await.unwrap_err(), HostFault::TimedOut { seconds: 30 });
    assert_eq!(test.starts().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_remembered_for_its_time_unless_it_was_a_fault() {
    let test = TestGateway::new("memory", one_in_three_seconds(), [Step::Answer(403, vec![])]);
    let url = "https://memory.test/works?q=a";
    assert!(matches!(test.ask_for(url).await, Err(HostFault::Refused { status: 403, .. })));
    assert!(test.ask_for(url).await.unwrap().notes.is_empty());
    assert_eq!(test.ask_for(url).await.unwrap().notes, ["the answer was remembered, the host was not asked again"]);
    assert_eq!(test.starts().len(), 2);
    tokio::time::advance(Duration::from_secs(24 * 3600)).await;
    test.ask_for(url).await.unwrap();
    assert_eq!(test.starts().len(), 3);
}

/// A host whose answers are made of the requests, which are kept.
struct Host<F>(F, Mutex<Vec<Request>>);

#[async_trait]
impl<F: Fn(&Request) -> Reply + Send + Sync + 'static> Transport for Host<F> {
    async fn send(&self, request: &Request) -> Result<Reply, HostFault> {
        self.1.lock().unwrap().push(request.clone());
        Ok((self.0)(request))
    }
}

fn host<F: Fn(&Request) -> Reply + Send + Sync + 'static>(answer: F) -> Arc<Host<F>> {
    Arc::new(Host(answer, Mutex::default()))
}

fn reply(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> Reply {
    let header =
        |(name, value): &(&'static str, &'static str)| (HeaderName::from_static(name), HeaderValue::from_static(value));
    Reply::new(status, headers.iter().map(header).collect(), body)
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_still_holds_is_not_sent_again() {
    let host = host(|request| match request.headers.get("if-none-match") {
        Some(tag) if tag == "\"one\"" => reply(304, &[("etag", "\"one\"")], ""),
        _ => reply(200, &[("etag", "\"one\""), ("cache-control", "max-age=0")], "whole"),
    });
    let address = Url::parse("https://again.test/page").unwrap();
    let politeness = Politeness { remembered: Duration::ZERO, ..Politeness::default() };
    let gateway = Gateway::over(&address, Arc::clone(&host) as Arc<dyn Transport>, politeness).at(noon);
    for asked in 1..=3 {
        let answer = gateway.ask(&address, |reply| Ok::<_, HostFault>((reply.status, reply.text().into_owned())));
        assert_eq!(answer.await.unwrap().value, (200, "whole".to_owned()));
        assert_eq!(host.1.lock().unwrap().len(), asked, "it is asked each time whether the answer holds");
    }
    let conditional = host.1.lock().unwrap().iter().filter(|sent| sent.headers.contains_key("if-none-match")).count();
    assert_eq!(conditional, 2);
}

#[tokio::test(start_paused = true)]
async fn a_host_that_does_not_say_which_answer_holds_means_the_one_it_was_asked_about() {
    for (validator, condition) in [
        (("etag", "\"one\""), "if-none-match"),
        (("last-modified", "Tue, 01 Jul 2025 12:00:00 GMT"), "if-modified-since"),
    ] {
        let host = host(move |request| match request.headers.contains_key(condition) {
            true => reply(304, &[], ""),
            false => reply(200, &[validator, ("cache-control", "max-age=0")], "whole"),
        });
        let address = Url::parse("https://bare.test/page").unwrap();
        let politeness = Politeness { remembered: Duration::ZERO, ..Politeness::default() };
        let gateway = Gateway::over(&address, Arc::clone(&host) as Arc<dyn Transport>, politeness).at(noon);
        for _ in 0..3 {
            let answer = gateway.ask(&address, |reply| Ok::<_, HostFault>((reply.status, reply.text().into_owned())));
            assert_eq!(answer.await.unwrap().value, (200, "whole".to_owned()), "{condition}");
        }
        assert_eq!(host.1.lock().unwrap().len(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn an_age_beyond_all_clocks_is_an_old_answer() {
    /// Each look at it is a second later.
    fn later() -> SystemTime {
        static SECONDS: AtomicUsize = AtomicUsize::new(0);
        noon() + Duration::from_secs(SECONDS.fetch_add(1, Ordering::SeqCst) as u64)
    }
    for age in ["18446744073709551615", "4294967296", "18446744073709551616", "-1"] {
        let host =
            host(move |_| reply(200, &[("etag", "\"x\""), ("age", age), ("cache-control", "max-age=60")], "whole"));
        let address = Url::parse("https://aged.test/page").unwrap();
        let politeness = Politeness { remembered: Duration::ZERO, ..Politeness::default() };
        let gateway = Gateway::over(&address, Arc::clone(&host) as Arc<dyn Transport>, politeness).at(later);
        for _ in 0..3 {
            let answer = gateway.ask(&address, |reply| Ok::<_, HostFault>(reply.text().into_owned())).await;
            assert_eq!(answer.unwrap().value, "whole", "{age}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn two_who_ask_the_same_at_once_ask_the_host_once() {
    let test = TestGateway::new("same", one_in_three_seconds(), []);
    let url = "https://same.test/works?q=a";
    let (first, second) = futures::join!(test.ask_for(url), test.ask_for(url));
    let (first, second) = (first.unwrap(), second.unwrap());
    assert_eq!((first.value, first.notes.len()), (second.value, 0));
    assert_eq!(second.notes, ["the answer was remembered, the host was not asked again"]);
    assert_eq!(test.starts(), [0]);
}

/// Who reads the answers of a host and tells what it says.
#[derive(Debug)]
struct RepeatedBody(HostFault);

impl fmt::Display for RepeatedBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            HostFault::Refused { body, .. } => f.write_str(body),
            other => other.fmt(f),
        }
    }
}

impl From<HostFault> for RepeatedBody {
    fn from(fault: HostFault) -> Self {
        Self(fault)
    }
}

impl AnswerError for RepeatedBody {
    fn host_fault(&self) -> Option<HostFault> {
        Some(self.0.clone())
    }
}

/// Keeps what is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_host_repeats_of_a_request_is_not_logged() {
    // Where there is only one subscriber, a place in the code that a thread without it meets first is taken for one that nobody
    // wants to hear of, on all threads.
    let _others = [(); 2].map(|()| tracing::Dispatch::new(tracing_subscriber::registry()));
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .with_ansi(false)
        .finish();
    let _logged = tracing::subscriber::set_default(subscriber);
    let host = host(|_| reply(401, &[], "the key sk-of-mine is not valid"));
    let address = Url::parse("https://repeats.test/page?key=sk-of-mine").unwrap();
    let gateway = Gateway::over(&address, Arc::clone(&host) as Arc<dyn Transport>, Politeness::default()).at(noon);
    let told = gateway.ask(&address, |_| Ok::<_, RepeatedBody>(())).await.unwrap_err();
    assert!(told.to_string().contains("sk-of-mine"), "the caller hears it, and hides it: {told}");
    let logged = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(logged.contains("a request failed") && logged.contains("status 401"), "{logged}");
    assert!(!logged.contains("sk-of-mine"), "{logged}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_used_again_as_its_host_allows() {
    for (headers, requests) in [
        (&[("cache-control", "max-age=60")][..], 1),
        (&[("cache-control", "private, max-age=60")], 1),
        (&[("cache-control", "no-store"), ("etag", "\"x\"")], 2),
        (&[("cache-control", "no-cache")], 2),
        (&[("cache-control", "max-age=60"), ("vary", "*")], 2),
        (&[], 2),
    ] {
        let host = host(|_| reply(200, headers, "whole"));
        let address = Url::parse("https://fresh.test/page").unwrap();
        let politeness = Politeness { remembered: Duration::ZERO, ..Politeness::default() };
        let gateway = Gateway::over(&address, Arc::clone(&host) as Arc<dyn Transport>, politeness).at(noon);
        for _ in 0..2 {
            gateway.ask(&address, |_| Ok::<_, HostFault>(())).await.unwrap();
        }
        assert_eq!(host.1.lock().unwrap().len(), requests, "{headers:?}");
    }
}

/// What becomes of pages of a host with this `robots.txt`, and how often the file was asked for.
async fn pages(file: fn(&Request) -> Reply, agent: &str, paths: &[&str]) -> (Vec<Result<(), HostFault>>, usize) {
    let host = host(move |request| match request.url.path() {
        "/robots.txt" => file(request),
        _ => reply(200, &[], "page"),
    });
    let web = OpenWeb::over(OpenWebOptions::new(agent), Arc::clone(&host) as Arc<dyn Transport>);
    let mut outcomes = Vec::new();
    for path in paths {
        let request = Request::get(Url::parse(&format!("https://robots.test{path}")).unwrap());
        outcomes.push(web.ask(&request, |_| Ok::<_, HostFault>(())).await.map(|_| ()));
    }
    let asked = host.1.lock().unwrap().iter().filter(|sent| sent.url.path() == "/robots.txt").count();
    (outcomes, asked)
}

#[tokio::test(start_paused = true)]
async fn pages_that_a_host_keeps_from_programs_are_not_asked_for() {
    const FILE: &str = "User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /private\nAllow: /private/open\n\n\
        User-agent: reader\nDisallow: /for-readers-not$\n";
    let file = |_: &Request| reply(200, &[], FILE);
    let forbidden = Err(HostFault::Robots { host: "robots.test".into() });
    let (outcomes, asked) = pages(file, "walker/1.0", &["/", "/private/a?b=c", "/private/open/x", "/pri"]).await;
    assert_eq!(outcomes, [Ok(()), forbidden.clone(), Ok(()), Ok(())]);
    assert_eq!(asked, 1, "a file is used for a day");
    let (outcomes, _) = pages(file, "Reader/2", &["/private/a", "/for-readers-not", "/for-readers-not/b"]).await;
    assert_eq!(outcomes, [Ok(()), forbidden.clone(), Ok(())], "the group of the program's own name counts");
    let (outcomes, _) = pages(file, "other", &["/"]).await;
    assert_eq!(outcomes, [forbidden]);
}

#[tokio::test(start_paused = true)]
async fn a_robots_file_that_is_absent_allows_and_one_that_fails_forbids() {
    let answers: [(fn(&Request) -> Reply, Option<bool>); 8] = [
        (|_| reply(404, &[], "nothing here"), Some(true)),
        (|_| reply(403, &[], ""), Some(true)),
        (|_| reply(400, &[], ""), Some(true)),
        (|_| reply(500, &[], "broken"), None),
        (|_| reply(429, &[], ""), None),
        (|_| reply(200, &[], "\u{0}\u{feff}<html>no rules at all</html>"), Some(true)),
        (|_| reply(200, &[], "User-agent: *\nDisallow: /"), Some(false)),
        // One that leads on is followed, and one that leads nowhere forbids nothing.
        (|_| reply(301, &[("location", "/robots.txt")], ""), Some(true)),
    ];
    for (position, (file, allowed)) in answers.into_iter().enumerate() {
        let (outcomes, _) = pages(file, "reader", &["/a"]).await;
        match (&outcomes[0], allowed) {
            (Ok(()), Some(true)) | (Err(HostFault::Robots { .. }), Some(false)) => {}
            (Err(fault @ HostFault::RobotsUnknown { .. }), None) => assert!(fault.is_retryable(), "{fault}"),
            (other, _) => panic!("answer {position}: {other:?}"),
        }
        // Paces and pauses of the host are of one process.
        tokio::time::advance(Duration::from_secs(120)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_robots_file_of_rules_that_cost_much_is_not_compiled() {
    let file = |_: &Request| reply(200, &[], &format!("User-agent: *\n{}", "Disallow: /a$\n".repeat(30_000)));
    let (outcomes, _) = pages(file, "reader", &["/b"]).await;
    assert!(
        matches!(&outcomes[0], Err(HostFault::RobotsUnknown { reason, .. }) if reason.contains("more than 1000 rules")),
        "{outcomes:?}"
    );
    tokio::time::advance(Duration::from_secs(120)).await;
    let some = |_: &Request| reply(200, &[], &format!("User-agent: *\n{}", "Disallow: /a$\n".repeat(50)));
    let (outcomes, _) = pages(some, "reader", &["/b", "/a"]).await;
    assert_eq!(outcomes, [Ok(()), Err(HostFault::Robots { host: "robots.test".into() })]);
}

#[tokio::test(start_paused = true)]
async fn a_robots_file_that_leads_to_an_address_with_a_password_is_not_followed() {
    let host = host(|request| match request.url.path() {
        "/robots.txt" => reply(301, &[("location", "https://name:word@robots-away.test/rules")], ""),
        "/rules" => reply(200, &[], "User-agent: *\nDisallow: /"),
        _ => reply(200, &[], "page"),
    });
    let web = OpenWeb::over(OpenWebOptions::new("reader"), Arc::clone(&host) as Arc<dyn Transport>);
    let page = Request::get(Url::parse("https://robots-leads.test/a").unwrap());
    web.ask(&page, |_| Ok::<_, HostFault>(())).await.unwrap();
    let asked = host.1.lock().unwrap();
    assert!(asked.iter().all(|sent| sent.url.username().is_empty()), "{asked:?}");
}

#[tokio::test(start_paused = true)]
async fn a_robots_file_is_read_again_after_a_day_and_slows_down() {
    let host = host(|request| match request.url.path() {
        "/robots.txt" => reply(200, &[], "User-agent: *\nCrawl-delay: 3\nDisallow: /x"),
        _ => reply(200, &[], "page"),
    });
    let web = OpenWeb::over(OpenWebOptions::new("reader"), Arc::clone(&host) as Arc<dyn Transport>);
    let page = Request::get(Url::parse("https://delay.test/a").unwrap());
    let begin = Instant::now();
    for _ in 0..3 {
        web.ask(&page, |_| Ok::<_, HostFault>(())).await.unwrap();
    }
    assert!(begin.elapsed() >= Duration::from_secs(6), "{:?}", begin.elapsed());
    tokio::time::advance(Duration::from_secs(24 * 3600)).await;
    web.ask(&page, |_| Ok::<_, HostFault>(())).await.unwrap();
    let sent = host.1.lock().unwrap().iter().filter(|sent| sent.url.path() == "/robots.txt").count();
    assert_eq!(sent, 2);
}
