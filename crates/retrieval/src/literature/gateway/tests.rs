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
    async fn send(&self, _request: &Request) -> Result<Reply, Fault> {
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
            Some(Step::Down) => Err(Fault::Down { reason: "connection refused".into() }),
            Some(Step::Silence) => std::future::pending().await,
        }
    }
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

    async fn ask(&self) -> Result<Asked<String>, Fault> {
        let number = self.asked.fetch_add(1, Ordering::SeqCst);
        self.ask_for(&format!("https://{}/{number}", self.gateway.host())).await
    }

    async fn ask_for(&self, url: &str) -> Result<Asked<String>, Fault> {
        let url = Url::parse(url).unwrap();
        self.gateway.ask(&url, |reply| Ok(reply.text().into_owned())).await
    }

    /// When requests started, in tenths of a second since the test began.
    fn starts(&self) -> Vec<u128> {
        let started = self.transport.started.lock().unwrap();
        started.iter().map(|at| at.duration_since(self.begin).as_millis() / 100).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn ten_users_ask_arxiv_three_seconds_apart_one_at_a_time() {
    let test = TestGateway::new("ten", Politeness::arxiv(), []);
    let other = Gateway::over(
        &Url::parse("https://ten.test").unwrap(),
        Arc::clone(&test.transport) as Arc<dyn Transport>,
        Politeness { interval: Duration::ZERO, at_once: 9, ..Politeness::default() },
    );
    let with_other = async {
        let url = Url::parse("https://ten.test/other").unwrap();
        other.ask(&url, |_| Ok(())).await.unwrap();
    };
    let (answers, ()) = futures::join!(join_all((0..9).map(|_| test.ask())), with_other);
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(test.starts(), (0..10).map(|n| n * 31).collect::<Vec<_>>(), "a laxer gateway changes nothing");
    assert_eq!(test.transport.most_in_flight.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn no_more_requests_are_under_way_than_the_host_allows() {
    let test = TestGateway::new("three", Politeness::crossref(true), []);
    join_all((0..7).map(|_| test.ask())).await;
    assert_eq!(test.transport.most_in_flight.load(Ordering::SeqCst), 3);
    assert_eq!(test.starts(), [0, 3, 6, 20, 23, 26, 40]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_request_gives_its_turn_back() {
    let test = TestGateway::new("cancelled", Politeness::arxiv(), [Step::Silence]);
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
    let test = TestGateway::new(
        "headers",
        Politeness::crossref(true),
        [limit("2", "1"), limit("1", "1"), limit("99999", "99")],
    );
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
    let until = Some(Timestamp(Timestamp::of(noon()).0 + 3600));
    for _ in 0..3 {
        assert_eq!(test.ask().await.unwrap_err(), Fault::RateLimited { until });
    }
    assert_eq!(test.starts(), [0]);
    tokio::time::advance(Duration::from_secs(3600)).await;
    test.ask().await.unwrap();
    assert_eq!(test.starts().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_spent_budget_is_no_question_of_pace() {
    let spent = Step::Answer(429, vec![("x-ratelimit-remaining-usd", "0"), ("retry-after", "1")]);
    let test = TestGateway::new("budget", Politeness::openalex(), [spent]);
    let fault = test.ask().await.unwrap_err();
    assert!(matches!(fault, Fault::BudgetSpent { until: Some(_) }), "{fault}");
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
    let down = Fault::Down { reason: "connection refused".into() };
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
    assert_eq!(test.ask().await.unwrap_err(), Fault::TimedOut { seconds: 30 });
    assert_eq!(test.starts().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_remembered_for_its_time_unless_it_was_a_fault() {
    let test = TestGateway::new("memory", Politeness::arxiv(), [Step::Answer(403, vec![])]);
    let url = "https://memory.test/works?q=a";
    assert!(matches!(test.ask_for(url).await, Err(Fault::Refused { status: 403, .. })));
    assert!(test.ask_for(url).await.unwrap().notes.is_empty());
    assert_eq!(test.ask_for(url).await.unwrap().notes, ["the answer was remembered, the host was not asked again"]);
    assert_eq!(test.starts().len(), 2);
    tokio::time::advance(Duration::from_secs(24 * 3600)).await;
    test.ask_for(url).await.unwrap();
    assert_eq!(test.starts().len(), 3);
}
