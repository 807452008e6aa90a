//! `backlinks`: the links to and from a note.

use graphloom_agents::{Risk, ToolError, ToolOutput, TypedTool};
use graphloom_vault::ResolvedLink;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::names::{count, find_note};
use super::workspace::Workspace;

pub(super) struct Backlinks(pub(super) Workspace);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BacklinkArguments {
    /// The note: its path, its name or its title.
    #[schemars(length(min = 1, max = 500))]
    path: String,
    /// Also the links that stand in the note, and which of them lead nowhere.
    #[serde(default)]
    outgoing: bool,
}

impl TypedTool for Backlinks {
    type Arguments = BacklinkArguments;
    const NAME: &'static str = "backlinks";
    const DESCRIPTION: &'static str = include_str!("descriptions/backlinks.txt");
    const RISK: Risk = Risk::Read;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("title", "path"),
        ("name", "path"),
        ("note", "path"),
        ("file", "path"),
        ("filename", "path"),
        ("file_path", "path"),
        ("include_outgoing", "outgoing"),
    ];

    async fn run(&self, arguments: BacklinkArguments) -> Result<ToolOutput, ToolError> {
        let name = arguments.path;
        let path = self.0.look(move |overlay, index| find_note(overlay, index, &name)).await?;
        let links = self.0.links().await?;
        let incoming = links.backlinks(&path);
        let mut content = match incoming.len() {
            0 => format!("No note links to `{path}`."),
            number => format!("{} to `{path}`:", count(number, "link", "links")),
        };
        for link in &incoming {
            content.push_str(&format!("\n- `{}` (line {})", link.from, link.link.line));
        }
        let mut data = json!({ "path": path, "backlinks": incoming.iter().map(place).collect::<Vec<_>>() });
        if arguments.outgoing {
            let outgoing = links.outgoing(&path);
            content.push_str(&format!("\n{} in `{path}`:", count(outgoing.len(), "link", "links")));
            for link in &outgoing {
                let target = &link.link.target;
                content.push_str(&match link.to.note() {
                    _ if !link.to.is_sound() => format!("\n- `{target}` leads nowhere (line {})", link.link.line),
                    Some(to) => format!("\n- `{to}` (line {})", link.link.line),
                    None => format!("\n- `{target}` (line {})", link.link.line),
                });
            }
            data["outgoing"] = outgoing.iter().map(place).collect();
        }
        Ok(ToolOutput::new(content).with_data(data))
    }
}

fn place(link: &ResolvedLink) -> Value {
    json!({ "from": link.from, "line": link.link.line, "target": link.link.target, "to": link.to.note(),
            "sound": link.to.is_sound() })
}
