//! Reading labelled claims.

use std::collections::BTreeMap;
use std::path::Path;

use graphloom_citations::sentences;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::files::{FILES, File, Form, Part, REVERSED, beside};
use crate::Failure;

/// What a reader said of a claim and its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Truth {
    Supported,
    Contradicted,
    /// The source leaves it open.
    Neither,
}

/// A claim, its source, and what a reader said.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) set: &'static str,
    pub(crate) part: Part,
    pub(crate) truth: Truth,
    pub(crate) claim: String,
    pub(crate) title: String,
    pub(crate) source: String,
}

/// All pairs of the files that `folder` has.
pub(crate) fn pairs(folder: &Path) -> Result<Vec<Pair>, Failure> {
    let mut all = Vec::new();
    for file in &FILES {
        if let Some(text) = file.text(folder)? {
            let read = read(file, &text, folder).map_err(|error| format!("`{}`: {error}", file.name))?;
            all.extend(read);
        }
    }
    if all.is_empty() {
        let names: Vec<&str> = FILES.iter().map(|file| file.name).collect();
        return Err(format!("`{}` has none of the files {}", folder.display(), names.join(", ")).into());
    }
    Ok(all)
}

/// Sentences with a source in which one word was made its opposite, and the same with the source as it was.
pub(crate) fn reversed(folder: &Path) -> Result<Vec<Pair>, Failure> {
    let Some(text) = REVERSED.text(folder)? else { return Ok(Vec::new()) };
    let mut paragraphs = BTreeMap::new();
    for value in lines(&beside(folder, "corpus_antonym.jsonl")?)? {
        paragraphs.insert(string(&value, "doc_id")?, string(&value, "text")?);
    }
    let mut found = Vec::new();
    for value in lines(&text)? {
        let ids = |key: &str| -> Vec<&str> {
            value[key].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
        };
        for own in ids("constraint_satisfying_doc_ids") {
            for other in ids("constraint_violating_doc_ids") {
                let (Some(own), Some(other)) = (paragraphs.get(own), paragraphs.get(other)) else { continue };
                for range in sentences(own) {
                    let claim = &own[range];
                    if !other.contains(claim) {
                        found.push(pair(&REVERSED, Truth::Contradicted, claim, "", other));
                    }
                }
            }
        }
    }
    Ok(found)
}

fn read(file: &File, text: &str, folder: &Path) -> Result<Vec<Pair>, Failure> {
    let mut found = Vec::new();
    match file.form {
        Form::Pairs | Form::Lists => {
            for value in lines(text)? {
                let source = match &value["evidence"] {
                    Value::Array(sentences) => sentences.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
                    _ => string(&value, "evidence")?,
                };
                found.push(pair(file, truth(&string(&value, "label")?)?, &string(&value, "claim")?, "", &source));
            }
        }
        Form::Pages => {
            for value in lines(text)? {
                let page = string(&value, "page")?;
                let truth = truth(&string(&value, "label")?)?;
                let mut one = pair(file, truth, &string(&value, "claim")?, &page, &string(&value, "evidence")?);
                if Sha256::digest(page.as_bytes())[0] % 2 == 0 {
                    one.part = Part::Seen;
                }
                found.push(one);
            }
        }
        Form::Table => {
            let mut table = csv::Reader::from_reader(text.as_bytes());
            let heads = table.headers()?.clone();
            let column = |name: &str| {
                heads.iter().position(|head| head == name).ok_or_else(|| format!("there is no column `{name}`"))
            };
            let (claim, evidence, label) = (column("claim")?, column("evidence")?, column("label")?);
            for row in table.records() {
                let row = row?;
                found.push(pair(file, truth(&row[label])?, &row[claim], "", &row[evidence]));
            }
        }
        Form::Climate => {
            for value in lines(text)? {
                let claim = string(&value, "claim")?;
                for evidence in value["evidences"].as_array().into_iter().flatten() {
                    let truth = truth(&string(evidence, "evidence_label")?)?;
                    found.push(pair(
                        file,
                        truth,
                        &claim,
                        &string(evidence, "article")?,
                        &string(evidence, "evidence")?,
                    ));
                }
            }
        }
        Form::Abstracts => {
            let mut abstracts = BTreeMap::new();
            for value in lines(&beside(folder, "corpus_candidate.jsonl")?)? {
                abstracts.insert(string(&value, "doc_id")?, string(&value, "text")?);
            }
            for value in lines(text)? {
                for (id, reasons) in value["metadata"].as_object().into_iter().flatten() {
                    let (Some(source), Some(label)) = (abstracts.get(id), reasons[0]["label"].as_str()) else {
                        continue;
                    };
                    found.push(pair(file, truth(label)?, &string(&value, "text")?, "", source));
                }
            }
        }
        Form::Antonyms => {}
    }
    Ok(found)
}

