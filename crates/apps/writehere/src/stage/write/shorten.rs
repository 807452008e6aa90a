//! Asking for a shorter text where a text is far longer than its share.

use std::collections::BTreeSet;

use graphloom_agents::{Agent, Exchange, Parsed};
use graphloom_llm::parse::tags;
use serde::Serialize;

use super::super::ask::seeded;
use super::super::{Setup, TaskContext};
use crate::cite::{cited_ids, without_marks};
use crate::context::{PromptArgs, Share};
use crate::length::count_words;
use crate::task::WrittenLength;

/// A text with its measured length.
pub(super) struct Measured {
    pub(super) text: String,
    pub(super) length: WrittenLength,
    pub(super) exchange: Option<Exchange>,
    pub(super) note: Option<String>,
}

#[derive(Serialize)]
struct ShortenArgs<'a> {
    #[serde(flatten)]
    args: &'a PromptArgs,
    text: &'a str,
    words: u32,
}

/// Counts a text and asks for a shorter one where the text has too many words for its share. A shorter text that lost too
/// much or cites something new is refused. Where no shorter text is accepted, the text stays, with a note.
pub(super) async fn shorten(
    setup: &Setup,
    context: TaskContext<'_>,
    args: &PromptArgs,
    share: Share,
    text: String,
) -> Measured {
    let words = words_in(&text);
    let mut length = WrittenLength::new(share.words, words);
    if !is_over(words, share.words, setup.profile.settings.length.over_percent) {
        return Measured { text, length, exchange: None, note: None };
    }
    let excess = format!("task `{}`: the text has {words} words for a share of {}", context.key, share.words);
    let spec = match setup.profile.agent("shorten", &args.task_type) {
        Ok(spec) => spec,
        Err(error) => {
            let note = Some(format!("{excess}, and stays: {error}"));
            return Measured { text, length, exchange: None, note };
        }
    };
    let agent = Agent::new(format!("shorten/{}", args.task_type), spec, &setup.prompts, &setup.models);
    let prompt = ShortenArgs { args, text: &text, words };
    let tag = spec.tag("text");
    let answer = agent.ask(&prompt, seeded(setup, &context, "shorten"), |reply| {
        let shorter =
            tags::find(reply.text, tag).ok_or_else(|| format!("there is no text between `<{tag}>` and `</{tag}>`"))?;
        check_shortened(&text, &shorter, share.words)?;
        Ok(Parsed::new(shorter))
    });
    match answer.await {
        Ok(answer) => {
            length.before = Some(words);
            length.words = words_in(&answer.value);
            let note = format!("{excess}; it was asked for once more and has {} now", length.words);
            Measured { text: answer.value, length, exchange: Some(answer.exchange), note: Some(note) }
        }
        Err(error) => {
            let note = Some(format!("{excess}, and stays, for no shorter one was to be had: {error}"));
            let exchange = error.exchange().cloned();
            Measured { text, length, exchange, note }
        }
    }
}

fn words_in(text: &str) -> u32 {
    u32::try_from(count_words(&without_marks(text))).unwrap_or(u32::MAX)
}

fn is_over(words: u32, share: u32, percent: u32) -> bool {
    u64::from(words) * 100 > u64::from(share) * (100 + u64::from(percent))
}

/// Checks that a shorter text can replace a text.
fn check_shortened(text: &str, shorter: &str, share: u32) -> Result<(), String> {
    let (before, words) = (words_in(text), words_in(shorter));
    if words >= before {
        return Err(format!("the text has {words} words, which is not fewer than {before}"));
    }
    if u64::from(words) * 2 < u64::from(share) {
        return Err(format!("the text has {words} words, less than half of {share}"));
    }
    let marks = |text: &str| cited_ids(text).into_iter().collect::<BTreeSet<_>>();
    let (old, new) = (marks(text), marks(shorter));
    if new.is_empty() && !old.is_empty() {
        return Err("the text lost all its marks".to_owned());
    }
    match new.difference(&old).next() {
        Some(strange) => Err(format!("the text has the mark `[reference:{strange}]`, which was not there")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_over_when_it_is_more_than_so_many_percent_longer() {
        for (words, share, over) in [(150, 100, false), (151, 100, true), (10, 100, false), (1, 0, true), (0, 0, false)]
        {
            assert_eq!(is_over(words, share, 50), over, "{words} of {share}");
        }
    }

    #[test]
    fn a_shorter_text_keeps_enough_and_cites_nothing_new() {
        let text = "One two three four five six seven eight [reference:a#1] nine ten [reference:b#2].";
        for (shorter, problem) in [
            ("One two three four [reference:a#1].", None),
            (text, Some("not fewer")),
            ("One [reference:a#1].", Some("less than half")),
            ("One two three four five.", Some("lost all its marks")),
            ("One two three four [reference:c#3].", Some("`[reference:c#3]`, which was not there")),
        ] {
            let taken = check_shortened(text, shorter, 5);
            assert_eq!(taken.is_ok(), problem.is_none(), "{shorter}: {taken:?}");
            assert!(problem.is_none_or(|problem| taken.unwrap_err().contains(problem)), "{shorter}");
        }
    }
}
