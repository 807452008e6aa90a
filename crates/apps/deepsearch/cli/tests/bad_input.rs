//! Wrong command lines end with 2 and say what to do.

use crate::support::{TestDir, text};

/// An address for a slot that is not `general`.
const ADDRESS: &str = "llm_config.info_collecting.base_url=http://127.0.0.1:9/v1";

#[test]
fn mistakes_are_told() {
    let dir = TestDir::new();
    std::fs::write(dir.path("empty.md"), " \n").unwrap();
    std::fs::write(dir.path("my form.md"), "# A\n").unwrap();
    std::fs::write(dir.path("wrong.toml"), "outliner_max_section_nun = 3").unwrap();
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
        (
            &["q", "--yes", "--set", "execution_method=hybrid"],
            "[211101]`execution_method` is `hybrid`; there are `parallel` and `dependency_driving`",
        ),
        (&["q", "--yes", "--set", "llm_config.general.model_name=m"], "[211200]`llm_config.general`"),
        (&["q", "--yes", "--set", "llm_config.info_collecting.model_name=m", "--set", ADDRESS], "[211203]"),
        (
            &[
                "q",
                "--yes",
                "--model",
                "scripted:script.jsonl",
                "--set",
                "web_search_engine_config.search_engine_name=tavily",
            ],
            "[211300]",
        ),
        (&["q", "--yes", "--set", "info_collector_allow_programmer=true"], "[200013]"),
        (&["q", "--yes", "--report-template", "none.md"], "none.md"),
        (&["q", "--yes", "--report-template", "empty.md"], "[200013]the template `empty.md` is empty"),
        (&["q", "--yes", "--report-template", "my form.md"], "[212201]the template is called `my form.md`"),
        (&["q", "--yes", "--search", "local"], "needs `--corpus DIR`"),
        (&["resume", "nobody"], "nobody"),
        (&["graph", "--graph", "nothing"], "there is no graph `nothing`"),
    ] {
        let output = dir.run(args);
        let told = text(&output.stderr);
        let status = output.status.code();
        assert!(
            status == Some(2) || (status == Some(1) && ["none.md", "nobody"].contains(&expected)),
            "{args:?}: {status:?} {told}"
        );
        assert!(told.contains(expected), "{args:?}: {told}");
    }
}
