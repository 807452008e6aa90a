//! Random vaults with every form of link.

use std::collections::BTreeMap;

use super::resolver::{Form, composed};

/// Files of a vault; those of one name in different folders, of names that no link can hold, and in both Unicode forms.
pub(crate) const FILES: &[&str] = &[
    "Plan.md",
    "a/Plan.md",
    "a/Cafe\u{301}.md",
    "a/b/Deep note.md",
    "b/What is it?.md",
    "b/AC: DC.md",
    "C# notes.md",
    "Quoted \"x\".md",
    "Upper.MD",
    "日本/か\u{3099}くせい.md",
    "it's (1).md",
    "img/p.png",
    "a/pic one.png",
    "a/Board.canvas",
    "View.base",
];

/// A line with a link: all but the target stays.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) from: String,
    pub(crate) before: String,
    pub(crate) target: String,
    pub(crate) after: String,
    pub(crate) form: Form,
}

/// A small generator of numbers.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % sides
    }

    pub(crate) fn of<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.roll(list.len())].clone()
    }
}

pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A way to write a path in a link from a folder; it may lead anywhere, or nowhere.
fn spelled(dice: &mut Dice, from: &str, to: &str) -> String {
    let to = if dice.roll(2) == 0 { composed(to) } else { to.to_owned() };
    let bare = if dice.roll(3) == 0 { to.clone() } else { to.trim_end_matches(".md").to_owned() };
    let name = bare.rsplit('/').next().unwrap().to_owned();
    match dice.roll(6) {
        0 | 1 => name,
        2 => bare,
        3 => format!("{}{bare}", "../".repeat(folder(from).split('/').filter(|part| !part.is_empty()).count())),
        4 => format!("./{name}"),
        _ if to.is_ascii() => name.to_uppercase(),
        _ => name,
    }
}

/// A line of a note with a link in one of the forms, or none where the form cannot hold the target.
fn line(dice: &mut Dice, from: &str, id: usize, header: bool) -> Option<Line> {
    let to = dice.of(FILES);
    let unresolved = dice.roll(6) == 0;
    let spelled =
        if unresolved { dice.of(&["To come", "missing.png", "x/Nothing"]).to_owned() } else { spelled(dice, from, to) };
    let wiki = !spelled.contains(['#', '|']);
    let percent = |plain: &str| -> String {
        let special = |c: char| c.is_whitespace() || matches!(c, '%' | '#' | '(' | ')' | '?' | '"' | ':');
        plain.chars().map(|c| if special(c) { format!("%{:02X}", u32::from(c)) } else { c.to_string() }).collect()
    };
    let with_ending = |path: &str| if path.contains('.') { path.to_owned() } else { format!("{path}.md") };
    let (before, target, after, form) = if header {
        match dice.roll(2) {
            0 => ("up: \"[[", spelled.replace('"', "\\\""), "]]\"", Form::DoubleQuoted),
            _ => ("up: '[[", spelled.replace('\'', "''"), "|x]]' # c", Form::SingleQuoted),
        }
    } else {
        match dice.roll(9) {
            0 => ("[[", spelled.clone(), "]]", Form::Wiki),
            1 => ("[[", spelled.clone(), "|shown]]", Form::Wiki),
            2 => ("- keep [[", spelled.clone(), "#Gone|see]] and more", Form::Wiki),
            3 => ("![[", spelled.clone(), "#^nope]]", Form::Wiki),
            4 => ("![[", spelled.clone(), "|100]] `[[Plan]]`", Form::Wiki),
            5 => ("see [text](", percent(&with_ending(&spelled)), "#gone \"title\")", Form::Percent),
            6 => ("![x](<", with_ending(&spelled).replace('#', "%23"), ">)", Form::Angle),
            7 => ("[label]: ", percent(&with_ending(&spelled)), "", Form::Percent),
            _ => ("> quoted [[", spelled.clone(), "]] **b** %% [[Plan]] %%", Form::Wiki),
        }
    };
    let is_scheme = form == Form::Angle && target.contains(':');
    if (!wiki && !matches!(form, Form::Percent | Form::Angle)) || is_scheme {
        return None;
    }
    let before = match (header, before) {
        (true, before) => before.to_owned(),
        (_, "[label]: ") => format!("[L{id}]: "),
        (_, before) => format!("L{id} {before}"),
    };
    Some(Line { from: from.to_owned(), before, target, after: after.to_owned(), form })
}

