//! Replies of drawn thoughts around drawn answers, in every form, whole and in pieces: what comes out is the answer, and the
//! thoughts are the rest.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::{Piece, Splitter, apart, separate};
use crate::{ChatResponse, FinishReason, Message, Part, Usage};

/// What opens and closes thoughts.
const FORMS: &[(&str, &str)] = &[
    ("<think>", "</think>"),
    ("<THINK>", "</THINK>"),
    ("<Think >", "</think >"),
    ("<think lang=\"en\">", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel>thought\n", "<channel|>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("<|start|>assistant<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
];

/// Forms that may stand between parts of an answer, too.
const BLOCKS: usize = 12;

/// Pieces of answers: the first ones may begin one.
const ANSWER: &[&str] = &[
    "The tide rises twice a day.",
    "<article>\nWater follows the moon.\n</article>",
    "# Größe\n\nEin Wort – 日本 🌊.",
    "- one\n- two <b>bold</b>",
    "`</think>` closes what `<think>` opens.",
    "```xml\n<think>\nno thoughts\n</think>\n```",
    "{\"atomic\": \"complex </think> text\"}",
    "A model writes <think> and </think> around its thoughts.",
    "It costs 3 < 4 dollars [1] [reference:a].",
    "<result>\n<atomic_task_determination>\ncomplex\n</atomic_task_determination>\n</result>",
];

const THOUGHTS: &[&str] = &[
    "Maybe <article>DECOY</article> would fit.",
    "<result><atomic_task_determination>atomic</atomic_task_determination></result> No.",
    "Hmm, 日本 then 🌊…",
    "{\"sub_tasks\": [\"DECOY\"]}",
    "I must close with `</think>` later, or `[/THINK]`.",
    "```xml\n<think>DECOY\n</think>\n```",
    "The tags <think> and </think> are asked for.",
    "A list:\n- [1] DECOY\n- a < b",
    "wait,  what   of\n\n\nthat",
];

/// Where thoughts stand.
#[derive(Clone, Debug)]
enum Shape {
    /// Closed thoughts before the answer.
    Closed,
    /// The template of the server opened them.
    Begun,
    /// Several, before the answer and between its parts.
    Several,
    /// Nothing closes them.
    Open,
    /// Channels whose tokens are gone.
    Glued,
    /// No thoughts.
    None,
}

#[derive(Clone, Debug)]
struct Reply {
    text: String,
    answer: String,
    thoughts: String,
}

fn joined(pieces: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(select(pieces), 1..=most).prop_map(|pieces| pieces.join("\n\n"))
}

fn reply() -> impl Strategy<Value = Reply> {
    let shape = prop_oneof![
        3 => Just(Shape::Closed),
        3 => Just(Shape::Begun),
        2 => Just(Shape::Several),
        1 => Just(Shape::Open),
        1 => Just(Shape::Glued),
        1 => Just(Shape::None),
    ];
    let gap = select(&["", "\n", "\n\n", " ", "\r\n"][..]);
    let thoughts = (joined(THOUGHTS, 3), joined(THOUGHTS, 2));
    let answers = (joined(ANSWER, 3), joined(ANSWER, 2));
    (shape, any::<Index>(), gap, thoughts, answers).prop_map(|(shape, form, gap, thoughts, answers)| {
        let (first, second) = thoughts;
        let (answer, more) = answers;
        let (open, close) = *form.get(FORMS);
        match shape {
            Shape::Closed => {
                let text = format!("{gap}{open}{gap}{first}{gap}{close}{gap}{answer}");
                Reply { text, answer, thoughts: first }
            }
            Shape::Begun => {
                let text = format!("{first}{gap}{close}{gap}{answer}");
                Reply { text, answer, thoughts: first }
            }
            Shape::Several => {
                let (open, close) = *form.get(&FORMS[..BLOCKS]);
                let text = format!("{open}{first}{close}{gap}{answer}\n\n{open}{gap}{second}{gap}{close}\n\n{more}");
                Reply { text, answer: format!("{answer}\n\n{more}"), thoughts: format!("{first}\n\n{second}") }
            }
            Shape::Open => {
                let text = format!("{gap}{open}{gap}{first}");
                Reply { text, answer: String::new(), thoughts: first }
            }
            Shape::Glued => {
                let text = format!("analysisWe see.\n{first}assistantfinal{answer}");
                Reply { text, answer, thoughts: format!("We see.\n{first}") }
            }
            Shape::None => Reply { text: answer.clone(), answer, thoughts: String::new() },
        }
    })
}

/// What a reader of the pieces has at the end.
fn in_pieces(text: &str, cuts: &[Index]) -> (String, String) {
    let mut at: Vec<usize> = cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
    at.push(text.len());
    at.sort_unstable();
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
    let mut begin = 0;
    for end in at {
        take(splitter.push(&text[begin..end]));
        begin = end;
    }
    take(splitter.finish().0);
    (answer, thoughts)
}

fn whole(text: &str) -> ChatResponse {
    let (model, message) = ("scripted:drawn".to_owned(), Message::assistant(text));
    ChatResponse { model, message, finish: FinishReason::Stop, usage: Usage::default(), request_id: None }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: graphloom_test_support::draws(),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn drawn_replies_are_told_apart_whole_and_in_pieces(
        reply in reply(),
        cuts in prop::collection::vec(any::<Index>(), 0..40),
    ) {
        let told = separate(&reply.text);
        prop_assert_eq!((&told.answer, &told.thoughts), (&reply.answer, &reply.thoughts), "{:?}", reply.text);
        let pieces = in_pieces(&reply.text, &cuts);
        prop_assert_eq!(pieces, (reply.answer.clone(), reply.thoughts.clone()), "{:?}", reply.text);
        let each: Vec<Index> = Vec::new();
        prop_assert_eq!(in_pieces(&reply.text, &each).0, reply.answer.clone());
        let response = apart(whole(&reply.text));
        prop_assert_eq!((response.text(), response.thoughts()), (reply.answer.clone(), reply.thoughts.clone()));
        let reasoning = response.message.parts.iter().filter(|part| matches!(part, Part::Reasoning { .. })).count();
        prop_assert_eq!(reasoning, usize::from(!reply.thoughts.is_empty()));
    }
}
