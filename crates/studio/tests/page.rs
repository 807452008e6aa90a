//! The page as a browser gets it.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use graphloom_server::{Running, Server};

async fn started() -> Running {
    let address: std::net::SocketAddr = ([127, 0, 0, 1], 0).into();
    let server = Server::new().demo().unwrap().page(graphloom_studio::PATH, graphloom_studio::page());
    server.start(address).await.unwrap()
}

async fn get(running: &Running, path: &str) -> (u16, String, String) {
    let client = graphloom_http::unproxied("test").build().unwrap();
    let response = client.get(format!("http://{}{path}", running.address())).send().await.unwrap();
    let media_type = response.headers()["content-type"].to_str().unwrap().to_owned();
    (response.status().as_u16(), media_type, response.text().await.unwrap())
}

/// What an HTML page names in an attribute.
fn named<'h>(html: &'h str, attribute: &str) -> Vec<&'h str> {
    let begin = format!(" {attribute}=\"");
    html.split(begin.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[tokio::test]
async fn every_file_that_the_page_loads_is_there_and_of_its_type() {
    let running = started().await;
    let (status, media_type, html) = get(&running, "/studio").await;
    assert_eq!((status, media_type.as_str()), (200, "text/html; charset=utf-8"));
    let mut files = [named(&html, "href"), named(&html, "src")].concat();
    files.sort_unstable();
    assert_eq!(files, ["icon.svg", "studio.js", "style.css"], "{html}");
    for (file, expected) in files.iter().zip(["image/svg+xml", "text/javascript", "text/css"]) {
        let (status, media_type, content) = get(&running, &format!("/studio/{file}")).await;
        assert_eq!((status, media_type.as_str(), content.is_empty()), (200, expected, false), "{file}");
    }
    running.stop().await;
}

#[tokio::test]
async fn nothing_of_the_page_goes_against_the_policy_of_its_server() {
    let running = started().await;
    let (_, _, html) = get(&running, "/studio/").await;
    let is_inline = |word: &str| word.starts_with("style=") || word.starts_with("on") && word.contains("=\"");
    assert!(!html.contains("<style") && !html.split_whitespace().any(is_inline), "inline: {html}");
    for script in html.split("<script").skip(1) {
        let (opening, rest) = script.split_once('>').unwrap();
        assert!(opening.contains(" src=") && rest.starts_with("</script>"), "inline: {html}");
    }
    let (_, _, style) = get(&running, "/studio/style.css").await;
    // A picture inside the style has the name of its language, which is loaded from nowhere.
    let style = style.replace("http://www.w3.org/2000/svg", "");
    for address in ["http:", "https:", "@import", "url(//"] {
        assert!(!style.contains(address), "the style names {address}");
    }
    let (_, _, script) = get(&running, "/studio/studio.js").await;
    for code in ["eval(", "new Function(", "document.write("] {
        let begins = |at: usize| !script[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
        assert!(!script.match_indices(code).any(|(at, _)| begins(at)), "the script has {code}");
    }
    running.stop().await;
}
