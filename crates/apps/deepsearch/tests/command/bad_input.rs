//! Wrong command lines end with 2 and say what to do.

use crate::support::{Desk, text};

#[test]
fn mistakes_are_told() {
    let desk = Desk::new();
    std::fs::write(desk.path("empty.md"), " \n").unwrap();
    std::fs::write(desk.path("wrong.toml"), "outliner_max_section_nun = 3").unwrap();
    for (args, expected) in [
        (&["--yes"][..], "a question is missing"),
        (&["  ", "--yes"], "[200009]"),
        (&["q", "--yes", "--search-mode", "react"], "[200014]`search_mode` is `react`"),
        (
            &["q", "--yes", "--set", "outliner_max_section_num=11"],
            "[200025]`outliner_max_section_num` is 11; it takes 1 to 10",
        ),
        (&["q", "--yes", "--set", "outliner_max_section_nun=1"], "did you mean `outliner_max_section_num`"),
        (&["q", "--yes", "--config", "wrong.toml"], "outliner_max_section_num"),
        (&["q", "--yes", "--set", "execution_method=hybrid"], "execution_method"),
        (&["q", "--yes", "--set", "info_collector_allow_programmer=true"], "[200013]"),
        (&["q", "--yes", "--report-template", "none.md"], "none.md"),
        (&["q", "--yes", "--report-template", "empty.md"], "[212201]"),
        (&["q", "--yes", "--search", "local"], "needs `--corpus DIR`"),
        (&["resume", "nobody"], "nobody"),
        (&["graph", "--graph", "nothing"], "there is no graph `nothing`"),
    ] {
        let output = desk.run(args);
        let told = text(&output.stderr);
        let status = output.status.code();
        assert!(
            status == Some(2) || (status == Some(1) && ["none.md", "nobody"].contains(&expected)),
            "{args:?}: {status:?} {told}"
        );
        assert!(told.contains(expected), "{args:?}: {told}");
    }
}
