//! Texts as models write them, and what of them is the answer.

use super::{Piece, Separated, Splitter, separate};

/// A text, its answer, and its thoughts.
const TEXTS: &[(&str, &str, &str)] = &[
    ("", "", ""),
    (" plain \n", " plain \n", ""),
    ("<think>t</think>a", "a", "t"),
    ("\n<think>\nt\n\nu\n</think>\n\n  a\n", "a\n", "t\n\nu"),
    ("\u{feff}<THINK>t</Think>a", "a", "t"),
    ("< think >t</ think >a", "a", "t"),
    ("<think kind=\"long\">t</think>a", "a", "t"),
    ("<think/>a", "a", ""),
    ("<think></think>\n\na", "a", ""),
    ("<thinking>t</thinking>a", "a", "t"),
    ("<thought>t</thought>a", "a", "t"),
    ("<reasoning>t</reasoning>a", "a", "t"),
    ("<seed:think>t</seed:think>a", "a", "t"),
    ("<|begin_of_thought|>t<|end_of_thought|><|begin_of_solution|>a<|end_of_solution|>", "a", "t"),
    ("<|START_THINKING|>t<|END_THINKING|><|START_RESPONSE|>a<|END_RESPONSE|>", "a", "t"),
    ("<｜begin▁of▁thought｜>t<｜end▁of▁thought｜>a", "a", "t"),
    ("[THINK]t[/THINK]a", "a", "t"),
    ("◁think▷t◁/think▷a", "a", "t"),
    ("<|channel>thought\nt<channel|>a", "a", "t"),
    ("My steps.\n[BEGIN FINAL RESPONSE]\na\n[END FINAL RESPONSE]", "a\n", "My steps."),
    // Begun by the server's template.
    ("t</think>a", "a", "t"),
    ("\nso it is\n</think>\n\na", "a", "so it is"),
    (
        "Maybe <article>DECOY</article> fits </think> <article>real</article>",
        "<article>real</article>",
        "Maybe <article>DECOY</article> fits",
    ),
    ("t[/THINK]a", "a", "t"),
    ("t◁/think▷a", "a", "t"),
    ("t<|end_of_thought|>a", "a", "t"),
    ("I close with </think> and answer. No, wait.</think>a", "a", "I close with </think> and answer. No, wait."),
    ("I speak of <think> tags. So.\n</think>\nAll tags.", "All tags.", "I speak of <think> tags. So."),
    ("first</think>second</think>a", "a", "first\n\nsecond"),
    ("</think>\n\na", "a", ""),
    ("a thought that ends the reply</think>", "", "a thought that ends the reply"),
    // Never closed.
    ("<think>t\n<article>DECOY</article>", "", "t\n<article>DECOY</article>"),
    ("One part.\n\n<think>\nand now", "One part.\n\n", "and now"),
    ("[THINK]t", "", "t"),
    ("<|begin_of_thought|>t", "", "t"),
    // Several.
    ("<think>s</think>One.\n<think>t</think>\nTwo.", "One.\nTwo.", "s\n\nt"),
    ("<think>s</think>\n<think>t</think>\na", "a", "s\n\nt"),
    ("One. <think>t</think> Two.", "One. Two.", "t"),
    ("One<think>t</think>Two", "OneTwo", "t"),
    ("<think>s<think>t</think>u</think>a", "a", "s<think>t</think>u"),
    ("<thinking>s\n<reflection>t</reflection>\nu</thinking>a", "a", "s\n<reflection>t</reflection>\nu"),
    ("<think>t</thinking>a", "a", "t"),
    ("<think>t</think>a</think>", "a", "t"),
    // Drafts, code and marks in thoughts.
    ("<think>I end with `</think>`, then.</think>a", "a", "I end with `</think>`, then."),
    ("<think>\n```xml\n</think>\n```\nso\n</think>\na", "a", "```xml\n</think>\n```\nso"),
    ("<think>\n```python\nprint(1)\n</think>\na", "a", "```python\nprint(1)"),
    ("<think>\n```python\nx\n</think>\n```rust\ny\n```\n", "```rust\ny\n```\n", "```python\nx"),
    ("<think>\n```\nx\n</think>\n```\ny\n```\n", "```\ny\n```\n", "```\nx"),
    ("<think>Is it `x?</think>`y` it is.", "`y` it is.", "Is it `x?"),
    (
        "<think>The tags <think> and </think> are asked for.</think>a",
        "a",
        "The tags <think> and </think> are asked for.",
    ),
    // Channels.
    ("<|channel|>analysis<|message|>t<|end|><|start|>assistant<|channel|>final<|message|>a<|return|>", "a", "t"),
    (
        "<|start|>assistant<|channel|>analysis<|message|>t<|end|><|start|>assistant<|channel|>final<|message|>a",
        "a",
        "t",
    ),
    (
        "<|channel|>analysis<|message|>s<|end|><|channel|>commentary<|message|>t<|end|><|channel|>final <|constrain|>json<|message|>{}",
        "{}",
        "s\n\nt",
    ),
    ("analysis<|message|>t<|end|><|start|>assistant<|channel|>final<|message|>a", "a", "t"),
    ("t<|end|><|start|>assistant<|channel|>final<|message|>a", "a", "t"),
    ("<|channel|>analysis<|message|>t", "", "t"),
    ("<|channel|>final<|message|>a<|end|>", "a", ""),
    ("analysisWe look.assistantfinalThe answer.", "The answer.", "We look."),
    ("analysis We look. assistantfinal The answer.", "The answer.", "We look."),
    ("analysisWe look.assistantcommentaryA note.assistantfinala", "a", "We look.\n\nA note."),
    ("analysisWe look", "", "We look"),
    ("We look.assistantfinalThe answer.", "The answer.", "We look."),
    ("a<|return|>", "a", ""),
];

