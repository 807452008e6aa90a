//! Technical text comes out as it was written: the finishing pass touches nothing but citations.

use crate::compatible::report;
use crate::planner::{Scripted, answer};
use crate::support::{TestDir, text};

/// What an earlier finishing pass changed: indices, leading dots, tables, hard breaks, formulas, years in brackets.
const PART: &str = r#"With .NET , `x[0]` and y[12] , z ; see [2024] and a .bashrc file.  
A hard break stood before this line [3].

```rust
let x = y[1] ; // [2] , all of it
```

| cell [1] , | other ; |
|---|---|
| $a[0]$ . | `b[7]` |

    indented[4] ; code"#;

fn written(story: bool) -> (String, String) {
    let server = Scripted::but(|prompt| {
        let mark = prompt.match_indices("[reference:").map(|(at, _)| &prompt[at..]);
        let mark = mark.filter_map(|rest| rest.split_inclusive(']').next()).find(|mark| !mark.contains("some-name"));
        let cited = mark.map(|mark| format!("\n\nThe log comes first {mark}.")).unwrap_or_default();
        prompt.contains("<article>").then(|| answer(&format!("<article>\n{PART}{cited}\n</article>")))
    });
    let (dir, model) = (TestDir::new(), server.model());
    let args = if story {
        vec!["story", "A keeper of logs", "--length", "120", "--model", &model, "--out", "out"]
    } else {
        report(&model, &["--out", "out"])
    };
    let output = dir.run(&args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    (dir.read("out/report.md"), dir.read("out/run.json"))
}

#[test]
fn a_story_keeps_every_byte_of_its_parts() {
    let (text, _) = written(true);
    assert_eq!(text, format!("# A keeper of logs\n\n{PART}\n\n{PART}\n"));
}

#[test]
fn a_report_changes_its_citations_and_nothing_else() {
    let (text, run) = written(false);
    let body = text.split("\n\n## References").next().unwrap();
    let (_, body) = body.split_once("\n\n").unwrap();
    // `[1]` stands in the table and `[3]` in a line, so that the only source has another number.
    let part = format!("{PART}\n\nThe log comes first [2].");
    assert_eq!(body, format!("{part}\n\n{part}"));
    assert!(text.contains("\n\n[2] Write-ahead logging. corpus/logging.md"), "{text}");
    assert!(run.contains("`[1]` in the text is no citation; it was left"), "{run}");
    assert_eq!(graphloom_writehere::cite::verify(&text), []);
}

#[test]
fn references_show_no_path_of_the_machine() {
    let server = Scripted::start();
    let (dir, model) = (TestDir::new(), server.model());
    let corpus = dir.path("corpus").display().to_string();
    let mut args = report(&model, &["--out", "out"]);
    let at = args.iter().position(|arg| *arg == "corpus").unwrap();
    args[at] = &corpus;
    let output = dir.run(&args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let written = dir.read("out/report.md");
    assert!(written.contains(" corpus/logging.md"), "{written}");
    assert!(!written.contains(&*dir.root().to_string_lossy()), "{written}");
}
