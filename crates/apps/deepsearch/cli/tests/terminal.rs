//! On a terminal: what was typed before a question was shown is no answer to it. The model is scripted.

use graphloom_test_support::terminal::{Terminal, become_the_program};

use crate::support::TestDir;

/// Not a test of its own: [`open`] begins it.
#[test]
fn the_process_that_becomes_the_program() {
    become_the_program();
}

fn open(dir: &TestDir, args: &[&str]) -> Terminal {
    Terminal::open(&dir.command(args), "terminal::the_process_that_becomes_the_program")
}

#[test]
fn what_was_typed_before_a_question_was_shown_answers_nothing() {
    let dir = TestDir::new();
    let mut terminal = open(&dir, &dir.ask(&["--out", "out", "--thread", "t"]));
    terminal.types_ahead("the wrong log\r");
    let at = terminal.waits_for("Which log?", 0);
    let at = terminal.waits_for("is no answer to it", at);
    let at = terminal.waits_for("> ", at);
    terminal.types("the log of SQLite\r");
    // The outline is asked about next.
    let at = terminal.waits_for("`accepted`, a comment", at);
    terminal.waits_for("> ", at);
    terminal.types("\u{4}");
    assert_eq!(terminal.ends(), Some(3));
}
