//! The abstract and the conclusion of a report that only quotes: sentences of a fixed form on what was quoted and on what is
//! open. A small model's own sentences here rest on nothing, and a quotation would stand in the report twice.

use std::collections::BTreeSet;

use graphloom_retrieval::answer::{Request, unanswered_line};

use crate::evidence::canonical;
use crate::markup::cited;
use crate::state::{Locale, SubReport};

/// What the sections quote from how many documents.
pub(crate) fn fixed_abstract(language: Locale, sections: &[SubReport]) -> String {
    let mut documents: BTreeSet<String> = BTreeSet::new();
    let mut quotations = 0;
    for section in sections {
        let content = &section.content;
        for number in cited(&content.text) {
            quotations += 1;
            let place = number.checked_sub(1).and_then(|at| content.classified_content.get(at));
            documents.extend(place.map(|found| canonical(&found.url)));
        }
        // A traced section has numbers no more.
        quotations += content.text.matches("[source_tracer_result]").count();
        documents.extend(content.trace.iter().map(|trace| canonical(&trace.url)));
    }
    let documents = documents.len();
    let count = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    match language {
        Locale::Chinese => format!("本报告引用了{documents}份文档中的{quotations}处原文，其中没有模型自己的话。"),
        _ => format!(
            "This report holds nothing in a model's own words: it quotes {} from {}.",
            count(quotations, "sentence"),
            count(documents, "document")
        ),
    }
}

/// What of the question the sections leave open.
pub(crate) fn fixed_conclusion(language: Locale, query: &str, sections: &[SubReport]) -> String {
    let text: Vec<String> =
        sections.iter().map(|section| format!("# {}\n{}", section.section_task, section.content.text)).collect();
    let request = Request::of(query);
    let open = request.unanswered(&text.join("\n\n"));
    match (open.is_empty(), language) {
        (false, _) => unanswered_line(&open),
        (true, Locale::Chinese) => "问题的每一部分都有相关的引文；它们是否足以回答，请读者判断。".to_owned(),
        (true, _) => {
            "Each part has quotations that bear on it; whether they settle it is for the reader to judge.".to_owned()
        }
    }
}
