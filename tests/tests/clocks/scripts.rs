//! Sleeps in JavaScript and Python, found by their words and by what is around them.

use std::collections::BTreeSet;

use super::Sleeps;

const CALLS: [&str; 4] = ["sleep(", "waitForTimeout(", "setTimeout(", "delay("];

/// Where a call of a sleep begins in a text, apart from its declaration.
fn calls(text: &str) -> Vec<usize> {
    let mut found = BTreeSet::new();
    for call in CALLS {
        for (at, _) in text.match_indices(call) {
            let before = text[..at].trim_end();
            let is_word =
                text[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$');
            if !is_word && !before.ends_with("function") && !before.ends_with("def") {
                found.insert(at);
            }
        }
    }
    found.into_iter().collect()
}

/// What a block belongs to: the words before its brace.
#[derive(Debug, Default)]
struct Block {
    is_loop: bool,
    name: Option<String>,
}

/// The tests and functions of a script that sleep outside of a loop.
pub(super) fn sleeps_of_javascript(text: &str) -> Sleeps {
    let code = without_texts(text);
    let calls: BTreeSet<usize> = calls(&code).into_iter().collect();
    let (mut blocks, mut head, mut depth, mut found) =
        (Vec::<(Block, usize, usize)>::new(), 0, 0_usize, BTreeSet::new());
    for (at, letter) in code.char_indices() {
        if calls.contains(&at) {
            let own = block(&text[head..at], &code[head..at]);
            let is_loop = own.is_loop || blocks.iter().any(|(block, ..)| block.is_loop);
            if !is_loop {
                let named =
                    own.name.as_ref().or_else(|| blocks.iter().rev().find_map(|(block, ..)| block.name.as_ref()));
                found.insert(named.cloned().unwrap_or_else(|| "the file".to_owned()));
            }
        }
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '{' => {
                blocks.push((block(&text[head..at], &code[head..at]), depth, head));
                (head, depth) = (at + 1, 0);
            }
            '}' => {
                let (_, outer, before) = blocks.pop().unwrap_or_default();
                depth = outer;
                // Within parentheses the words before the brace go on.
                head = if depth > 0 { before } else { at + 1 };
            }
            ';' if depth == 0 => head = at + 1,
            _ => {}
        }
    }
    found
}

/// What the words before a brace say. Names of tests are texts, so that they are read as they are written.
fn block(written: &str, code: &str) -> Block {
    let words: Vec<&str> = code.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).collect();
    let is_loop = words.iter().any(|word| matches!(*word, "for" | "while" | "do"));
    let after = |word: &str| words.iter().position(|other| *other == word).and_then(|at| words.get(at + 1)).copied();
    let is_function = code.contains("=>") || words.contains(&"function");
    let title = ["test(", "it(", "describe(", "before(", "after("].iter().any(|call| code.contains(call));
    let name = if title {
        written.split(['"', '`', '\'']).nth(1).map(str::to_owned)
    } else if is_function {
        after("function").or_else(|| after("const")).filter(|name| !name.is_empty()).map(str::to_owned)
    } else if code.trim_end().ends_with(')') && !is_loop {
        // A method, unless the word before the parenthesis is one of the language.
        let word = code.split('(').next().and_then(|code| code.split_whitespace().last()).unwrap_or_default();
        let is_name = word.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '#'));
        let is_method = is_name && !matches!(word, "" | "if" | "switch" | "catch" | "with");
        is_method.then(|| word.trim_start_matches('#').to_owned())
    } else {
        None
    };
    Block { is_loop, name }
}

/// The code with spaces in place of comments and of what is in quotes.
fn without_texts(text: &str) -> String {
    let (mut code, mut quote, mut letters) = (String::with_capacity(text.len()), None, text.chars().peekable());
    let blank = |letter: char, code: &mut String| match letter {
        '\n' => code.push('\n'),
        letter => (0..letter.len_utf8()).for_each(|_| code.push(' ')),
    };
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, '"' | '\'' | '`') => {
                quote = Some(letter);
                code.push(letter);
            }
            (None, '/') if letters.peek() == Some(&'/') => {
                code.push(' ');
                while let Some(letter) = letters.next_if(|letter| *letter != '\n') {
                    blank(letter, &mut code);
                }
            }
            (None, letter) => code.push(letter),
            (Some(_), '\\') => {
                code.push(' ');
                if let Some(letter) = letters.next() {
                    blank(letter, &mut code);
                }
            }
            (Some(end), letter) if letter == end || (letter == '\n' && end != '`') => {
                quote = None;
                code.push(letter);
            }
            (Some(_), letter) => blank(letter, &mut code),
        }
    }
    code
}

/// The functions of a script that sleep outside of a loop.
pub(super) fn sleeps_of_python(text: &str) -> Sleeps {
    let lines: Vec<&str> = text.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut found = BTreeSet::new();
    for (at, line) in lines.iter().enumerate() {
        let code = line.split('#').next().unwrap_or_default();
        if calls(code).is_empty() {
            continue;
        }
        let (mut depth, mut is_loop, mut name) = (indent(line), false, "the file");
        for around in lines[..at].iter().rev().filter(|line| !line.trim().is_empty()) {
            if indent(around) >= depth {
                continue;
            }
            depth = indent(around);
            let words = around.trim_start().trim_start_matches("async ");
            if let Some(declared) = words.strip_prefix("def ") {
                name = declared.split('(').next().unwrap_or_default();
                break;
            }
            is_loop |= words.starts_with("for ") || words.starts_with("while ");
        }
        if !is_loop {
            found.insert(name.to_owned());
        }
    }
    found
}

#[test]
fn a_sleep_of_a_script_is_found_unless_something_is_waited_for() {
    let script = |text: &str| sleeps_of_javascript(text).into_iter().collect::<Vec<_>>();
    assert_eq!(script("test(\"it hopes\", async () => { await sleep(100); ok(); });"), ["it hopes"]);
    assert_eq!(script("test(\"it hopes\", async () => { if (a) { await page.waitForTimeout(9); } });"), ["it hopes"]);
    assert_eq!(script("const hopes = () => new Promise((go) => setTimeout(go, 100));"), ["hopes"]);
    assert_eq!(script("function hopes({ a }, b = {}) { try { there(); } catch {} sleep(100); }"), ["hopes"]);
    assert!(script("test(\"it waits\", async () => { while (!there()) { await sleep(100); } });").is_empty());
    assert!(script("function waits() { for (let i = 0; i < 3; i++) await sleep(100); }").is_empty());
    assert!(script("// sleep(100)\nconst text = \"sleep(100)\";").is_empty());
    let python = |text: &str| sleeps_of_python(text).into_iter().collect::<Vec<_>>();
    assert_eq!(python("def hopes():\n    if a:\n        time.sleep(1)\n"), ["hopes"]);
    assert!(python("async def waits():\n    while True:\n        await asyncio.sleep(1)\n").is_empty());
}
