//! The options as users write them.

use clap::{CommandFactory, Parser};
use graphloom_cli::{BaseArgs, OutputArgs, RunArgs, SearchEngine, SourceArgs, ThreadArgs};

#[derive(Parser, Debug)]
struct App {
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    sources: SourceArgs,
    #[command(flatten)]
    thread: ThreadArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    base: BaseArgs,
}

fn parse(line: &[&str]) -> Result<App, String> {
    App::try_parse_from([&["app"], line].concat()).map_err(|error| error.to_string())
}

#[test]
fn the_definition_is_sound() {
    App::command().debug_assert();
}

#[test]
fn options_are_read_into_their_groups() {
    let line = ["--model", "scripted:s", "--corpus", "a", "--corpus", "b", "--thread", "t", "--out", "o", "--json"];
    let app = parse(&line).unwrap();
    assert_eq!(app.run.models.model.as_ref().unwrap().to_string(), "scripted:s");
    assert_eq!(app.sources.corpus.len(), 2);
    assert_eq!((app.thread.thread.as_deref(), app.output.out), (Some("t"), Some("o".into())));
    assert!(app.base.json);
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
    assert_eq!(app.sources.search, [SearchEngine::None]);
    assert_eq!(app.run.models.budget.unwrap().calls, Some(5));
    assert_eq!((app.base.verbose, app.run.parameters.sets.len()), (2, 2));
}

#[test]
fn help_names_only_what_is_there() {
    let help = App::command().render_long_help().to_string();
    for there in [
        "embedded",
        "compatible:NAME@BASE_URL",
        "anthropic:NAME",
        "ollama:NAME",
        "gguf:PATH",
        "replay:FILE",
        "--budget",
        "--print-config",
    ] {
        assert!(help.contains(there), "{there}");
    }
    for absent in ["duckduckgo", "bing"] {
        assert!(!help.to_lowercase().contains(absent), "{absent}");
    }
}
