//! Sources that have the words of a claim without saying it, and true claims that rules once condemned.

use graphloom_citations::{
    Basis, CheckOptions, Checked, Examined, FaultKind, Outage, SourceText, Verdict, claims, examine,
};
use proptest::prelude::*;

fn looked_at(title: &str, source: &str, claim: &str) -> Examined {
    examine(claim, SourceText::new(title, source), CheckOptions::default())
}

fn decided(examined: Examined) -> Option<Checked> {
    match examined {
        Examined::Decided(checked) => Some(checked),
        Examined::Undecided(_) => None,
    }
}

#[test]
fn a_quotation_counts_only_where_the_source_says_so_itself() {
    let corrupted = "The database is corrupted after a crash.";
    let cures = "The drug cures cancer in humans.";
    for (claim, source) in [
        (corrupted, "It is a myth that the database is corrupted after a crash. It is not."),
        (corrupted, "Critics claimed that the database is corrupted after a crash, which was later disproved."),
        (corrupted, "If fsync lies, the database is corrupted after a crash."),
        (corrupted, "Unless WAL is used, the database is corrupted after a crash."),
        (corrupted, "Myth: The database is corrupted after a crash. Reality: it never is."),
        (corrupted, "The database is corrupted after a crash. This was later disproved."),
        (corrupted, "The database is corrupted after a crash. It never is."),
        (corrupted, "Does one believe that the database is corrupted after a crash? No."),
        (corrupted, "# Common misconceptions\n\nThe database is corrupted after a crash.\n"),
        (corrupted, "# The database is corrupted after a crash\n\nWe looked into it.\n"),
        (corrupted, "The following is wrong:\n\n- The database is corrupted after a crash.\n"),
        (corrupted, "The database is corrupted after a crash, but only on broken disks."),
        (corrupted, "Angeblich gilt: The database is corrupted after a crash."),
        (cures, "The study failed to show that the drug cures cancer in humans."),
        (cures, "In mice, the drug cures cancer in humans."),
        (cures, "Dr. Quack said: \u{201c}The drug cures cancer in humans.\u{201d}"),
        (cures, "Dr. Quack said: \"It is cheap. The drug cures cancer in humans. Buy it.\""),
        (cures, "The retracted paper asserted the drug cures cancer in humans."),
        (cures, "It would be wrong to say the drug cures cancer in humans."),
        (cures, "We show it. The drug cures cancer in humans. This article has been retracted."),
        (cures, "There is no evidence that the drug cures cancer in humans."),
        (cures, "They deny that the drug cures cancer in humans."),
        (cures, "The drug cures cancer in humans, according to its maker."),
        ("检查点默认在日志达到一千页时开始。", "有人误以为检查点默认在日志达到一千页时开始。"),
    ] {
        let found = looked_at("", source, claim);
        assert!(found.faults().iter().any(|fault| fault.kind == FaultKind::Frame), "{source}: {found:?}");
        let Examined::Undecided(open) = found else { panic!("{source} was decided") };
        // Nobody to ask, nothing said.
        let unasked = open.close(Err(Outage::new("there is no judge")));
        assert!(matches!(unasked.verdict, Verdict::NotChecked { .. }), "{source}");
    }
    let retracted = looked_at("RETRACTED: a cure", "The drug cures cancer in humans.", cures);
    assert!(decided(retracted).is_none());
}

#[test]
fn a_whole_sentence_of_the_source_is_a_quotation() {
    let claim = "The log is written before the pages.";
    for source in [
        "The log is written before the pages.",
        "However, the log is written before the pages [3]. Then comes the rest.",
        "- The log is written before the pages.\n- It is cut at 1000 pages.\n",
        "1. **The log** is written before the pages.\n",
        "Rules of the log:\n\nThe log is written before the pages.\n",
        "The log is written before the pages. It is not synced in every mode that there is.",
    ] {
        let found = decided(looked_at("Logs", source, claim)).unwrap_or_else(|| panic!("{source} was left open"));
        assert_eq!(found.basis, Basis::Quotation, "{source}");
    }
}

#[test]
fn without_a_judge_nothing_is_not_found_but_in_a_source_without_text() {
    let claim = "Masks keep the virus from spreading.";
    let Examined::Undecided(open) = looked_at("", "Cloth coverings cut transmission by half.", claim) else {
        panic!("a claim in other words was decided");
    };
    let unasked = open.close(Err(Outage::new("there is no judge")));
    assert!(matches!(unasked.verdict, Verdict::NotChecked { .. }), "{unasked:?}");
    assert_eq!(unasked.overlap, Some(0.0));
    let empty = decided(looked_at("", " \n", claim)).expect("nothing to ask about");
    assert_eq!((empty.verdict, empty.basis), (Verdict::NotFound, Basis::Wording));
    // Two scripts share no words, so nothing was measured.
    let Examined::Undecided(open) = looked_at("", "口罩可以阻止病毒的传播。", claim) else {
        panic!("decided")
    };
    assert_eq!(open.close(Err(Outage::new("none"))).overlap, None);
}

