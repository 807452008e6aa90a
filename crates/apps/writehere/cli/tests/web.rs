//! Reports from the web: engines on this machine that speak as Tavily and Serper do.

use std::process::Output;

use graphloom_frozen_web::FrozenWeb;

use crate::support::{QUESTION, TestDir, assert_report, text};

struct Online {
    dir: TestDir,
    runtime: tokio::runtime::Runtime,
    frozen: FrozenWeb,
}

impl Online {
    fn new() -> Self {
        let dir = TestDir::new();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let frozen = runtime.block_on(FrozenWeb::of(&dir.path("corpus"), &dir.path("frozen")));
        Self { dir, runtime, frozen }
    }

    fn run(&self, args: &[&str]) -> Output {
        self.dir.command(args).envs(self.frozen.environment()).output().unwrap()
    }

    fn asked(&self) -> usize {
        self.runtime.block_on(self.frozen.questions()).len()
    }
}

#[test]
fn a_report_from_the_web_cites_its_pages_and_goes_on_with_the_same_engines() {
    let online = Online::new();
    let base = ["report", QUESTION, "--length", "90", "--model", "embedded", "--out", "out", "--thread", "web"];
    let stopped = online.run(&[&base[..], &["--search", "tavily,google", "--budget", "calls=1"]].concat());
    assert_ne!(stopped.status.code(), Some(0), "{}", text(&stopped.stderr));
    let output = online.run(&["resume", "web", "--budget", "calls=200"]);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("queries are sent to: tavily, google"), "{said}");
    assert_report(&online.dir.path("out"));
    let report = online.dir.read("out/report.md");
    assert!(report.contains("http://"), "a page is cited: {report}");
    assert!(online.asked() > 0);
}

#[test]
fn nothing_is_sent_unless_an_engine_is_named_or_has_a_key() {
    let online = Online::new();
    let mut command = online.dir.command(&online.dir.report(&["--out", "out"]));
    // A key file that is not there does no harm to a run that asks nobody.
    command.envs(online.frozen.environment()).env_remove("TAVILY_API_KEY").env("TAVILY_API_KEY_FILE", "absent");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(online.asked(), 0, "there is a corpus");
    assert!(!text(&output.stderr).contains("queries are sent"), "{}", text(&output.stderr));
}
