//! Models that cannot be used: a missing key, cut weights, a server that fails.

use wiremock::ResponseTemplate;

use crate::compatible::report;
use crate::planner::{CALLS, Scripted};
use crate::support::{TestDir, assert_report, text};

#[test]
fn a_missing_key_names_its_variable() {
    let body = serde_json::json!({"error": {"message": "no key was given", "type": "invalid_request_error"}});
    let server = Scripted::answering(ResponseTemplate::new(401).set_body_json(body));
    let (dir, model) = (TestDir::new(), server.model());
    let output = dir.run(&report(&model, &["--out", "out", "--thread", "refused"]));
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("LLM_API_KEY") && said.contains("no key was given"), "{said}");
    assert!(server.requests().len() <= 2, "a refused key is not tried again and again");
    let run: serde_json::Value = serde_json::from_str(&dir.read("out/run.json")).unwrap();
    assert_eq!((&run["status"], &run["words"]), (&"failed".into(), &0.into()), "never an empty success: {run:#}");

    // The same run, once there is a model that answers.
    let better = Scripted::start();
    let output = dir.run(&["resume", "refused", "--model", &better.model()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_report(&dir.path("out"));
    assert_eq!(better.requests().len(), CALLS);
}

#[test]
fn a_server_that_answers_nonsense_is_no_empty_success() {
    for answer in [
        ResponseTemplate::new(200).set_body_string("<html>a page</html>"),
        ResponseTemplate::new(200).set_body_json(serde_json::json!({"choices": []})),
        ResponseTemplate::new(400).set_body_string("no"),
        ResponseTemplate::new(404),
    ] {
        let server = Scripted::answering(answer);
        let (dir, model) = (TestDir::new(), server.model());
        let output = dir.run(&report(&model, &["--out", "out"]));
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("the text is not complete") && said.contains("planner"), "{said}");
        assert!(!said.contains("panicked"), "{said}");
    }
}

#[test]
fn weights_that_were_cut_short_are_named() {
    let dir = TestDir::new();
    // The head of a weights file whose tables promise more than the file has.
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(3_u32.to_le_bytes());
    bytes.extend(272_u64.to_le_bytes());
    bytes.extend(30_u64.to_le_bytes());
    std::fs::write(dir.path("cut.gguf"), &bytes).unwrap();
    let output = dir.run(&report("gguf:cut.gguf", &["--out", "out"]));
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("cut.gguf") && !said.contains("panicked"), "{said}");
}

#[test]
fn a_file_that_cannot_be_read_is_told_in_the_run() {
    let server = Scripted::start();
    let (dir, model) = (TestDir::new(), server.model());
    std::os::unix::fs::symlink("nowhere.md", dir.path("corpus/gone.md")).unwrap();
    std::fs::write(dir.path("corpus/picture.md"), [0_u8, 159, 146, 150, 0, 1, 2, 255].repeat(64)).unwrap();
    let output = dir.run(&report(&model, &["--out", "out"]));
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("picture.md"), "{said}");
    let run: serde_json::Value = serde_json::from_str(&dir.read("out/run.json")).unwrap();
    let notes = run["notes"].to_string();
    assert!(notes.contains("not read: ") && notes.contains("picture.md"), "{notes}");
}
