//! What a model sends for a part takes nothing of the next one, cites in any usual spelling, and brings no list of references.
//! The server is scripted.

use serde_json::Value;

use crate::compatible::report;
use crate::planner::{Scripted, ended, marks};
use crate::support::{TestDir, text};

/// The report and `run.json` of a run whose two parts are these texts, `{id}` being the id of what was found. The reply with
/// the first one ended for this reason.
fn written(first: &str, reason: &str, second: &str) -> (String, Value) {
    let (first, reason, second) = (first.to_owned(), reason.to_owned(), second.to_owned());
    let server = Scripted::but(move |prompt| {
        if !prompt.contains("<article>") {
            return None;
        }
        let mark = marks(prompt).into_iter().next().unwrap_or_default();
        let id = mark.trim_start_matches("[reference:").trim_end_matches(']').to_owned();
        let is_first = prompt.contains("Say how the log is written :**You Need To Write**");
        let (part, reason) = if is_first { (&first, reason.as_str()) } else { (&second, "stop") };
        let end = if reason == "stop" { "</article>" } else { "" };
        Some(ended(&format!("<article>\n{}{end}", part.replace("{id}", &id)), reason))
    });
    let (dir, model) = (TestDir::new(), server.model());
    let output = dir.run(&report(&model, &["--out", "out", "--set", "settings.length.keep=false"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let run = serde_json::from_str(&dir.read("out/run.json")).unwrap();
    (dir.read("out/report.md"), run)
}

#[test]
fn a_part_that_breaks_off_takes_nothing_of_the_next_one() {
    // A reply that was cut loses its last sentence only where more than half of it stands before.
    let rest = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen";
    let second = "## How recovery goes\n\nThe log is read again [reference:{id}].";
    for (open, end, told) in [
        ("```python\nlog = [", "\n```", "a block of code"),
        ("~~~~\n```\nlog", "\n~~~~", "a block of code"),
        ("> 1. ```\n>    log", "\n>    ```", "a block of code"),
        ("$$\n\\begin{aligned}\na &= b", "\n\\end{aligned}\n$$", "a formula"),
        ("\\[\na = b", "\n\\]", "a formula"),
        ("<details>\n<summary>Log", "\n\n</summary>\n</details>", "`<summary>`, `<details>`"),
        ("<!-- log", "\n-->", "a comment or a tag"),
    ] {
        let (text, run) = written(&format!("It comes first [reference:{{id}}].\n\n{open} {rest}"), "length", second);
        let whole = format!(
            "It comes first [1].\n\n{open} {rest}{end}\n\n## How recovery goes\n\nThe log is read again [1].\n\n## References\n\n[1] "
        );
        assert!(text.contains(&whole), "{text}");
        let notes = run["notes"].to_string();
        assert!(notes.contains("inside of") && notes.contains(told) && notes.contains("limit of tokens"), "{notes}");
    }
}

#[test]
fn citations_are_read_in_any_usual_spelling_and_code_stays() {
    let code = "`x = \"[reference:{id}]\"`";
    for mark in [
        "【reference:{id}】",
        "［reference:{id}］",
        "(reference:{id})",
        "[reference:{id}, reference:{id}]",
        "[reference:{id}; {id}]",
        "[Reference: {id}]",
        "\\[ref：{id}\\]",
        "[[reference:{id}]]",
    ] {
        let (text, run) = written(&format!("It comes first {mark}. So is {code}."), "stop", "More [reference:{id}].");
        assert!(text.contains("\n\nIt comes first [1]. So is `x = \"[reference:"), "{mark}: {text}");
        assert!(!run["notes"].to_string().contains("citation"), "{mark}: {}", run["notes"]);
    }
    let (_, run) = written("It comes first <{id}>.", "stop", "More [reference:{id}].");
    assert!(run["notes"].to_string().contains("in a form that is no citation"), "{}", run["notes"]);
}

#[test]
fn there_is_one_list_of_references() {
    let first = "It comes first [1] [reference:{id}].\n\n## References\n[1] Invented, A. A book. 2020.\n[2] https://invented.example";
    let second = "More [2] [reference:{id}].\n\n**Sources:**\n\n- Smith, J. (2020). Invented.\n- [2] Another";
    let (text, run) = written(first, "stop", second);
    let (body, list) = text.split_once("\n\n## References\n\n").unwrap();
    assert!(body.ends_with("It comes first [1].\n\nMore [1]."), "{body}");
    assert!(list.starts_with("[1] Write-ahead logging.") && !text.contains("nvented"), "{list}");
    let notes = run["notes"].to_string();
    assert_eq!(notes.matches("a list of references of the model's own was taken out, 2 entries").count(), 2, "{notes}");

    let real = "## Sources of error\n\nThe clock drifts [reference:{id}].";
    assert!(
        written("It comes first [reference:{id}].", "stop", real)
            .0
            .contains("## Sources of error\n\nThe clock drifts [1].")
    );
}

#[test]
fn the_list_begins_with_one_and_has_a_heading_in_the_language_of_the_text() {
    let plain = "每次修改都先写入日志，然后才写入数据库文件本身，因此断电之后可以恢复。".repeat(3);
    let (text, _) = written(
        &format!("{plain}日志先于页面写入 `a[1]`，其中 $y[2]$ [reference:{{id}}]。"),
        "stop",
        &format!("{plain}恢复时重新读取日志 \\(z[1]\\) [reference:{{id}}]。"),
    );
    assert!(text.contains("$y[2]$ [1]。") && text.contains("\n\n## 参考文献\n\n[1] Write-ahead logging."), "{text}");
    assert_eq!(graphloom_writehere::cite::verify(&text), []);
}
