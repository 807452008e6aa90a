//! A scripted model in the place of a real one, for tests and for a first run without a server.

use graphloom::llm::scripted::Reply;
use graphloom::llm::{Part, Scripted, ToolCall};
use serde_json::json;

/// Looks at the list of files, asks for one that is not there, then reads `README.md` and repeats its first paragraph.
pub fn script() -> Scripted {
    let call = |name: &str, arguments| ToolCall {
        id: format!("{name} {arguments}"),
        name: name.into(),
        arguments,
    };
    Scripted::from_fn(move |request| {
        let parts = request.messages.iter().flat_map(|message| &message.parts);
        let results: Vec<&str> = parts
            .filter_map(|part| match part {
                Part::ToolResult(result) => Some(result.content.as_str()),
                _ => None,
            })
            .collect();
        Ok(match results.as_slice() {
            [] => Reply::tools([call("list_files", json!({}))]),
            [_] => Reply::tools([call("read_file", json!({ "file": "READ.ME" }))]),
            [_, _] => Reply::tools([call("read_file", json!({ "file": "README.md" }))]),
            [.., text] => {
                let mut paragraphs = text.split("\n\n").skip_while(|part| !part.contains("# "));
                let first = paragraphs.nth(1).unwrap_or("the file is empty");
                Reply::text(first.replace('\n', " "))
            }
        })
    })
}