/// A vault: its files, and its lines with links.
pub(crate) fn vault(dice: &mut Dice) -> (BTreeMap<String, Vec<u8>>, Vec<Line>) {
    let (mut files, mut lines) = (BTreeMap::new(), Vec::new());
    for path in FILES.iter().copied() {
        let ending = path.rsplit('.').next().unwrap();
        let newline = if dice.roll(3) == 0 { "\r\n" } else { "\n" };
        let mut rows: Vec<String> = Vec::new();
        let mut add = |rows: &mut Vec<String>, line: Line| {
            rows.push(format!("{}{}{}", line.before, line.target, line.after));
            lines.push(line);
        };
        let id = FILES.iter().position(|other| *other == path).unwrap() * 100;
        match ending {
            "md" | "MD" => {
                if dice.roll(3) == 0 {
                    let header = line(dice, path, id, true);
                    rows.push("---".to_owned());
                    header.into_iter().for_each(|line| add(&mut rows, line));
                    rows.extend(["n: 1 # keep".to_owned(), "---".to_owned()]);
                }
                rows.push(format!("# Heading of {id}"));
                for at in 1..=dice.roll(6) {
                    if let Some(line) = line(dice, path, id + at, false) {
                        add(&mut rows, line);
                        rows.push(String::new());
                    }
                }
                rows.extend(["```".to_owned(), "[[Plan]] [x](Plan.md)".to_owned(), "```".to_owned()]);
            }
            "canvas" => {
                rows.push("{\"nodes\":[".to_owned());
                for at in 0..4 {
                    let to = composed(dice.of(FILES)).replace('"', "\\\"");
                    let (before, after, form) = if at % 2 == 0 {
                        (
                            format!("\t{{\"id\":\"{at}\",\"type\":\"file\",\"file\":\""),
                            "\",\"x\":1.50},".to_owned(),
                            Form::Card,
                        )
                    } else {
                        (format!("\t{{\"text\":\"{at} \\\"q\\\"\\n![["), "|s]]\"},".to_owned(), Form::Json)
                    };
                    if form == Form::Card || !to.contains('#') {
                        add(&mut rows, Line { from: path.to_owned(), before, target: to, after, form });
                    }
                }
                rows.push("\t{}],\"edges\":[]}".to_owned());
            }
            "base" => {
                rows.extend(["filters:".to_owned(), "  or:".to_owned()]);
                for (before, after, form) in [
                    ("    - file.hasLink(\"", "\") # c", Form::Wiki),
                    ("    - 'file.path == \"", "\"'", Form::CardSingleQuoted),
                ] {
                    let to = composed(dice.of(FILES));
                    if !to.contains(['"', '#', ':']) {
                        let target = if form == Form::Wiki { to } else { to.replace('\'', "''") };
                        let (before, after) = (before.to_owned(), after.to_owned());
                        add(&mut rows, Line { from: path.to_owned(), before, target, after, form });
                    }
                }
                rows.push("    - status == \"Plan\"".to_owned());
            }
            _ => {
                files.insert(path.to_owned(), vec![0, 255, u8::try_from(path.len()).unwrap()]);
                continue;
            }
        }
        let mut text = rows.join(newline);
        if dice.roll(3) > 0 {
            text.push_str(newline);
        }
        files.insert(path.to_owned(), text.into_bytes());
    }
    (files, lines)
}
