//! Parameters in layers, as an application uses them.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use graphloom_cli::config::Layers;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Config {
    length: u32,
    style: String,
    title: Option<String>,
    plan: Plan,
    #[serde(default)]
    labels: std::collections::BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Order {
    Sequential,
    Eager,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Plan {
    max_depth: u32,
    order: Order,
    temperature: f64,
}

fn defaults() -> Config {
    Config {
        length: 1000,
        style: "plain".into(),
        title: None,
        plan: Plan { max_depth: 3, order: Order::Eager, temperature: 0.2 },
        labels: Default::default(),
    }
}

fn file(name: &str, text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join(name);
    std::fs::write(&path, text).unwrap();
    (place, path)
}

#[test]
fn later_layers_win_and_tell_their_source() {
    let (_place, path) = file("p.toml", "length = 300\nstyle = \"dry\"\n[plan]\norder = \"sequential\"\n");
    let mut layers = Layers::new(&defaults()).unwrap();
    layers.file(&path).unwrap();
    layers.set("style = 42").unwrap();
    layers.set("plan.max_depth=5").unwrap();
    layers.set("title=7").unwrap();
    layers.set("labels.colour=red").unwrap();
    layers.option("--length", "length", 200).unwrap();

    let config: Config = layers.build().unwrap();
    assert_eq!((config.length, config.style.as_str(), config.title.as_deref()), (200, "42", Some("7")));
    assert_eq!(config.plan, Plan { max_depth: 5, order: Order::Sequential, temperature: 0.2 });
    assert_eq!(config.labels["colour"], "red");

    let settings = layers.settings();
    let source = |key: &str| settings.0.iter().find(|s| s.key == key).unwrap().source.clone();
    assert_eq!(source("length"), "--length");
    assert_eq!(source("plan.order"), path.display().to_string());
    assert_eq!(source("plan.max_depth"), "--set");
    assert_eq!(source("plan.temperature"), "default");
    let text = settings.to_string();
    assert!(text.contains("from --length; default 1000"), "{text}");
    assert!(text.contains("plan.temperature = 0.2"), "{text}");
}

#[test]
fn what_is_printed_can_be_read_again() {
    let mut layers = Layers::new(&defaults()).unwrap();
    layers.set("plan.order=sequential").unwrap();
    layers.set("style=\"a \\\"b\\\"\"").unwrap();
    let (_place, path) = file("again.toml", &layers.settings().to_string());
    let mut again = Layers::new(&defaults()).unwrap();
    again.file(&path).unwrap();
    assert_eq!(again.build::<Config>().unwrap(), layers.build::<Config>().unwrap());
}

#[test]
fn mistakes_name_the_place_and_the_remedy() {
    let unknown = |text: &str| Layers::new(&defaults()).unwrap().set(text).unwrap_err().to_string();
    for (text, expected) in [
        ("lenght=3", "`--set`: there is no parameter `lenght`; did you mean `length`?"),
        ("plan.maxdepth=3", "did you mean `max_depth`?"),
        ("plan.zzz=3", "there are `max_depth`, `order`, `temperature`"),
        ("length.words=3", "inside a value that is no table"),
        ("length", "write `--set key=value`"),
    ] {
        let message = unknown(text);
        assert!(message.contains(expected), "{text}: {message}");
    }

    let wrong = |text: &str| {
        let mut layers = Layers::new(&defaults()).unwrap();
        layers.set(text).unwrap();
        layers.build::<Config>().unwrap_err()
    };
    for (text, expected) in [
        ("length=long", "`--set`: the parameter `length` cannot be set: invalid type: string \"long\", expected u32"),
        ("plan.order=both", "the parameter `plan.order` cannot be set: unknown variant `both`"),
        ("length=-1", "the parameter `length` cannot be set"),
    ] {
        let error = wrong(text);
        assert_eq!(error.status() as u8, 2);
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
}

#[test]
fn files_that_hold_no_parameters_are_refused() {
    for (name, text, expected) in [
        ("a.toml", "length = = 3", "is not a file of parameters"),
        ("a.json", "[1]", "it holds no table"),
        ("a.json", "{\"length\": }", "line 1 column"),
        ("a.toml", "[plan]\nmax_dept = 1", "did you mean `max_depth`?"),
    ] {
        let (_place, path) = file(name, text);
        let message = Layers::new(&defaults()).unwrap().file(&path).unwrap_err().to_string();
        assert!(message.contains(expected), "{text}: {message}");
        assert!(message.contains(name), "{message}");
    }
    let missing = Layers::new(&defaults()).unwrap().file("/nowhere/at/all.toml".as_ref()).unwrap_err();
    assert!(missing.to_string().contains("`/nowhere/at/all.toml`"));
}
