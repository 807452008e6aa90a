//! A login from its first request to the tokens, and its use by a connection.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadataSource, OAuthClientConfig, OAuthTokenResponse,
};

use super::callback::Callback;
use super::client::{LoginClient, check};
use super::{LoginError, LoginFolder};
use crate::transport::has_authorization;
use crate::{OAuthClient, Place, ServerConfig};

/// The longest reason in an error, in characters.
const REASON: usize = 500;
/// How this client names itself where it is made known.
const CLIENT: &str = "Graphloom";

/// What came of a login.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Login {
    /// The host that the tokens are for.
    pub host: String,
    /// What the tokens allow, as the one who gave them says.
    pub scopes: Vec<String>,
    /// Whether the login goes on when the first token ends.
    pub renewable: bool,
}

/// Logs in to a server: `show` gets the address that a person opens in a browser on this machine, which comes back to a port of
/// this machine within `limit`. The tokens are kept in `logins`; a login that was there is replaced once the new one is.
///
/// # Errors
/// [`LoginError`].
pub async fn login(
    server: &ServerConfig,
    logins: &LoginFolder,
    limit: Duration,
    show: impl FnOnce(&str),
) -> Result<Login, LoginError> {
    let name = || server.name.clone();
    let Place::Http { url, headers, oauth } = &server.place else {
        return Err(LoginError::Program { server: name() });
    };
    check(url, url).map_err(|_| LoginError::Plain { server: name() })?;
    if has_authorization(headers) {
        return Err(LoginError::HasHeader { server: name() });
    }
    // An answer of somebody else may stand in it.
    let place = |error: &dyn std::error::Error| -> String {
        server.place.without_address(&crate::error::chain(error)).chars().take(REASON).collect()
    };
    let not_offered = |error: AuthError| LoginError::NotOffered { server: name(), reason: place(&error) };
    let port = oauth.callback_port;
    let callback =
        Callback::listen(port).await.map_err(|source| LoginError::Port { port: port.unwrap_or_default(), source })?;

    let file = logins.file(url);
    let mut manager = manager(url).await.map_err(not_offered)?;
    manager.set_credential_store(file.clone());
    let found = manager.resolve_metadata().await.map_err(not_offered)?;
    let is_guess = found.source == AuthorizationMetadataSource::LegacyEndpointFallback;
    let endpoints = [Some(&found.metadata.authorization_endpoint), Some(&found.metadata.token_endpoint)];
    for endpoint in endpoints.into_iter().chain([found.metadata.registration_endpoint.as_ref()]).flatten() {
        let address = Url::parse(endpoint).map_err(|error| error.to_string());
        address
            .and_then(|address| check(url, &address))
            .map_err(|reason| LoginError::NotOffered { server: name(), reason })?;
    }
    manager.set_metadata(found.metadata);
    let scopes = if oauth.scopes.is_empty() { manager.select_scopes(None, &[]) } else { oauth.scopes.clone() };
    let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let client = match &oauth.id {
        Some(id) => configure(&mut manager, id, oauth.secret.clone(), callback.address()).map_err(not_offered)?,
        None => {
            let made = manager.register_client(CLIENT, callback.address().as_str(), &scopes).await;
            made.map_err(|error| match is_guess {
                true => LoginError::NotOffered { server: name(), reason: "it publishes nothing about a login".into() },
                false => LoginError::NotRegistered { server: name(), reason: place(&error) },
            })?
        }
    };
    if let Ok(mut secret) = file.client_secret.lock() {
        secret.clone_from(&client.client_secret);
    }
    let address = manager.get_authorization_url(&scopes).await.map_err(not_offered)?;
    let state = state_of(&address).ok_or_else(|| LoginError::NotOffered {
        server: name(),
        reason: "the address of the login has no state".to_owned(),
    })?;
    show(&address);

    let waited = tokio::time::timeout(limit, callback.returned(&state)).await;
    let returned = waited.map_err(|_elapsed| LoginError::TimedOut { server: name(), limit })?;
    let returned = returned.map_err(|source| LoginError::Port { port: port.unwrap_or_default(), source })?;
    let exchanged = match (returned.value("code"), returned.value("error")) {
        (Some(code), _) => {
            let issuer = returned.value("iss");
            manager.exchange_code_for_token_with_issuer(&code, &state, issuer.as_deref()).await
        }
        (None, error) => {
            let words = [error, returned.value("error_description")].into_iter().flatten().collect::<Vec<_>>();
            Err(AuthError::AuthorizationFailed(words.join(": ").chars().take(500).collect()))
        }
    };
    match exchanged {
        Ok(tokens) => {
            returned.answer(200, "You are logged in. You can close this page.").await;
            Ok(said(url, &tokens))
        }
        Err(error) => {
            returned.answer(200, "The login failed. The terminal says why.").await;
            Err(match error {
                AuthError::CredentialStoreError(reason) => LoginError::Kept { file: file.path().to_owned(), reason },
                error => LoginError::Refused { server: name(), reason: place(&error) },
            })
        }
    }
}

/// What a connection to a server sends with its requests: the token of a login, where there is one.
pub(crate) async fn authorization(
    url: &Url,
    oauth: &OAuthClient,
    logins: &LoginFolder,
) -> Result<Option<AuthorizationManager>, AuthError> {
    let file = logins.file(url);
    let damaged = |reason: String| AuthError::CredentialStoreError(format!("`{}`: {reason}", file.path().display()));
    let Some(stored) = file.read().map_err(damaged)? else { return Ok(None) };
    if check(url, url).is_err() {
        return Ok(None);
    }
    let mut manager = manager(url).await?;
    manager.set_credential_store(file.clone());
    if !manager.initialize_from_store().await? {
        return Ok(None);
    }
    let kept = file.client_secret.lock().ok().and_then(|secret| secret.clone());
    if let Some(secret) = kept.or_else(|| oauth.secret.clone()) {
        configure(&mut manager, &stored.client_id, Some(secret), url)?;
    }
    Ok(Some(manager))
}

async fn manager(url: &Url) -> Result<AuthorizationManager, AuthError> {
    AuthorizationManager::new_with_oauth_http_client(url.clone(), Arc::new(LoginClient::new(url))).await
}

fn configure(
    manager: &mut AuthorizationManager,
    id: &str,
    secret: Option<String>,
    redirect: &Url,
) -> Result<OAuthClientConfig, AuthError> {
    let mut client = OAuthClientConfig::new(id, redirect.as_str());
    client.client_secret = secret;
    manager.configure_client(client.clone())?;
    Ok(client)
}

/// The state that the browser brings back.
fn state_of(address: &str) -> Option<String> {
    let address = Url::parse(address).ok()?;
    address.query_pairs().find(|(key, _)| key == "state").map(|(_, state)| state.into_owned())
}

fn said(url: &Url, tokens: &OAuthTokenResponse) -> Login {
    // The fields have accessors of a trait that the transport does not pass on; its JSON form is that of RFC 6749.
    let value = serde_json::to_value(tokens).unwrap_or_default();
    let scopes = value.get("scope").and_then(serde_json::Value::as_str).unwrap_or_default();
    Login {
        host: graphloom_http::authority(url),
        scopes: scopes.split_whitespace().map(str::to_owned).collect(),
        renewable: value.get("refresh_token").is_some_and(|token| !token.is_null()),
    }
}