fn pair(file: &File, truth: Truth, claim: &str, title: &str, source: &str) -> Pair {
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (claim, title, source) = (line(claim), line(title), line(source));
    Pair { set: file.set, part: file.part, truth, claim, title, source }
}

fn truth(label: &str) -> Result<Truth, Failure> {
    match label.to_ascii_uppercase().replace('_', " ").as_str() {
        "SUPPORTS" | "SUPPORT" | "SUPPORTED" => Ok(Truth::Supported),
        "REFUTES" | "REFUTED" | "CONTRADICT" => Ok(Truth::Contradicted),
        "NOT ENOUGH INFO" | "NEUTRAL" => Ok(Truth::Neither),
        other => Err(format!("`{other}` is no label").into()),
    }
}

fn lines(text: &str) -> Result<Vec<Value>, Failure> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).map_err(Into::into)).collect()
}

fn string(value: &Value, key: &str) -> Result<String, Failure> {
    value[key].as_str().map(str::to_owned).ok_or_else(|| format!("a line has no `{key}`").into())
}

#[cfg(test)]
mod tests {
    use super::super::files::File;
    use super::*;

    fn made(form: Form, text: &str) -> Vec<Pair> {
        let file = File::of("set", form);
        read(&file, text, Path::new("/nowhere")).unwrap()
    }

    #[test]
    fn every_form_is_read() {
        let pair = r#"{"claim": "Storks  fly.", "evidence": "Storks fly\nsouth.", "label": "SUPPORTS"}"#;
        let [one] = &made(Form::Pairs, pair)[..] else { panic!("one pair") };
        assert_eq!((one.claim.as_str(), one.source.as_str()), ("Storks fly.", "Storks fly south."));
        assert_eq!((one.truth, one.set), (Truth::Supported, "set"));

        let list = r#"{"claim": "Storks swim.", "evidence": ["Storks fly.", "Ducks swim."], "label": "REFUTED"}"#;
        let [one] = &made(Form::Lists, list)[..] else { panic!("one pair") };
        assert_eq!((one.truth, one.source.as_str()), (Truth::Contradicted, "Storks fly. Ducks swim."));

        let table = "id,claim,evidence,label\n7,Storks fly.,\"South, mostly.\",Neutral\n";
        let [one] = &made(Form::Table, table)[..] else { panic!("one pair") };
        assert_eq!((one.truth, one.source.as_str()), (Truth::Neither, "South, mostly."));

        let climate = r#"{"claim": "Ice melts.", "evidences": [
            {"evidence_label": "SUPPORTS", "article": "Ice", "evidence": "It melts."},
            {"evidence_label": "NOT_ENOUGH_INFO", "article": "Snow", "evidence": "It falls."}]}"#;
        let found = made(Form::Climate, &climate.replace('\n', " "));
        let truths: Vec<Truth> = found.iter().map(|one| one.truth).collect();
        assert_eq!(truths, [Truth::Supported, Truth::Neither]);
        assert_eq!(found[1].title, "Snow");
    }

    #[test]
    fn pages_are_seen_or_held_back_as_a_whole() {
        let line = |page: &str| {
            format!(r#"{{"claim": "A.", "evidence": "B.", "label": "NOT ENOUGH INFO", "page": "{page}"}}"#)
        };
        let pages: Vec<String> = (0..40).flat_map(|page| [line(&page.to_string()), line(&page.to_string())]).collect();
        let found = made(Form::Pages, &pages.join("\n"));
        assert!(found.chunks(2).all(|two| two[0].part == two[1].part), "one page is in one part");
        let held = found.iter().filter(|one| one.part == Part::HeldBack).count();
        assert!((10..70).contains(&held), "{held} of 80 are held back");
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let file = File::of("set", Form::Pairs);
        let error = |text: &str| read(&file, text, Path::new("/nowhere")).unwrap_err().to_string();
        assert_eq!(error(r#"{"claim": "A.", "label": "SUPPORTS"}"#), "a line has no `evidence`");
        assert_eq!(error(r#"{"claim": "A.", "evidence": "B.", "label": "MAYBE"}"#), "`MAYBE` is no label");
        let empty = tempfile::tempdir().unwrap();
        let none = pairs(empty.path()).unwrap_err().to_string();
        assert!(none.contains("has none of the files") && none.contains(FILES[0].name), "{none}");
    }
}