const LOG: &str = "SQLite keeps a rollback journal. A commit deletes the journal file. When power is lost before that, \
the next process that opens the database rolls the transaction back. In WAL mode, readers do not block writers and \
a writer does not block readers. The default page size is 4096 bytes. The page size was 1024 bytes before version \
3.12.0. RESULTS Cells without insulin did not grow. CONCLUSIONS: SSRI treatment lowered the risk since 1979 by 57 %.";

#[test]
fn true_claims_are_not_condemned() {
    for claim in [
        "Losing power before the journal file is deleted makes the next process roll the transaction back.",
        "Committing a transaction deletes the journal file.",
        "Readers and writers do not block each other in WAL mode.",
        "The default page size is 4 KiB.",
        "The default page size is 4 kB.",
        "Pages had 1024 bytes at first.",
        "Cellular growth needs insulin.",
        "SSRI treatment lowered the risk.",
        "The risk was lowered by more than half.",
        "The risk was lowered by more than 50 %.",
        "At least 3 kB are the default page size.",
        "Lack of insulin kept cells from growing.",
    ] {
        let found = looked_at("SQLite", LOG, claim);
        if let Examined::Decided(checked) = &found {
            assert!(!matches!(checked.verdict, Verdict::Contradicted { .. }), "{claim}: {checked:?}");
        }
        let names = found.faults().iter().filter(|fault| fault.kind == FaultKind::Name);
        assert_eq!(names.count(), 0, "{claim}: {found:?}");
    }
}

#[test]
fn another_number_unit_or_date_in_the_same_clause_is_a_contradiction() {
    for (claim, kind) in [
        ("The default page size is 8192 bytes.", FaultKind::Number),
        ("The default page size is 8 KiB.", FaultKind::Number),
        ("The default page size is 4096 bits.", FaultKind::Unit),
        ("SSRI treatment lowered the risk by 75 %.", FaultKind::Number),
    ] {
        let found = decided(looked_at("SQLite", LOG, claim)).unwrap_or_else(|| panic!("{claim} was left open"));
        assert_eq!((found.basis, found.faults[0].kind), (Basis::Rules, kind), "{claim}");
        assert!(matches!(found.verdict, Verdict::Contradicted { .. }), "{claim}");
    }
    // The number of another case is in the source: which case is meant is for a judge.
    assert!(decided(looked_at("SQLite", LOG, "The default page size is 1024 bytes.")).is_none());
}

#[test]
fn of_several_dates_and_years_the_one_that_the_claim_changed_is_compared() {
    for (claim, source) in [
        (
            "Ann Reed (September 1, 1926 -- September 13, 2006) was a governor.",
            "Ann Reed (September 1, 1933 -- September 13, 2006) was a governor.",
        ),
        (
            "The assembly dissolved on 26 January 2010, and a new one was elected on 2 March 2017.",
            "The assembly dissolved on 26 January 2017, and a new one was elected on 2 March 2017.",
        ),
        (
            "She played in Harbour (2026), The Guide (2007), and The Straits (2008).",
            "She played in Harbour (2006), The Guide (2007), and The Straits (2008).",
        ),
    ] {
        let found = decided(looked_at("", source, claim));
        assert!(found.is_some_and(|found| found.verdict.name() == "contradicted"), "{claim}");
        let same = decided(looked_at("", source, source));
        assert!(same.is_some_and(|same| same.verdict.is_supported()), "{source}");
    }
    // Two dates, and nothing says which one the claim means.
    let open = looked_at(
        "",
        "The ship sailed on 3 May 2001 and came back on 9 June 2001.",
        "On 5 July 2001 the ship sailed and came back.",
    );
    assert!(decided(open).is_none());
}

