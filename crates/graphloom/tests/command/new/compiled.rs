//! Each template compiles against this checkout, passes its own tests, and its program runs to its end.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use super::templates;
use super::workspace::{Programs, Workspace, cargo};
use crate::told;

/// What the program of each template is called with, one call after the other, and what it prints.
const CALLS: [(&str, &[(&[&str], &str)]); 4] = [
    ("minimal", &[(&[], "flowchart TD"), (&["one, two"], "one, two\n")]),
    (
        "ask",
        &[
            (&["start", "Ada"], "`verdict` is asked about \"Dear Ada,"),
            (&["change", "Ben"], "`verdict` is asked about \"Dear Ben,"),
            (&["send"], "sent: Dear Ben,"),
            (&["start", "Cy"], "`verdict` is asked about \"Dear Cy,"),
        ],
    ),
    ("agent", &[(&[], "turn 3: read_file {\"file\":\"README.md\"}\nAn agent that uses tools")]),
    ("report", &[(&[], "supported: A run that was killed goes on"), (&["zebras"], "nothing was found")]),
];

fn made() -> Workspace {
    let place = tempfile::tempdir().unwrap();
    Workspace::of(&templates(place.path()), |template| format!("new-{template}"))
}

#[test]
fn each_template_compiles_passes_its_tests_and_runs() {
    let workspace = made();
    for (name, Programs { main, test }) in workspace.crates().iter().zip(workspace.compile(&[])) {
        let folder = workspace.folder(name);
        let (status, stdout, stderr) = told(Command::new(&test).current_dir(&folder).output().unwrap());
        assert_eq!(status, 0, "{name}: {stdout}\n{stderr}");
        assert!(!stdout.contains("running 0 tests"), "{name}: {stdout}");

        let calls = CALLS.iter().find(|(template, _)| name.ends_with(template));
        let (_, calls) = calls.unwrap_or_else(|| panic!("nothing calls the program of `{name}`"));
        for (arguments, expected) in *calls {
            // Nothing of the caller's surroundings is needed, least of all a key.
            let output = Command::new(&main).args(*arguments).env_clear().current_dir(&folder).output().unwrap();
            let (status, stdout, stderr) = told(output);
            assert_eq!(status, 0, "{name} {arguments:?}: {stdout}\n{stderr}");
            assert!(stdout.contains(expected), "{name} {arguments:?}: {stdout}");
        }
    }
}

/// Its CI asks the same of a new crate.
#[test]
#[ignore = "it needs clippy and rustfmt, which a toolchain may lack"]
fn no_template_has_warnings_or_is_formatted_otherwise() {
    let shown = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap();
    let (_, sysroot, _) = told(shown);
    let clippy = Path::new(sysroot.trim()).join("bin/clippy-driver");
    assert!(clippy.exists(), "`rustup component add clippy rustfmt` gets what this test needs");
    let workspace = made();
    // Clippy compiles as the compiler does, so that nothing is compiled twice; it looks at the new crates alone, because
    // all others are compiled.
    let denied: OsString = "-Dwarnings".into();
    workspace.compile(&[("RUSTC_WRAPPER", clippy.into()), ("CLIPPY_ARGS", denied)]);
    check_format(&workspace);

    // A name moves what stands beside it: names of every length and place in the alphabet are tried.
    for name in ["a", "zz", &"m".repeat(60)] {
        let place = tempfile::tempdir().unwrap();
        let mut letters = 'a'..='z';
        let templates = templates(place.path());
        let name = |_: &str| format!("{name}-{}", letters.next().unwrap());
        check_format(&Workspace::of(&templates, name));
    }
}

fn check_format(workspace: &Workspace) {
    for name in workspace.crates() {
        let mut fmt = Command::new(cargo());
        fmt.args(["fmt", "--check", "-p", name]).current_dir(workspace.folder(name));
        let (status, stdout, stderr) = told(fmt.output().unwrap());
        assert_eq!(status, 0, "{name}: {stdout}\n{stderr}");
    }
}
