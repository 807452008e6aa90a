//! The parts of requests, against lists that were written before the rules by somebody who had not read them. The rules were
//! made with `parts/seen.tsv` in view; `parts/unseen.tsv` was first opened by this test.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use graphloom_retrieval::answer::Request;
use graphloom_retrieval::extract::query_terms;

/// How many requests of a list are read as the list has them: their number, those with as many parts, those with the same parts.
fn measure(list: &str) -> (usize, usize, usize, String) {
    let (mut all, mut counted, mut same, mut missed) = (0, 0, 0, String::new());
    for line in list.lines().filter(|line| !line.is_empty()) {
        let (request, parts) = line.split_once('\t').expect("a request and its parts");
        let wanted: Vec<&str> = parts.split(" | ").map(str::trim).collect();
        let read = Request::of(request);
        let got: Vec<&str> = read.parts().iter().map(|part| part.text.as_str()).collect();
        all += 1;
        let as_many = wanted.len() == got.len();
        counted += usize::from(as_many);
        let fits = as_many && wanted.iter().zip(&got).all(|(wanted, got)| overlaps(wanted, got));
        same += usize::from(fits);
        if !fits {
            writeln!(missed, "{request}\n  wanted {wanted:?}\n  got    {got:?}").expect("a string");
        }
    }
    (all, counted, same, missed)
}

/// Whether two wordings share at least half of their terms.
fn overlaps(one: &str, other: &str) -> bool {
    let bag = |text: &str| query_terms(text).into_iter().collect::<BTreeSet<_>>();
    let (one, other) = (bag(one), bag(other));
    one.intersection(&other).count() * 2 >= one.len().min(other.len()).max(1)
}

#[test]
fn requests_are_read_in_parts() {
    let (all, counted, same, missed) = measure(include_str!("parts/seen.tsv"));
    println!("seen: {counted} of {all} with as many parts, {same} with the same\n{missed}");
    assert!(same * 10 >= all * 7, "{same} of {all}\n{missed}");
}

#[test]
fn requests_that_were_not_looked_at_are_read_in_parts() {
    let (all, counted, same, _) = measure(include_str!("parts/unseen.tsv"));
    println!("unseen: {counted} of {all} with as many parts, {same} with the same");
    assert!(same * 10 >= all * 6, "{same} of {all}");
}

#[test]
fn a_word_that_only_adds_begins_no_part() {
    let request = Request::of("Explain how sails are mended, and also how to bake a loaf, and finally how bees dance");
    let parts: Vec<&str> = request.parts().iter().map(|part| part.text.as_str()).collect();
    assert_eq!(parts, ["sails are mended", "bake a loaf", "bees dance"]);
}
