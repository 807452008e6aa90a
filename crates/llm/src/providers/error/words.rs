//! What a server says, in any of the usual places.

use serde_json::Value;

/// The longest message that is told, in characters.
const LONGEST: usize = 500;

/// The places of a message, in the order in which they count.
const PLACES: [&str; 24] = [
    "/error/message",
    "/error/msg",
    "/error/error_msg",
    "/error/detail",
    "/error",
    "/message",
    "/msg",
    "/error_msg",
    "/error_message",
    "/errorMessage",
    "/err_msg",
    "/errmsg",
    "/detail/error",
    "/detail/0/msg",
    "/detail/message",
    "/detail",
    "/error/error",
    "/errors/0/message",
    "/errors/0",
    "/base_resp/status_msg",
    "/header/message",
    "/fault/faultstring",
    "/status_msg",
    "/title",
];

/// The server's words: from a usual place in JSON, else from the title or text of a page, or the text itself. Empty where it
/// says nothing.
pub(in crate::providers) fn words_in(json: Option<&Value>, text: &str) -> String {
    let found = json.and_then(|root| {
        let root = root.as_array().and_then(|items| items.first()).unwrap_or(root);
        PLACES.iter().find_map(|place| root.pointer(place)?.as_str()).map(str::to_owned)
    });
    let words =
        found.unwrap_or_else(|| if text.trim_start().starts_with('<') { page_text(text) } else { text.to_owned() });
    words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LONGEST).collect()
}

/// The title of a page, or its text without tags.
fn page_text(page: &str) -> String {
    let lower = page.to_ascii_lowercase();
    if let Some(start) = lower.find("<title").and_then(|at| Some(at + lower[at..].find('>')? + 1))
        && let Some(end) = lower[start..].find("</title")
    {
        return page[start..start + end].to_owned();
    }
    let mut text = String::new();
    let mut in_tag = false;
    for c in page.chars() {
        match c {
            '<' => in_tag = true,
            '>' => {
                in_tag = false;
                text.push(' ');
            }
            _ if !in_tag => text.push(c),
            _ => {}
        }
    }
    text
}
