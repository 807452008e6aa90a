//! Which programs serve which options.

use clap::{Args, Command, Id};

use super::{ConsentArgs, ModelArgs, OutputArgs, ParameterArgs, PromptArgs, SourceArgs, ThreadArgs};

/// The programs that run graphs, and so have parameters.
pub(crate) const APPLICATIONS: [&str; 4] = ["writehere", "obsius", "pocketflow", "deepsearch"];

/// The program that belongs to no application.
const TOOL: &str = "graphloom";

/// All programs.
const EVERY: [&str; 5] = ["writehere", "obsius", "pocketflow", "deepsearch", TOOL];

/// A group of options that several programs share.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptionGroup {
    /// The options, as `--option`.
    pub options: Vec<String>,
    /// The programs that serve them; a program that names none of them offers none of these.
    pub programs: &'static [&'static str],
    ids: Vec<Id>,
}

impl OptionGroup {
    fn of<A: Args>(programs: &'static [&'static str]) -> Self {
        let command = A::augment_args(Command::new("group"));
        let options = command.get_arguments().filter_map(|arg| Some(format!("--{}", arg.get_long()?)));
        let ids = command.get_arguments().map(|arg| arg.get_id().clone());
        Self { options: options.collect(), ids: ids.collect(), programs }
    }

    /// Every group, with its programs.
    pub fn all() -> Vec<Self> {
        vec![
            Self::of::<ModelArgs>(&EVERY),
            Self::of::<ConsentArgs>(&EVERY),
            Self::of::<ParameterArgs>(&APPLICATIONS),
            Self::of::<ThreadArgs>(&EVERY),
            Self::of::<SourceArgs>(&EVERY),
            Self::of::<OutputArgs>(&["writehere", "pocketflow", "deepsearch"]),
            Self::of::<PromptArgs>(&["writehere", "obsius", "pocketflow"]),
            #[cfg(feature = "mcp")]
            Self::of::<crate::McpArgs>(&EVERY),
            #[cfg(feature = "studio")]
            Self::of::<crate::StudioArgs>(&APPLICATIONS),
        ]
    }
}

/// The programs that serve an option which `program` does not know; none for an option of no group, and none for a program
/// of somebody else.
pub(super) fn serving(program: &str, option: &str) -> &'static [&'static str] {
    if program != TOOL && !APPLICATIONS.contains(&program) {
        return &[];
    }
    let group = OptionGroup::all().into_iter().find(|group| group.options.iter().any(|one| one == option));
    group.map_or(&[], |group| group.programs)
}

/// The arguments of all groups.
pub(super) fn grouped() -> Vec<Id> {
    OptionGroup::all().into_iter().flat_map(|group| group.ids).collect()
}
