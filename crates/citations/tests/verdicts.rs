//! What a claim is worth against a source.

use graphloom_citations::{
    Basis, CheckOptions, Entailment, Extractive, FaultKind, Judgement, Outage, Question, SourceText, Verdict, check,
    find_quotation,
};
use proptest::prelude::*;

const SOURCE: &str = "SQLite writes every change to the write-ahead log first. By default, a checkpoint starts when the log \
has reached 1000 pages, which is about 4 MB. Readers do not block writers in this mode. The mode was added on \
July 21, 2010 with version 3.7.0. A timeout of 1,500 ms is used by the `busy_timeout` setting. PostgreSQL keeps its \
log in segments of 16 MB. Three processes take part: the writer, the reader and the checkpointer.";

async fn verdict(claim: &str) -> (String, Basis, Vec<FaultKind>) {
    let source = SourceText::new("Write-ahead logging", SOURCE);
    let checked = check(claim, source, &Extractive::default(), CheckOptions::default()).await;
    (checked.verdict.name().to_owned(), checked.basis, checked.faults.iter().map(|fault| fault.kind).collect())
}

#[tokio::test]
async fn claims_get_the_verdict_a_reader_gives() {
    use FaultKind::{Date, Name, Negation, Number, Unit, Word};
    for (claim, expected, kind) in [
        ("Readers do not block writers in this mode.", "supported", None),
        ("readers do NOT block   writers in *this* mode", "supported", None),
        ("By default a checkpoint starts once the log has reached 1,000 pages.", "supported", None),
        ("A timeout of 1.5 seconds is used by the `busy_timeout` setting.", "supported", None),
        ("A timeout of 1500 milliseconds is used by the busy_timeout setting.", "supported", None),
        ("3 processes take part, the writer, the reader and the checkpointer.", "supported", None),
        ("By default, a checkpoint starts when the log has reached 2000 pages.", "contradicted", Some(Number)),
        ("PostgreSQL keeps its log in segments of 16 GB.", "contradicted", Some(Unit)),
        ("PostgreSQL keeps its log in segments of 61 MB.", "contradicted", Some(Number)),
        // Words are reasons to look: this judge accepts none that is doubted, and rejects none.
        ("Readers block writers in this mode.", "not_found", Some(Negation)),
        ("SQLite does not write every change to the write-ahead log first.", "not_found", Some(Negation)),
        ("Oracle keeps its log in segments of 16 MB.", "not_found", Some(Word)),
        ("The log of PostgreSQL is kept by Oracle in segments of 16 MB.", "not_found", Some(Name)),
        ("The mode was added on July 21, 2012 with version 3.7.0.", "contradicted", Some(Date)),
        ("The mode was added with version 3.9.2 of the library.", "not_found", Some(Name)),
        ("Seven processes take part: the writer, the reader and the checkpointer.", "contradicted", Some(Number)),
        ("Vacuum rewrites the whole file to reclaim unused space.", "not_found", None),
        ("The log of MariaDB has 48 groups.", "not_found", None),
    ] {
        let (name, _, kinds) = verdict(claim).await;
        assert_eq!(name, expected, "{claim} {kinds:?}");
        if let Some(kind) = kind {
            assert!(kinds.contains(&kind), "{claim}: {kinds:?}");
        }
    }
}

#[tokio::test]
async fn other_scripts_and_languages_are_checked() {
    let german = "Das Protokoll ist jetzt 1.234,5 MB groß. Am 3. Oktober 2021 wurde es nicht geleert.";
    let chinese = "检查点默认在日志达到1000页时开始。读操作不会阻塞写操作。";
    for (source, claim, expected) in [
        (german, "Das Protokoll ist jetzt 1234,5 MB groß.", "supported"),
        (german, "Das Protokoll ist jetzt 1234,5 GB groß.", "contradicted"),
        (german, "Am 3. Oktober 2022 wurde es nicht geleert.", "contradicted"),
        (german, "Am 3. Oktober 2021 wurde es geleert.", "not_found"),
        (chinese, "检查点默认在日志达到1000页时开始。", "supported"),
        (chinese, "检查点默认在日志达到2000页时开始。", "contradicted"),
        (chinese, "读操作会阻塞写操作。", "not_found"),
    ] {
        let checked = check(claim, SourceText::new("", source), &Extractive::default(), CheckOptions::default()).await;
        assert_eq!(checked.verdict.name(), expected, "{claim} {:?}", checked.faults);
    }
}

