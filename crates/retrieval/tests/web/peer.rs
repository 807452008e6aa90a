//! Tavily's interface as somebody else plays it: `@copilotkit/aimock`.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use graphloom_retrieval::web::{EngineName, Web, WebOptions};

/// The variable that names the program: the file `dist/cli.js` of the package.
const PROGRAM: &str = "AIMOCK";

/// The server; the process that was started ends with it.
struct Peer(Child);

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts it with pages for questions about logs, and with no page for others.
fn start() -> (Peer, u16) {
    const SCRIPT: &str = "const { LLMock } = await import(process.argv[1]);
        const mock = new LLMock({ host: '127.0.0.1', port: 0 });
        mock.onSearch(/log/, [
            { url: 'https://db.example/wal?utm_source=x', title: 'Logs', content: 'Changes go to the log first.', score: 0.9 },
            { url: 'https://notes.example/log', title: 'More', content: 'A log grows.', score: 0.5 },
            { url: 'https://third.example/', title: 'Third', content: 'Left out.', score: 0.1 }]);
        console.log(await mock.start());";
    let program = std::env::var_os(PROGRAM)
        .expect("`AIMOCK` must name `dist/cli.js` of the npm package `@copilotkit/aimock`, as `.ci/run` installs it");
    let library = std::path::Path::new(&program).with_file_name("index.js");
    let mut child = Command::new("node")
        .args(["--input-type=module", "--eval", SCRIPT])
        .arg(std::path::absolute(library).unwrap())
        .stdout(Stdio::piped())
        .spawn()
        .expect("`node` must be there");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let peer = Peer(child);
    let port = lines.find_map(|line| line.strip_prefix("http://127.0.0.1:")?.parse().ok());
    // Its further words are read, so that it is never held up.
    std::thread::spawn(move || lines.for_each(drop));
    (peer, port.expect("aimock says where it listens"))
}

#[tokio::test]
#[ignore = "needs the npm package `@copilotkit/aimock` in `AIMOCK`"]
async fn tavily_as_somebody_else_plays_it() {
    let (_peer, port) = start();
    let place = format!("127.0.0.1:{port}");
    let options = WebOptions::default().address(EngineName::Tavily, &format!("http://{place}"));
    let options = options.key(EngineName::Tavily, "tvly-key").key_for(EngineName::Tavily, &place).unwrap();
    let web = Web::open(&[EngineName::Tavily], &options).unwrap();
    let found = web.ask("write-ahead log", 2).await;
    let pages: Vec<(&str, &str)> = found.results.iter().map(|page| (page.url.as_str(), page.text.as_str())).collect();
    assert_eq!(
        pages,
        [("https://db.example/wal", "Changes go to the log first."), ("https://notes.example/log", "A log grows."),],
        "{}",
        found.reports[0]
    );
    let none = web.ask("tides", 2).await;
    assert_eq!(none.reports[0].to_string(), "Tavily has no page for this question.");
}