#[test]
fn a_bound_that_the_source_meets_is_no_doubt() {
    let kinds = |claim: &str, source: &str| -> Vec<FaultKind> {
        looked_at("", source, claim).faults().iter().map(|fault| fault.kind).collect()
    };
    let grossed = "The film grossed $156.1 million at home and $133.1 million in other territories.";
    let tested = "The laboratory performed 254,500 tests for influenza, and 76 people died.";
    for (claim, source) in [
        ("The film grossed more than $133 million in other territories.", grossed),
        ("The laboratory performed more than 250,000 tests for influenza.", tested),
        ("The laboratory performed fewer than 260,000 tests for influenza.", tested),
        ("The actor Fred Starr was born after 1972.", "The actor Fred Starr (born April 18, 1973) is from Queens."),
        ("The singer died before May 19, 2018.", "The singer died on May 18, 2018 at his home."),
    ] {
        assert_eq!(kinds(claim, source), [], "{claim}");
    }
    for (claim, source) in [
        ("The film grossed more than $134 million in other territories.", grossed),
        ("The laboratory performed fewer than 245,000 tests for influenza.", tested),
        ("More than 100 people died in the laboratory that performed tests for influenza.", tested),
        ("The actor Fred Starr was born after 1975.", "The actor Fred Starr (born April 18, 1973) is from Queens."),
        ("The singer died before May 17, 2018.", "The singer died on May 18, 2018 at his home."),
    ] {
        let found = looked_at("", source, claim);
        let doubted = !found.faults().is_empty();
        assert!(doubted, "{claim}");
    }
}

#[test]
fn one_other_word_is_a_doubt_wherever_else_it_stands() {
    let source = "Higher scores were associated with the male gender, a higher level of education and a higher income. \
        The drug could downregulate the first receptor and downregulate the second. \
        After the storm the bridge was closed by the town.";
    for claim in [
        "Lower scores were associated with the male gender, a higher level of education and a higher income.",
        "Higher scores were associated with the male gender, a lower level of education and a higher income.",
        "The drug could upregulate the first receptor and downregulate the second.",
        "Before the storm the bridge was closed by the town.",
    ] {
        let Examined::Undecided(open) = looked_at("", source, claim) else { panic!("{claim} was decided") };
        assert!(!open.question.doubts.is_empty(), "{claim}");
    }
}

proptest! {
    /// Whatever word of a sentence is made another one, a judge is told to look.
    #[test]
    fn a_word_put_in_the_place_of_another_is_a_doubt(at in 0_usize..9, word in "(cold|never|northern|slowly|without)") {
        let sentence = "old storks often leave large northern towns before winter";
        let mut words: Vec<&str> = sentence.split(' ').collect();
        prop_assume!(words[at] != word);
        words[at] = &word;
        let claim = format!("{}.", words.join(" "));
        let source = format!("They are seen all summer. {sentence}.");
        match looked_at("", &source, &claim) {
            Examined::Undecided(open) => prop_assert!(!open.question.doubts.is_empty(), "{claim}"),
            Examined::Decided(checked) => prop_assert!(!checked.verdict.is_supported(), "{claim}"),
        }
    }
}

#[test]
fn sentences_begin_with_small_letters_and_identifiers() {
    let text = "It answers once, or asks a question[citation:6]. cx.idempotency_key() is not a lock[citation:7]. \
        `cx.once` keeps it.[citation:8] runs are told apart. document.title stays the same, e.g. in a page.";
    let found: Vec<(String, usize)> = claims(text).into_iter().map(|claim| (claim.text, claim.marks.len())).collect();
    let expected = [
        ("It answers once, or asks a question.", 1),
        ("cx.idempotency_key() is not a lock.", 1),
        ("`cx.once` keeps it.", 1),
        ("runs are told apart.", 0),
        ("document.title stays the same, e.g. in a page.", 0),
    ];
    assert_eq!(found, expected.map(|(text, marks)| (text.to_owned(), marks)));
}

proptest! {
    #[test]
    fn without_a_number_or_date_rules_never_contradict(
        claim in "([A-Za-z]{2,9}|not|no|never|SQLite|increase|decrease)( ([a-z]{2,9}|not|log|SQLite|increase|decrease)){2,9}\\.",
        source in "([A-Za-z]{2,9}|not|no|SQLite)( ([a-z]{2,9}|not|log|SQLite|increase|decrease)){2,30}\\."
    ) {
        if let Some(checked) = decided(looked_at("", &source, &claim)) {
            prop_assert!(!matches!(checked.verdict, Verdict::Contradicted { .. }), "{checked:?}");
        }
    }

    #[test]
    fn a_changed_number_is_always_seen(one in 10_u32..90_000, other in 10_u32..90_000) {
        prop_assume!(one != other);
        let sentence = |number: u32| format!("The writer waits {number} milliseconds for the lock of another process.");
        let found = decided(looked_at("", &sentence(one), &sentence(other))).expect("decided");
        prop_assert_eq!(found.verdict.name(), "contradicted");
    }

    #[test]
    fn one_amount_in_two_units_is_no_contradiction(kib in 1_u32..4096) {
        let source = format!("The buffer of the reader holds {} bytes of the log.", kib * 1024);
        for unit in ["KiB", "kB"] {
            let claim = format!("The buffer of the reader holds {kib} {unit} of the log.");
            prop_assert!(decided(looked_at("", &source, &claim)).is_none(), "{claim}");
        }
    }
}
