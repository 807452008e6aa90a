//! A model that thinks aloud: the conversation is the one with a model that does not. The models are scripted.

use graphloom_test_support::thinking::{DECOY, FORMS, thinking};

use crate::support::{DONE, TestDir, WAITING, script};

/// All that the example conversation says.
fn conversation(dir: &TestDir) -> Vec<String> {
    let lines = [("tides", WAITING), ("approve", WAITING), ("why?", WAITING), ("reject: say more about cost", WAITING)];
    let mut said: Vec<String> = lines.into_iter().map(|(line, status)| dir.say(line, status)).collect();
    said.push(dir.say("yes", DONE));
    said
}

#[test]
fn no_thoughts_are_in_a_conversation() {
    let plain = conversation(&TestDir::new());
    assert!(plain[2].contains("Because of the moon."), "{plain:?}");
    for form in FORMS {
        let dir = TestDir::new();
        dir.script("model.jsonl", &thinking(&script(), form));
        let said = conversation(&dir);
        assert_eq!(said, plain, "{form:?}");
        assert!(!dir.session().to_string().contains(DECOY), "{form:?}");
    }
}
