//! A chat on a terminal: what is typed can be seen and edited, Ctrl-C stops a turn, and what was typed ahead approves
//! nothing.

use std::io::{Read, Write};
use std::num::NonZero;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::support::{DONE, Desk, WAITING};

/// Names the arguments of the program to a process of this test that becomes it.
const PROGRAM: &str = "POCKETFLOW_ON_A_TERMINAL";
/// Parts the arguments.
const COMMA: char = '\u{1f}';
const ROWS: u16 = 45;
const COLUMNS: u16 = 110;
/// The longest wait for something on the screen.
const PATIENCE: Duration = Duration::from_secs(120);

/// Not a test of its own: the process that [`Terminal::open`] begins takes the terminal for its own and becomes the
/// program, for which the standard library has no safe call.
#[test]
fn the_process_that_becomes_the_program() {
    let Ok(args) = std::env::var(PROGRAM) else { return };
    rustix::process::setsid().unwrap();
    rustix::process::ioctl_tiocsctty(std::io::stdin()).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_pocketflow"));
    panic!("{}", program.args(args.split(COMMA)).env_remove(PROGRAM).exec());
}

struct Screen {
    shown: vt100::Parser,
    /// Everything that was written.
    written: Vec<u8>,
    gone: bool,
}

/// A program on a terminal of its own.
struct Terminal {
    child: Child,
    keys: std::fs::File,
    screen: Arc<(Mutex<Screen>, Condvar)>,
}

