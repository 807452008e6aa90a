//! What a model sends for a section takes nothing of the next one, cites in any usual spelling, and brings no list of references.

use graphloom_deepsearch::export::markdown;
use graphloom_deepsearch::state::Locale;
use graphloom_llm::ModelError;
use graphloom_llm::scripted::Reply;

use super::model::{Main, RunResult, ask, loud};
use super::script::{PromptKind, Script};

/// A run whose sections are this text, with a sentence that the documents state; the reply may be broken off.
async fn written(text: &str, is_cut: bool) -> RunResult {
    let text = text.to_owned();
    let sections = Script::default().on(PromptKind::Write, move |request| {
        let behind = request.prompt.split("The north report says that ").nth(1).unwrap();
        let subject = behind.split(" was counted").next().unwrap();
        let said = format!("The north report says that {subject} was counted in every one of the twelve places");
        let text = text.replace("{said}", &said);
        match is_cut {
            true => Err(ModelError::Incomplete { model: "scripted".into(), partial: text }),
            false => Ok(Reply::text(text)),
        }
    });
    ask(&Main::of_sections(sections), "How common are storks?", loud()).await
}

#[tokio::test(start_paused = true)]
async fn a_section_that_breaks_off_takes_nothing_of_the_next_one() {
    for (open, end, told) in [
        ("```python\nstorks = [", "\n```", "a block of code"),
        ("~~~~\n```\nstorks", "\n~~~~", "a block of code"),
        ("$$\nn = 12", "\n$$", "a formula"),
        ("<details>\n<summary>Storks", "\n\n</summary>\n</details>", "`<summary>`, `<details>`"),
    ] {
        let ended = written(&format!("## One part\n\n{{said}}[citation:1].\n\n{open}"), true).await;
        let state = ended.state();
        let text = &state.result().response_content;
        assert_eq!(text.matches(&format!("{open}{end}\n")).count(), 2, "{text}");
        assert_eq!(text.matches("[checked_citation:").count(), 2, "both sections cite: {text}");
        assert!(text.contains("\n# 2. Beta\n"), "{text}");
        assert_eq!(text.matches("# Reference Articles").count(), 1, "{text}");
        let noted = state.notes.iter().filter(|note| note.starts_with("section ") && note.contains(told));
        assert_eq!(noted.count(), 2, "{:?}", state.notes);
        let cut = "the text of the section ended at the limit of tokens";
        let notices: Vec<String> = state.notices.iter().map(ToString::to_string).collect();
        assert_eq!(notices.iter().filter(|notice| notice.contains(cut)).count(), 2, "{notices:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn citations_are_read_in_any_usual_spelling_and_code_stays() {
    let code = "```py\na[0] = \"[citation:1]\"\n```\n\nSo is `b[1] = \"[citation:2]\"`.";
    for mark in [
        "[citation:1]",
        "[citation:1,2]",
        "[citation:1, citation:2]",
        "【citation:1】",
        "［citation:1］",
        "[Citation:1]",
        "(citation:1)",
        "\\[citation:1\\]",
        "[citation：１，２]",
        "[[citation:1]]",
    ] {
        let ended = written(&format!("## One part\n\n{{said}} {mark}.\n\n{code}"), false).await;
        let state = ended.state();
        let result = state.result();
        let cited = result.response_content.matches("[checked_citation:").count();
        assert!(cited >= 2, "{mark}: {}", result.response_content);
        let text = markdown(&result, Locale::English);
        assert_eq!(text.matches("a[0] = \"[citation:1]\"").count(), 2, "{mark}: {text}");
        assert_eq!(text.matches("`b[1] = \"[citation:2]\"`").count(), 2, "{mark}: {text}");
        let plain = text.to_lowercase().replace('：', ":");
        for number in 1..=2 {
            assert_eq!(plain.matches(&format!("citation:{number}")).count(), 2, "{mark}: {text}");
        }
    }
    let ended = written("## One part\n\n{said} [citation:1]. More <citation:2>.", false).await;
    let notes = &ended.state().notes;
    assert!(
        notes.iter().any(|note| note.contains("in a form that is not read") && note.contains("`citation:2`")),
        "{notes:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn there_is_one_list_of_references() {
    for list in [
        "## References\n\n[1] Invented, A. A book. 2020.",
        "**Sources:**\n\n- Invented, A. (2020). A book.",
        "参考文献\n[1] Invented. A book. 2020.",
        "[1]: https://invented.example",
    ] {
        let ended = written(&format!("## One part\n\n{{said}} [1][citation:1].\n\n{list}\n"), false).await;
        let state = ended.state();
        let text = &state.result().response_content;
        assert!(
            !text.to_lowercase().contains("invented") && text.contains("twelve places[checked_citation:0]"),
            "{text}"
        );
        assert_eq!(text.matches("# Reference Articles").count(), 1, "{text}");
        let told = "a list of references of the model's own was taken out, 1 entry";
        assert_eq!(state.notes.iter().filter(|note| note.contains(told)).count(), 2, "{:?}", state.notes);
    }
    let ended = written("## Sources of error\n\n{said}[citation:1].", false).await;
    assert_eq!(ended.state().result().response_content.matches("Sources of error").count(), 2);
}
