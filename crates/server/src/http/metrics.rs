//! The figures of the server, at `/metrics`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use axum::http::{Method, StatusCode};
use dashmap::DashMap;
use serde_json::{Value, json};

/// Counters that any part of the server adds to. Each is read by itself: together they are no one moment.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    requests: DashMap<(&'static str, String, u16), AtomicU64>,
    durations: DashMap<String, Histogram>,
    in_flight: AtomicU64,
    panics: AtomicU64,
    runs: DashMap<&'static str, AtomicU64>,
}

/// The upper bounds of the histogram's classes, in seconds; what takes longer is counted after the last.
const BOUNDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

#[derive(Debug, Default)]
struct Histogram {
    /// How many took at most the bound and more than the one before.
    classes: [AtomicU64; BOUNDS.len() + 1],
    microseconds: AtomicU64,
}

impl Histogram {
    fn add(&self, took: Duration) {
        let seconds = took.as_secs_f64();
        let class = BOUNDS.iter().position(|bound| seconds <= *bound).unwrap_or(BOUNDS.len());
        self.classes[class].fetch_add(1, Relaxed);
        self.microseconds.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Relaxed);
    }

    fn cumulative(&self) -> Vec<u64> {
        let counts = self.classes.iter().map(|class| class.load(Relaxed));
        counts
            .scan(0, |sum, count| {
                *sum += count;
                Some(*sum)
            })
            .collect()
    }

    fn seconds(&self) -> f64 {
        Duration::from_micros(self.microseconds.load(Relaxed)).as_secs_f64()
    }
}

/// What is read at the moment of the report.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gauges {
    pub(crate) open_streams: usize,
    pub(crate) active_runs: usize,
}

/// A request that is under way, until it is dropped.
pub(crate) struct InFlight<'a>(&'a Metrics);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Relaxed);
    }
}

impl Metrics {
    pub(crate) fn begin(&self) -> InFlight<'_> {
        self.in_flight.fetch_add(1, Relaxed);
        InFlight(self)
    }

    /// Counts an answer; `route` is the template of the path, never the path: its number is bounded.
    pub(crate) fn answered(&self, method: &Method, route: &str, status: StatusCode, took: Duration) {
        let key = (method_name(method), route.to_owned(), status.as_u16());
        self.requests.entry(key).or_default().fetch_add(1, Relaxed);
        match self.durations.get(route) {
            Some(histogram) => histogram.add(took),
            None => self.durations.entry(route.to_owned()).or_default().add(took),
        }
    }

    pub(crate) fn panicked(&self) {
        self.panics.fetch_add(1, Relaxed);
    }

    /// Counts a run that came to the status.
    pub(crate) fn run_reached(&self, status: &'static str) {
        self.runs.entry(status).or_default().fetch_add(1, Relaxed);
    }

    /// The report in the text format of Prometheus, version 0.0.4.
    pub(crate) fn prometheus(&self, gauges: Gauges) -> String {
        let mut text = String::new();
        let mut family = |name: &str, kind: &str, help: &str, samples: Vec<(String, String)>| {
            let _ = writeln!(text, "# HELP graphloom_{name} {help}\n# TYPE graphloom_{name} {kind}");
            for (labels, value) in samples {
                let _ = writeln!(text, "graphloom_{name}{labels} {value}");
            }
        };
        let alone = |value: u64| vec![(String::new(), value.to_string())];
        let requests = self.requests_by_route().into_iter().map(|((route, method, status), count)| {
            (format!("{{method=\"{method}\",route=\"{}\",status=\"{status}\"}}", escaped(&route)), count.to_string())
        });
        family("http_requests_total", "counter", "Answers by route and status.", requests.collect());
        let mut durations = Vec::new();
        for (route, (counts, seconds)) in self.durations_by_route() {
            let route = escaped(&route);
            let bounds = BOUNDS.iter().map(ToString::to_string).chain(["+Inf".to_owned()]);
            for (bound, count) in bounds.zip(&counts) {
                durations.push((format!("_bucket{{route=\"{route}\",le=\"{bound}\"}}"), count.to_string()));
            }
            durations.push((format!("_sum{{route=\"{route}\"}}"), seconds.to_string()));
            let count = counts.last().copied().unwrap_or_default();
            durations.push((format!("_count{{route=\"{route}\"}}"), count.to_string()));
        }
        let help = "Seconds until the head of an answer was ready.";
        family("http_request_duration_seconds", "histogram", help, durations);
        family(
            "http_requests_in_flight",
            "gauge",
            "Requests whose answer has not begun.",
            alone(self.in_flight.load(Relaxed)),
        );
        family("open_streams", "gauge", "Streams that are open.", alone(gauges.open_streams as u64));
        family("active_runs", "gauge", "Runs that are executed.", alone(gauges.active_runs as u64));
        let runs =
            self.runs_by_status().into_iter().map(|(status, n)| (format!("{{status=\"{status}\"}}"), n.to_string()));
        family("runs_total", "counter", "Runs by the status that they came to.", runs.collect());
        family("panics_total", "counter", "Requests that ended in a panic.", alone(self.panics.load(Relaxed)));
        text
    }

    /// The same report as JSON.
    pub(crate) fn json(&self, gauges: Gauges) -> Value {
        let requests = self.requests_by_route().into_iter().map(|((route, method, status), count)| {
            json!({ "route": route, "method": method, "status": status, "count": count })
        });
        let durations = self.durations_by_route().into_iter().map(|(route, (counts, seconds))| {
            let count = counts.last().copied().unwrap_or_default();
            json!({ "route": route, "count": count, "seconds": seconds, "bounds": BOUNDS, "at_most": counts })
        });
        json!({
            "requests": requests.collect::<Vec<_>>(),
            "durations": durations.collect::<Vec<_>>(),
            "requests_in_flight": self.in_flight.load(Relaxed),
            "open_streams": gauges.open_streams,
            "active_runs": gauges.active_runs,
            "runs": self.runs_by_status(),
            "panics": self.panics.load(Relaxed),
        })
    }

    fn requests_by_route(&self) -> BTreeMap<(String, &'static str, u16), u64> {
        let counts = self.requests.iter().map(|entry| {
            let (method, route, status) = entry.key();
            ((route.clone(), *method, *status), entry.value().load(Relaxed))
        });
        counts.collect()
    }

    fn durations_by_route(&self) -> BTreeMap<String, (Vec<u64>, f64)> {
        self.durations.iter().map(|entry| (entry.key().clone(), (entry.cumulative(), entry.seconds()))).collect()
    }

    fn runs_by_status(&self) -> BTreeMap<&'static str, u64> {
        self.runs.iter().map(|entry| (*entry.key(), entry.value().load(Relaxed))).collect()
    }
}

/// A client may send any word as a method.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}

fn escaped(label: &str) -> String {
    label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
