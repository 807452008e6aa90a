//! Citation checks on labelled claims that nobody of this project wrote: `FEVER`, `VitaminC`, `HealthVer` and others.
//!
//! The data are no part of the repository. `--natural DIR` names a folder with files whose names and hashes stand in
//! [`files`]; what is missing is left out, what differs is refused.

mod bar;
mod change;
mod files;
mod model;
mod opposites;
mod pairs;
mod score;

use std::path::Path;

use graphloom_citations::{Entailment, Extractive};

use crate::Failure;
use bar::Bar;
use change::{claims_with_other_amounts, reversed_claims, reversed_sentences, sentences_with_other_amounts};
use files::Part;
use opposites::Opposites;
use pairs::{Pair, Truth, pairs, reversed};
use score::{Accepted, RuleVerdict, accepted, caught, rows, share};

/// Of each kind of change at most this many.
const CHANGES: usize = 400;
/// Of each set at most this many sentences with a reversed word.
const REVERSALS: usize = 200;

/// Measures and prints. Of the claims for the embedded model it asks `asked` that are supported and as many reversed ones.
#[expect(clippy::print_stdout, reason = "the table is the program's result")]
pub(crate) async fn print(folder: &Path, asked: usize) -> Result<(), Failure> {
    let pairs = pairs(folder)?;
    let mut bars = Vec::new();
    rules(&pairs, &mut bars);
    amounts(&pairs, &mut bars);

    let opposites = Opposites::read(&files::wordnet(folder)?);
    let claims = Claims {
        supported: of(&pairs, Part::HeldBack, Truth::Supported),
        contradicted: of(&pairs, Part::HeldBack, Truth::Contradicted),
        sentences: reversed_sentences(&pairs, Part::HeldBack, &opposites, REVERSALS),
        abstracts: reversed(folder)?,
        claims: reversed_claims(&pairs, Part::HeldBack, &opposites, REVERSALS),
    };
    println!("\n{} words have an opposite", opposites.len());
    wording("the extractive program, a judge of wording and no model", &Extractive::default(), &claims, &mut bars)
        .await;
    if asked > 0 {
        embedded(&claims, asked, &mut bars).await?;
    }
    println!("\nbars");
    bars.iter().for_each(|bar| println!("{bar}"));
    Ok(())
}

fn of(pairs: &[Pair], part: Part, truth: Truth) -> Vec<Pair> {
    pairs.iter().filter(|pair| pair.part == part && pair.truth == truth).cloned().collect()
}

/// What a judge is measured with. All of it but `abstracts` is held back.
struct Claims {
    supported: Vec<Pair>,
    contradicted: Vec<Pair>,
    /// Sentences of the sources with one word made its opposite by program.
    sentences: Vec<Pair>,
    /// Sentences of abstracts with one word made its opposite by those who made the set.
    abstracts: Vec<Pair>,
    /// Supported claims with one word made its opposite by program.
    claims: Vec<Pair>,
}