impl Terminal {
    fn open(desk: &Desk, args: &[&str]) -> Self {
        let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&keys).unwrap();
        unlockpt(&keys).unwrap();
        tcsetwinsize(&keys, Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let name = ptsname(&keys, Vec::new()).unwrap();
        let side = |flags| rustix::fs::open(&*name, flags | OFlags::NOCTTY, Mode::empty()).unwrap();
        let slave: OwnedFd = side(OFlags::RDWR);
        let command = desk.command(&[]);
        let mut program = Command::new(std::env::current_exe().unwrap());
        program.args(["--exact", "terminal::the_process_that_becomes_the_program", "--nocapture"]);
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => program.env(name, value),
                None => program.env_remove(name),
            };
        }
        program.current_dir(command.get_current_dir().unwrap()).env("TERM", "xterm-256color");
        program.env(PROGRAM, args.join(&COMMA.to_string()));
        program.stdin(slave.try_clone().unwrap()).stdout(slave.try_clone().unwrap()).stderr(slave);
        let child = program.spawn().unwrap();
        drop(program);
        let keys = std::fs::File::from(keys);
        let [rows, columns] = [ROWS, COLUMNS].map(|size| NonZero::new(size).unwrap());
        let shown = vt100::Parser::new(rows, columns, 2_000);
        let screen = Arc::new((Mutex::new(Screen { shown, written: Vec::new(), gone: false }), Condvar::new()));
        let (mut reads, shared) = (keys.try_clone().unwrap(), Arc::clone(&screen));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            loop {
                // The other end of a terminal that nobody has open is an error.
                let read = reads.read(&mut bytes).unwrap_or(0);
                let mut screen = shared.0.lock().unwrap();
                screen.shown.process(&bytes[..read]);
                screen.written.extend_from_slice(&bytes[..read]);
                screen.gone = read == 0;
                shared.1.notify_all();
                if read == 0 {
                    return;
                }
            }
        });
        Self { child, keys, screen }
    }

    /// Waits until what was written since `from` has a text, and says where that ends.
    fn waits_for(&self, text: &str, from: usize) -> usize {
        let begun = Instant::now();
        let mut screen = self.screen.0.lock().unwrap();
        loop {
            let at = screen.written[from..].windows(text.len()).position(|part| part == text.as_bytes());
            if let Some(at) = at {
                return from + at + text.len();
            }
            let shown = screen.shown.screen().contents();
            assert!(!screen.gone && begun.elapsed() < PATIENCE, "no `{text}` on the screen:\n{shown}");
            screen = self.screen.1.wait_timeout(screen, Duration::from_secs(1)).unwrap().0;
        }
    }

    fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// The line that the cursor is in.
    fn line(&self) -> String {
        let screen = self.screen.0.lock().unwrap();
        let (row, _) = screen.shown.screen().cursor_position();
        screen.shown.screen().rows(0, COLUMNS).nth(usize::from(row)).unwrap_or_default()
    }

    /// Waits until the line of the cursor is this.
    fn shows_line(&self, expected: &str) {
        let begun = Instant::now();
        while self.line().trim_end() != expected {
            let screen = self.screen.0.lock().unwrap();
            let shown = screen.shown.screen().contents();
            assert!(!screen.gone && begun.elapsed() < PATIENCE, "not `{expected}` in the line of the cursor:\n{shown}");
            drop(self.screen.1.wait_timeout(screen, Duration::from_millis(200)).unwrap());
        }
    }

    /// Whether nothing at all is written for a second and more, which is eight turns of a spinner.
    fn is_silent(&self) -> bool {
        let before = self.screen.0.lock().unwrap().written.len();
        // A descriptor that is never ready.
        let (quiet, _kept) = std::io::pipe().unwrap();
        let wait = Timespec { tv_sec: 1, tv_nsec: 0 };
        poll(&mut [PollFd::new(&quiet, PollFlags::IN)], Some(&wait)).unwrap();
        self.screen.0.lock().unwrap().written.len() == before
    }

    fn ends(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

const SCRIPTED: [&str; 4] = ["--model", "scripted:model.jsonl", "--corpus", "papers"];

#[test]
fn what_is_typed_is_seen_and_edited_and_nothing_is_written_over_it() {
    let desk = Desk::new();
    let mut terminal = Terminal::open(&desk, &[&["chat", "c1"], &SCRIPTED[..]].concat());
    let at = terminal.waits_for("you: ", 0);
    // A letter is put right, one is put in before the end, and the line is sent.
    terminal.types("tidz\u{7f}s");
    terminal.shows_line("you: tids");
    terminal.types("\u{1b}[De");
    terminal.shows_line("you: tides");
    terminal.types("\r");
    let at = terminal.waits_for("These are the queries for tides", at);
    terminal.waits_for("you: ", at);
    terminal.types("ok, drop the third one");
    terminal.shows_line("you: ok, drop the third one");
    // The line itself may still be on its way; a spinner would never be silent.
    assert!((0..10).any(|_| terminal.is_silent()), "something writes while it is the person's turn");
    terminal.shows_line("you: ok, drop the third one");
    // What is typed by mistake is taken back, and the line before comes again.
    terminal.types(&"\u{7f}".repeat("ok, drop the third one".len()));
    terminal.types("\u{1b}[A");
    terminal.shows_line("you: tides");
    terminal.types(&"\u{7f}".repeat("tides".len()));
    terminal.types("/quit\r");
    assert_eq!(terminal.ends(), Some(WAITING));
    assert!(desk.session()["approvals"]["queries"].is_null());
}

/// A source that answers after a while, or never.
fn source(runtime: &tokio::runtime::Runtime, seconds: u64) -> MockServer {
    runtime.block_on(async {
        let server = MockServer::start().await;
        let nothing = r#"{"meta": {"count": 0}, "results": []}"#;
        let slow = ResponseTemplate::new(200).set_body_raw(nothing, "application/json");
        Mock::given(any()).respond_with(slow.set_delay(Duration::from_secs(seconds))).mount(&server).await;
        server
    })
}

#[test]
fn ctrl_c_stops_the_turn_and_says_how_to_go_on() {
    let desk = Desk::new();
    desk.say("tides", WAITING);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let never = source(&runtime, 3_600);
    let address = format!("literature.address={}", never.uri());
    let network = ["--search", "openalex", "--set", &address, "--model", "scripted:model.jsonl"];
    let mut terminal = Terminal::open(&desk, &[&["chat", "c1"], &network[..]].concat());
    let at = terminal.waits_for("you: ", 0);
    terminal.types("approve\r");
    let at = terminal.waits_for("searching: spring tides", at);
    terminal.types("\u{3}");
    let at = terminal.waits_for("`go on` goes on with it", at);
    let at = terminal.waits_for("you: ", at);
    terminal.types("cancel\r");
    let at = terminal.waits_for("This journey is ended", at);
    terminal.waits_for("you: ", at);
    terminal.types("/quit\r");
    assert_eq!(terminal.ends(), Some(DONE));
    let session = desk.session();
    assert_eq!((&session["status"], &session["artifacts"]["review"]), (&"cancelled".into(), &serde_json::Value::Null));
}

#[test]
fn what_is_typed_while_a_turn_goes_on_is_about_what_was_shown_before_it() {
    let desk = Desk::new();
    desk.say("tides", WAITING);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let slow = source(&runtime, 2);
    let address = format!("literature.address={}", slow.uri());
    let both = ["--search", "local,openalex", "--set", &address];
    let mut terminal = Terminal::open(&desk, &[&["chat", "c1"], &SCRIPTED[..], &both[..]].concat());
    let at = terminal.waits_for("you: ", 0);
    terminal.types("approve\r");
    let at = terminal.waits_for("searching: spring tides", at);
    terminal.types("approve\r");
    let at = terminal.waits_for("This is the proposal", at);
    let at = terminal.waits_for("Your approval of version 1 of the queries was counted already", at);
    let at = terminal.waits_for("you: ", at);
    assert_eq!(desk.session()["approvals"], serde_json::json!({ "queries": 1, "proposal": null }));
    terminal.types("approve\r");
    let at = terminal.waits_for("The proposal is done", at);
    terminal.waits_for("you: ", at);
    terminal.types("/quit\r");
    assert_eq!(terminal.ends(), Some(DONE));
}