/// Texts that speak of such marks, and keep all their words.
const SPEAK: &[&str] = &[
    "Thoughts stand between `<think>` and `</think>`.",
    "A model writes <think> and </think> around its thoughts.",
    "Close it with </think> in any case.",
    "The tag </think> closes them.",
    "It begins with \"<think>\" and ends with \"</think>\".",
    "Between <think>…</think>, and only there, it thinks.",
    "```xml\n<think>\nt\n</think>\n```\nThat is all.",
    "~~~\n</think>\n~~~\n",
    "```xml\n<think>\nt\n</think>\nIt was cut",
    "Use ``<think>`` once.\n\n`</think>` ends it.",
    "Two parts. <think> opens the thoughts and </think> closes them.",
    "Two parts:\n<think> opens the thoughts and </think> closes them.\nThat is all.",
    "{\"text\": \"thoughts </think> answer\", \"tags\": [\"<think>\"]}",
    "[\"<think>\", \"x</think>y\"]",
    "> <think>quoted</think>\n\nA log.",
    "- <think>: opens\n- </think>: closes\n",
    "a < b, c <thinker> and <thoughtful>",
    "[THINKING about it](https://a.example)",
    "analysis of tides: they rise",
    "final words",
    "An assistant finalises it; assistantships too.",
    "<|im_start|> is a token, and <|think",
    "使用<think>和</think>标签。",
];

fn streamed<'t>(pieces: impl IntoIterator<Item = &'t str>) -> (String, String, Separated) {
    let mut splitter = Splitter::default();
    let (mut answer, mut thoughts) = (String::new(), String::new());
    let mut take = |pieces: Vec<Piece>| {
        for piece in pieces {
            match piece {
                Piece::Answer(text) => answer += &text,
                Piece::Thoughts(text) => thoughts += &text,
                Piece::TakenBack => answer.clear(),
            }
        }
    };
    for piece in pieces {
        take(splitter.push(piece));
    }
    let (rest, whole) = splitter.finish();
    take(rest);
    (answer, thoughts, whole)
}

fn characters(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()])
}

#[test]
fn thoughts_in_every_form_are_told_from_the_answer() {
    for (text, answer, thoughts) in TEXTS {
        let told = separate(text);
        assert_eq!((told.answer.as_str(), told.thoughts.as_str()), (*answer, *thoughts), "{text:?}");
    }
}

#[test]
fn a_text_that_speaks_of_marks_keeps_its_words() {
    for text in SPEAK {
        let told = separate(text);
        assert_eq!((told.answer.as_str(), told.thoughts.as_str()), (*text, ""));
        let behind = format!("<think>They ask about tags.</think>{text}");
        assert_eq!(separate(&behind).answer, text.trim_start(), "{behind:?}");
    }
}

#[test]
fn pieces_are_what_the_whole_is() {
    let speak = SPEAK.iter().map(|text| (*text, *text, ""));
    for (text, answer, thoughts) in TEXTS.iter().copied().chain(speak) {
        let (told, thought, whole) = streamed(characters(text));
        assert_eq!((told.as_str(), whole.answer.as_str()), (answer, answer), "{text:?}");
        // A fence that thoughts leave open may be known as such at the end only.
        let is_told_late = thoughts == "```\nx";
        assert!(thought == thoughts || is_told_late, "{text:?}: {thought:?}");
        assert_eq!(whole.thoughts, thoughts, "{text:?}");
    }
}

#[test]
fn an_answer_is_told_while_it_comes() {
    let mut splitter = Splitter::default();
    assert_eq!(splitter.push("<think>so"), [Piece::Thoughts("so".into())]);
    assert_eq!(splitter.push(" it </thi"), [Piece::Thoughts(" it".into())]);
    assert_eq!(splitter.push("nk>\n"), []);
    assert_eq!(splitter.push("\nTen "), [Piece::Answer("Ten ".into())]);
    assert_eq!(splitter.push("tides <"), [Piece::Answer("tides ".into())]);
    assert_eq!(splitter.push("b>a"), [Piece::Answer("<b>a".into())]);
    let mut begun = Splitter::default();
    assert_eq!(begun.push("Nine? No."), [Piece::Answer("Nine? No.".into())]);
    assert_eq!(begun.push("</think>"), []);
    let taken = [Piece::TakenBack, Piece::Thoughts("Nine? No.".into()), Piece::Answer("Ten.".into())];
    assert_eq!(begun.push("\n\nTen."), taken);
}

#[test]
fn a_text_of_marks_is_read_to_its_end() {
    for text in ["<think>", "</think>", "<think></think>", "`<think>", "[THINK]x", "<|end|>", "<", "```\n</think>\n"] {
        let many = text.repeat(1_000);
        let _ = separate(&many);
        let _ = streamed(many.as_bytes().chunks(1000).map(|chunk| std::str::from_utf8(chunk).unwrap()));
    }
    let plain = "words and more of them ".repeat(1_000);
    let (told, ..) = streamed(plain.as_bytes().chunks(4).map(|chunk| std::str::from_utf8(chunk).unwrap()));
    assert_eq!(told, plain);
}