impl Claims {
    fn named(&self) -> [(&'static str, &[Pair]); 5] {
        [
            ("supported", &self.supported),
            ("contradicted", &self.contradicted),
            ("sentences, one word reversed", &self.sentences),
            ("abstracts, one word reversed", &self.abstracts),
            ("supported claims, reversed", &self.claims),
        ]
    }
}

#[expect(clippy::print_stdout, reason = "the table is the program's result")]
fn rules(pairs: &[Pair], bars: &mut Vec<Bar>) {
    for (part, name) in [(Part::HeldBack, "held back"), (Part::Seen, "seen by whoever wrote the rules")] {
        let (sets, all) = rows(pairs, part);
        println!("rules alone, {name}");
        println!(
            "{:<18} {:>9} {:>12} {:>9} {:>7} {:>10} {:>9} {:>7}",
            "", "supported", "contradicted", "not found", "asked", "condemned", "precision", "recall"
        );
        for (set, row) in sets.iter().map(|(set, row)| (*set, row)).chain([("all", &all)]) {
            println!("{set:<18} {row}");
        }
        println!();
        if part == Part::HeldBack {
            let worst = |rule_verdict| sets.values().map(|row| row.supported(rule_verdict)).fold(0.0, f64::max);
            bars.push(Bar::most("supported, wrongly contradicted, worst set", worst(RuleVerdict::Contradicted), 0.05));
            bars.push(Bar::most("supported, wrongly not found, worst set", worst(RuleVerdict::NotFound), 0.08));
            bars.push(Bar::least("contradicted, precision", all.precision(), 0.8));
            bars.push(Bar::least("contradicted, verdicts", share(all.condemned(), 1), 25.0));
        }
    }
}

#[expect(clippy::print_stdout, reason = "the table is the program's result")]
fn amounts(pairs: &[Pair], bars: &mut Vec<Bar>) {
    println!("rules alone, one number, unit or date changed by program");
    for (part, name) in [(Part::HeldBack, "held back"), (Part::Seen, "seen")] {
        let sentences = sentences_with_other_amounts(pairs, part, CHANGES);
        let claims = claims_with_other_amounts(pairs, part, CHANGES);
        for (what, changes) in [("sentences of sources", sentences), ("supported claims", claims)] {
            let kinds = caught(&changes);
            for (kind, (caught, all)) in &kinds {
                println!(
                    "{:<45} {caught:>6} of {all:>6} {:>9.3}",
                    format!("{name}, {what}, {}", kind.name()),
                    share(*caught, *all)
                );
            }
            if part == Part::HeldBack && what == "sentences of sources" {
                let (caught, all) = kinds.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
                bars.push(Bar::least("changed sentences caught by rules", share(caught, all), 0.9));
            }
        }
    }
}

#[expect(clippy::print_stdout, reason = "the table is the program's result")]
async fn wording(name: &str, judge: &dyn Entailment, claims: &Claims, bars: &mut Vec<Bar>) {
    println!("\naccepted by the rules and {name}");
    let mut shares = Vec::new();
    for (name, pairs) in claims.named() {
        let one = accepted(pairs, judge).await;
        println!("{name:<30} {one}");
        shares.push(one);
    }
    // Reversed sentences of both kinds.
    judged("extractive", shares[0], shares[2].and(shares[3]), bars);
}

/// The bars of a judge.
fn judged(judge: &str, supported: Accepted, reversed: Accepted, bars: &mut Vec<Bar>) {
    bars.push(Bar::least(&format!("{judge}: supported, accepted"), supported.share(), 0.5));
    bars.push(Bar::most(&format!("{judge}: reversed, accepted"), reversed.share(), 0.05));
}

#[expect(clippy::print_stdout, reason = "the table is the program's result")]
async fn embedded(claims: &Claims, asked: usize, bars: &mut Vec<Bar>) -> Result<(), Failure> {
    println!("\naccepted by the rules and the embedded model with the prompt of DeepSearch, of a sample");
    let Some(model) = model::embedded()? else {
        println!("not asked: its weights are not on this machine; `graphloom model fetch` fetches them");
        return Ok(());
    };
    let mut shares = Vec::new();
    for (name, pairs) in [("supported", &claims.supported), ("sentences, one word reversed", &claims.sentences)] {
        let verdicts = model::verdicts(std::sync::Arc::clone(&model), model::sample(pairs.iter(), asked)).await?;
        let right = verdicts.iter().filter(|checked| checked.verdict.is_supported()).count();
        let one = Accepted { right, all: verdicts.len() };
        let unasked = verdicts.iter().filter(|checked| checked.verdict.name() == "not_checked").count();
        println!("{name:<30} {one}, {unasked} without an answer");
        shares.push(one);
    }
    judged("embedded model", shares[0], shares[1], bars);
    Ok(())
}
