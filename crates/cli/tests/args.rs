//! The options as users write them.

use clap::{CommandFactory, Parser, Subcommand};
use graphloom_cli::{CommonArgs, SearchEngine};

#[derive(Parser, Debug)]
struct App {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Subcommand, Debug)]
enum Command {
    Report { request: String },
}

fn parse(line: &[&str]) -> Result<App, String> {
    App::try_parse_from([&["app"], line].concat()).map_err(|error| error.to_string())
}

#[test]
fn the_definition_is_sound() {
    App::command().debug_assert();
}

#[test]
fn options_stand_before_or_after_the_subcommand() {
    for line in [
        ["--model", "scripted:s", "--corpus", "a", "--corpus", "b", "--json", "report", "tides"],
        ["report", "tides", "--model", "scripted:s", "--corpus", "a", "--corpus", "b", "--json"],
        ["report", "--json", "tides", "--corpus", "a", "--model", "scripted:s", "--corpus", "b"],
    ] {
        let app = parse(&line).unwrap();
        assert_eq!(app.common.model.as_ref().unwrap().to_string(), "scripted:s", "{line:?}");
        assert_eq!(app.common.corpus.len(), 2, "{line:?}");
        assert!(app.common.base.json);
        assert!(matches!(app.command, Some(Command::Report { request }) if request == "tides"));
    }
}

#[test]
fn values_are_checked_when_they_are_read() {
    for (line, expected) in [
        (&["--model", "gpt-6"][..], "write `embedded`, `compatible:NAME@BASE_URL`"),
        (&["--model", "plan=nope"], "neither a kind of model nor a weights file"),
        (&["--budget", "tokens"], "it has no `=`"),
        (&["--budget", "calls=2,calls=3"], "given twice"),
        (&["--search", "local,bing"], "possible values: local, "),
        (&["-q", "-v"], "cannot be used with"),
    ] {
        let message = parse(line).unwrap_err();
        assert!(message.contains(expected), "{line:?}: {message}");
    }
    let app =
        parse(&["--search", "none", "--budget", "calls=5,time=2m", "-vv", "--set", "a=1", "--set", "b=2"]).unwrap();
    assert_eq!(app.common.search, [SearchEngine::None]);
    assert_eq!(app.common.budget.unwrap().calls, Some(5));
    assert_eq!((app.common.base.verbose, app.common.sets.len()), (2, 2));
}

#[test]
fn help_names_only_what_is_there() {
    let help = App::command().render_long_help().to_string();
    for there in ["embedded", "compatible:NAME@BASE_URL", "gguf:PATH", "replay:FILE", "--budget", "--print-config"] {
        assert!(help.contains(there), "{there}");
    }
    for absent in ["anthropic", "gemini", "openrouter", "bing"] {
        assert!(!help.to_lowercase().contains(absent), "{absent}");
    }
}
