//! Which server of a run gets which key.

use graphloom_llm::ModelError;
use graphloom_llm::cassette::SecretGuard;
use graphloom_llm::providers::{Host, KeyUse, Keys, is_private};
use graphloom_llm::resolve::{ModelSpec, RemoteSpec};

use super::{Chosen, Reason, ServerOptions};
use crate::Progress;

/// The role of a server that gets no role's own key.
const NO_ROLE: &str = "";

/// The keys of a run, with the one model whose host the shared key is for.
pub(super) struct RunKeys {
    keys: Keys,
    /// The address of the main model, where the user named it.
    main: Option<String>,
    /// Whether the models are those of a server that nobody named.
    found: bool,
}

impl RunKeys {
    /// The keys of the environment, and those that an application has for some roles.
    pub(super) fn new(chosen: &Chosen, options: &ServerOptions) -> Result<Self, ModelError> {
        let mut keys = Keys::from_env(chosen.specs.roles.keys().map(String::as_str))?;
        for (role, key) in &options.keys {
            keys = keys.with_own(role, key.clone(), &format!("api_key of {role}"));
        }
        let found = matches!(chosen.reason, Reason::LocalServer { .. });
        let main = match remotes(&chosen.specs.default).next() {
            Some(remote) if !found => Some(remote.base_url().to_owned()),
            _ => None,
        };
        Ok(Self { keys, main, found })
    }

    /// What is sent to a server with the calls of a role.
    pub(super) fn of(&self, role: &str, remote: &RemoteSpec) -> Result<KeyUse, ModelError> {
        match self.keys.of(role, remote.base_url(), self.main.as_deref())? {
            KeyUse::Sent { source, .. } | KeyUse::Withheld { source, .. } if self.found => Ok(KeyUse::Withheld {
                source,
                why: "a server that was found and not named gets no key; `--model` names it".to_owned(),
            }),
            KeyUse::None => Ok(self.keys.elsewhere(remote.provider()).unwrap_or(KeyUse::None)),
            used => Ok(used),
        }
    }

    /// A guard over all keys that this run knows.
    pub(super) fn guard(&self, options: &ServerOptions) -> SecretGuard {
        SecretGuard::from_env().and(self.keys.secrets()).and(options.secrets.iter().cloned())
    }

    /// Shows which servers get no key although there is one, and which are reached over `http` on another machine.
    pub(super) fn show_unsent(&self, chosen: &Chosen, progress: &Progress) -> Result<(), ModelError> {
        let mut lines = Vec::new();
        for (role, remote) in servers(chosen)? {
            let base_url = remote.base_url();
            let host = Host::of(base_url)?;
            let line = match self.of(role, remote)? {
                KeyUse::Withheld { source, why } => Some(format!("`{source}` is not sent to `{host}`: {why}")),
                _ => None,
            };
            let open = (!is_private(base_url)).then(|| {
                format!(
                    "`{base_url}` is another machine and plain `http`: everybody on the way can read what is sent there"
                )
            });
            for (line, warns) in line.map(|line| (line, false)).into_iter().chain(open.map(|line| (line, true))) {
                if lines.contains(&line) {
                    continue;
                }
                if warns {
                    progress.warn(&line);
                } else {
                    progress.note(&line);
                }
                lines.push(line);
            }
        }
        Ok(())
    }
}

/// The models behind servers of a model or a chain.
fn remotes(spec: &ModelSpec) -> impl Iterator<Item = &RemoteSpec> {
    spec.members().into_iter().filter_map(ModelSpec::remote)
}

/// For each model of a role, the role whose own key it gets. That key is for the first server, so that others that stand
/// behind it in a chain have no role.
pub(super) fn key_roles<'s>(role: &'s str, spec: &ModelSpec) -> Result<Vec<&'s str>, ModelError> {
    let mut first = None;
    let key_role = |spec: &&ModelSpec| {
        let Some(remote) = spec.remote() else { return Ok(role) };
        let host = Host::of(remote.base_url())?;
        let own = *first.get_or_insert_with(|| host.clone()) == host;
        Ok(if own { role } else { NO_ROLE })
    };
    spec.members().iter().map(key_role).collect()
}

/// The models behind servers of a role, each with the role whose own key it gets.
fn servers_of<'s>(role: &'s str, spec: &'s ModelSpec) -> Result<Vec<(&'s str, &'s RemoteSpec)>, ModelError> {
    let roles = key_roles(role, spec)?;
    Ok(roles.into_iter().zip(spec.members()).filter_map(|(role, spec)| Some((role, spec.remote()?))).collect())
}

/// The roles whose models are behind servers, with those models; `default` stands for all roles that are not named.
fn servers(chosen: &Chosen) -> Result<Vec<(&str, &RemoteSpec)>, ModelError> {
    let roles = chosen.specs.roles.iter().map(|(role, spec)| (role.as_str(), spec));
    let all = [("default", &chosen.specs.default)].into_iter().chain(roles);
    all.map(|(role, spec)| servers_of(role, spec)).collect::<Result<Vec<_>, _>>().map(|lists| lists.concat())
}

/// Which key every server of a run would get: role, address and key, for people who want to know before they start.
///
/// # Errors
/// [`ModelError::Setup`] for keys that a run would refuse to send.
pub fn key_plan(chosen: &Chosen) -> Result<Vec<(String, String, KeyUse)>, ModelError> {
    let keys = RunKeys::new(chosen, &ServerOptions::default())?;
    let named = |role: &str| if role.is_empty() { "behind `|`" } else { role }.to_owned();
    servers(chosen)?
        .into_iter()
        .map(|(role, remote)| Ok((named(role), remote.base_url().to_owned(), keys.of(role, remote)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_s_own_key_goes_to_the_first_server_of_its_models_only() {
        let server = |host: &str| format!("compatible:m@https://{host}/v1");
        let chain = format!("embedded|{}|{}||{}", server("one.example"), server("two.example"), server("one.example"));
        let roles = key_roles("write", &chain.parse().unwrap()).unwrap();
        assert_eq!(roles, ["write", "write", NO_ROLE, "write"]);
        assert_eq!(key_roles("write", &server("one.example").parse().unwrap()).unwrap(), ["write"]);
    }
}