/// A scripted judge, for control flow only.
struct Scripted(Result<Judgement, Outage>);

#[async_trait::async_trait]
impl Entailment for Scripted {
    async fn judge(&self, _: &Question) -> Result<Judgement, Outage> {
        self.0.clone()
    }
}

#[tokio::test]
async fn a_judge_decides_only_what_rules_leave_open() {
    let source = SourceText::new("Write-ahead logging", SOURCE);
    let options = CheckOptions::default();
    let open = "Each change goes to the write-ahead log before SQLite does anything else.";
    let broken = "PostgreSQL keeps its log in segments of 61 MB.";
    let out = Scripted(Err(Outage::new("the server is down")));
    let checked = check(open, source, &out, options).await;
    assert_eq!(checked.verdict, Verdict::NotChecked { why: "the server is down".into() });
    assert_eq!(checked.basis, Basis::Outage);
    // Yes from a judge does not overrule a rule, and no does not overrule a quotation.
    let yes = Scripted(Ok(Judgement::Entails));
    assert_eq!(check(broken, source, &yes, options).await.verdict.name(), "contradicted");
    assert_eq!(check(open, source, &yes, options).await.verdict.name(), "supported");
    let no = Scripted(Ok(Judgement::Contradicts));
    assert_eq!(
        check("Readers do not block writers in this mode", source, &no, options).await.verdict.name(),
        "supported"
    );
    assert_eq!(check(open, source, &no, options).await.verdict.name(), "contradicted");
    let neither = Scripted(Ok(Judgement::Neither));
    assert_eq!(check(open, source, &neither, options).await.verdict, Verdict::NotFound);
}

#[tokio::test]
async fn a_judge_that_says_yes_to_everything_is_not_believed_against_the_source() {
    let yes = Scripted(Ok(Judgement::Entails));
    let source = SourceText::new("Write-ahead logging", SOURCE);
    for claim in [
        "Readers block writers in this mode.",
        "SQLite does not write every change to the write-ahead log first.",
        "By default, no checkpoint starts when the log has reached 1000 pages.",
    ] {
        let checked = check(claim, source, &yes, CheckOptions::default()).await;
        assert_eq!(
            (checked.verdict.name(), checked.basis),
            ("not_checked", Basis::Doubt),
            "{claim} {:?}",
            checked.faults
        );
        let Verdict::NotChecked { why } = checked.verdict else { unreachable!("it has this name") };
        assert!(why.starts_with("a judge accepts it, and a rule does not: `"), "{why}");
    }
    // Another word may be a synonym, and a number that stands nowhere may be computed.
    for claim in [
        "Each change goes to the write-ahead log before SQLite does anything else.",
        "The three processes that take part are the writer, the reader and the checkpointer.",
        "A checkpoint commences by default when the log has reached 1000 pages.",
    ] {
        let checked = check(claim, source, &yes, CheckOptions::default()).await;
        assert_eq!(checked.verdict.name(), "supported", "{claim} {:?}", checked.faults);
    }
}

#[test]
fn quotations_are_whole_words_in_order() {
    assert!(find_quotation("reached 1000 page", SOURCE).is_empty());
    assert!(find_quotation("the log", SOURCE).is_empty());
    assert_eq!(find_quotation("“Readers” do not *block* writers", SOURCE).len(), 1);
}

proptest! {
    #[test]
    fn every_sentence_of_a_source_is_a_quotation_or_too_short(
        words in prop::collection::vec("[a-zA-Zäé0-9]{1,8}|漢字", 6..40), gap in "[ \n]{1,3}"
    ) {
        let text = words.join(&gap);
        for range in graphloom_citations::sentences(&text) {
            let quote = text[range.clone()].to_uppercase().replace('\n', " ");
            if let Some(span) = find_quotation(&quote, &text).first() {
                prop_assert!(span.of(&text).is_some());
            }
        }
    }

    #[test]
    fn a_verdict_always_points_into_its_source(claim in "\\PC{0,60}", source in "\\PC{0,200}") {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let judge = Scripted(Ok(Judgement::Entails));
        let checked =
            runtime.block_on(check(&claim, SourceText::new("t", &source), &judge, CheckOptions::default()));
        if let Some(span) = checked.verdict.span() {
            prop_assert!(span.of(&source).is_some(), "{span:?} of {} bytes", source.len());
        }
    }
}
