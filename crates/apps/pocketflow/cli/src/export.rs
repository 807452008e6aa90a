//! The proposal and its references, on stdout or in files.

use graphloom_cli::{CliError, ExitStatus, Failure, OutputArgs, Session, private};
use graphloom_pocketflow::export as form;
use graphloom_pocketflow::session::{self, Proposal};
use serde_json::{Value, json};

use crate::args::ExportFormat;
use crate::inspect::print_result;
use crate::open::open_existing;

/// Prints a form of the proposal, or writes one or all of them to the directory of `--out`.
pub(crate) async fn export(
    session: &Session,
    id: &str,
    format: Option<ExportFormat>,
    output: &OutputArgs,
) -> Result<ExitStatus, Failure> {
    let conversation = open_existing(session, id).await?.session(id).await?;
    let Some(artifact) = &conversation.artifacts.proposal else {
        let message =
            format!("the conversation `{id}` has no proposal yet; `pocketflow inspect {id}` says how far it is");
        return Err(Failure::new(ExitStatus::Failed, message));
    };
    let proposal = &artifact.value;
    if conversation.approvals.proposal != Some(artifact.version) {
        session.progress.warn("this proposal is not approved");
    }
    let Some(dir) = &output.out else {
        let format = format.unwrap_or(ExportFormat::Markdown);
        let value = match format {
            ExportFormat::Markdown | ExportFormat::Json => form::json(&conversation).unwrap_or_default(),
            ExportFormat::Bibtex => Value::String(form::bibtex(proposal)),
            ExportFormat::CslJson => form::csl_json(proposal),
        };
        return print_result(session, &form_text(format, &conversation, proposal)?, &value);
    };
    private::create_dir(dir).map_err(CliError::io("create the directory", dir))?;
    let formats = format.map_or_else(|| ExportFormat::ALL.to_vec(), |one| vec![one]);
    let mut files = Vec::new();
    for format in formats {
        let path = dir.join(format.file());
        private::write(&path, form_text(format, &conversation, proposal)?).map_err(CliError::io("write", &path))?;
        files.push(path.display().to_string());
    }
    print_result(session, &files.join("\n"), &json!({ "files": files }))
}

fn form_text(format: ExportFormat, session: &session::Session, proposal: &Proposal) -> Result<String, Failure> {
    let pretty = |value: &Value| serde_json::to_string_pretty(value).map(|text| format!("{text}\n"));
    Ok(match format {
        ExportFormat::Markdown => form::markdown(proposal),
        ExportFormat::Json => pretty(&form::json(session).unwrap_or_default())?,
        ExportFormat::Bibtex => form::bibtex(proposal),
        ExportFormat::CslJson => pretty(&form::csl_json(proposal))?,
    })
}
