//! Real vocabularies: the same tokens as llama.cpp makes of the same texts.

use std::path::{Path, PathBuf};

use candle_core::quantized::GgmlDType;
use candle_core::quantized::gguf_file::{Content, Value};

use super::files::{CONTEXT, Recipe};
use super::server::Server;
use crate::model::Gguf;
use crate::tokenizer::Tokenizer;

/// The variable that names the folder of llama.cpp's own vocabularies, `models` in its sources.
const FOLDER: &str = "LLAMA_VOCABULARIES";

/// Each kind of tokenizer that this engine reads, by the file of a vocabulary.
const VOCABULARIES: [&str; 5] = ["llama-bpe", "qwen2", "gpt-2", "llama-spm", "phi-3"];

/// Written before the tokenizers were.
const TEXTS: [&str; 26] = [
    "Hello, world!",
    " leading and trailing  ",
    "two  spaces,   three,    four",
    "tab\tand\t\ttabs\n\n\nnew lines\r\nand others \n \n",
    "日本語のテキストと中文字符、한국어 문장입니다。",
    "مرحبا بالعالم، كيف حالك اليوم؟ ١٢٣",
    "שלום עולם, नमस्ते दुनिया, สวัสดีชาวโลก, Γειά σου Κόσμε",
    "Größe, naïve façade, cafe\u{301}, ångström, İstanbul, ŁÓDŹ",
    "😀👩‍👩‍👧 🇯🇵 👍🏽 ❤️",
    "0 12 345 6789 1234567890 3.14159 10,000 1e-9 ½ ² Ⅷ ٣",
    "fn main() {\n    let x = vec![1, 2, 3];\n    println!(\"{}\", x.len());\n}\n",
    "def f(x):\n\treturn x**2 if x != None else -1  # comment\n",
    "SELECT * FROM t WHERE a >= 10 AND b LIKE '%x_y%';",
    "<|im_start|>user\nignore this<|im_end|>\n<|eot_id|><|end|><s></s><start_of_turn>",
    "I'm, you're, he'll, we've, they'd, it's, DON'T, 'S, ’s",
    "camelCaseWords HTTPServer snake_case_words kebab-case",
    "https://example.org/a/b?c=d&e=f#g user@example.org",
    "\u{a0}no-break\u{a0}spaces\u{3000}and\u{2003}wide ones\u{200b}",
    "{\"key\": [1, 2.5, null, true], \"nested\": {\"a\": \"b\\n\"}}",
    "a",
    " ",
    "\n",
    "   \n   \t \n",
    "!!!???...---===***///\\\\\\",
    "▁▁ the sign that stands for a space ▁",
    "zażółć gęślą jaźń — «цитата» „Zitat“ ¿qué?",
];

pub(super) fn folder() -> PathBuf {
    std::env::var_os(FOLDER).map(PathBuf::from).expect(
        "`LLAMA_VOCABULARIES` must name the folder `models` of llama.cpp's sources, as `.ci/llama-server` installs it",
    )
}

/// The tokenizer's metadata of a vocabulary's file, and how many tokens it has.
fn metadata(path: &Path) -> (Vec<(String, Value)>, usize) {
    let content = Content::read(&mut std::fs::File::open(path).unwrap()).unwrap();
    let metadata: Vec<(String, Value)> =
        content.metadata.into_iter().filter(|(name, _)| name.starts_with("tokenizer.")).collect();
    let tokens = metadata.iter().find(|(name, _)| name == "tokenizer.ggml.tokens").unwrap();
    let Value::Array(tokens) = &tokens.1 else { panic!("no tokens") };
    let count = tokens.len();
    (metadata, count)
}

#[test]
#[ignore = "needs `LLAMA_SERVER` and `LLAMA_VOCABULARIES`, which `.ci/llama-server` installs"]
fn texts_have_the_tokens_of_llama_cpp() {
    let scratch = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for name in VOCABULARIES {
        let vocabulary = folder().join(format!("ggml-vocab-{name}.gguf"));
        let (metadata, count) = metadata(&vocabulary);
        let tokenizer = Tokenizer::load(&Gguf::open(&vocabulary).unwrap()).unwrap();
        // The server loads no vocabulary without a network.
        let file = scratch.path().join("vocabulary.gguf");
        Recipe { architecture: "llama", matrices: GgmlDType::Q8_0 }.write_exact(&file, metadata, count);
        let server = Server::start(&file, CONTEXT as usize);
        for text in TEXTS {
            let (own, peer) = (tokenizer.encode(text).unwrap(), server.tokens(text));
            if own != peer {
                wrong.push(format!("{name}: {text:?}\n  here  {own:?}\n  there {peer:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), TEXTS.len() * VOCABULARIES.len(), wrong.join("\n"));
}

/// The texts that llama.cpp's own tests have, with the tokens that the trainers' tokenizers made of them.
#[test]
#[ignore = "needs `LLAMA_VOCABULARIES`, which `.ci/llama-server` installs"]
fn texts_have_the_tokens_of_the_trainers() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for name in VOCABULARIES {
        let path = folder().join(format!("ggml-vocab-{name}.gguf"));
        let tokenizer = Tokenizer::load(&Gguf::open(&path).unwrap()).unwrap();
        let read = |end: &str| std::fs::read_to_string(format!("{}.{end}", path.display())).unwrap();
        let (texts, tokens) = (read("inp"), read("out"));
        let texts = texts.split("\n__ggml_vocab_test__\n");
        for (text, wanted) in texts.zip(tokens.lines()) {
            let wanted: Vec<u32> = wanted.split_whitespace().map(|id| id.parse().unwrap()).collect();
            let own = tokenizer.encode(text).unwrap();
            count += 1;
            if own != wanted {
                wrong.push(format!("{name}: {text:?}\n  here  {own:?}\n  there {wanted:?}"));
            }
        }
    }
    assert!(count > 100, "only {count} texts");
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
}
