//! Every byte that leaves: keys and prompts go to the servers that they are for, and to no other.
//!
//! A run is this test program once more with an environment of its own. It makes its models as every program does and asks
//! the main model and the role `write` one question each. All servers are of this machine and keep what they are sent: two
//! with TLS, two without, and a proxy, which is how a server on another machine is reached over `http` here.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

mod listener;

use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use graphloom_cli::{BaseArgs, DataDir, ModelArgs, Progress, build_models};
use graphloom_llm::ChatRequest;
use graphloom_llm::layers::Spent;

use listener::{Does, Listener, certified};

/// The other half: a run with the models of its environment. It does nothing when it is started as a test.
#[tokio::test]
async fn child() {
    let Ok(prompt) = std::env::var("KEYS_CHILD_PROMPT") else { return };
    let run = async {
        let place = tempfile::tempdir()?;
        let (mut args, mut base) = (ModelArgs::default(), BaseArgs::default());
        args.model = std::env::var("KEYS_CHILD_MODEL").ok().map(|model| model.parse()).transpose()?;
        base.quiet = std::env::var_os("KEYS_CHILD_QUIET").is_some();
        let dirs = DataDir::new(Some(place.path()))?;
        let set = build_models(&args, &dirs, &Progress::new(&base), Spent::default()).await?;
        for role in ["default", "write"] {
            set.models.role(role).chat(ChatRequest::user(prompt.clone())).await?;
        }
        Ok::<_, graphloom_cli::Failure>(())
    };
    if let Err(failure) = run.await {
        panic!("the run failed: {failure}");
    }
}

/// The model and the variables of a run.
#[derive(Clone, Debug, Default)]
struct RunSetup {
    model: Option<String>,
    variables: Vec<(&'static str, String)>,
}

fn run(setup: &RunSetup, prompt: &str) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "keys::child", "--nocapture", "--test-threads=1"]).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("KEYS_CHILD_PROMPT", prompt);
    command.envs(setup.model.iter().map(|model| ("KEYS_CHILD_MODEL", model)));
    command.envs(setup.variables.iter().map(|(name, value)| (*name, value)));
    command.stdin(Stdio::null()).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

/// The servers of all runs.
struct Servers {
    root: tempfile::NamedTempFile,
    /// Two hosts with TLS, two ports of this machine without, and all other hosts over `http`.
    all: [Listener; 5],
}

/// The places of the servers in [`Servers::all`].
const A: usize = 0;
const B: usize = 1;
const HERE: usize = 2;
const OTHER: usize = 3;
const ELSEWHERE: usize = 4;

impl Servers {
    fn start() -> Self {
        let root = tempfile::NamedTempFile::new().unwrap();
        let tls = certified(&["127.0.0.1", "127.0.0.2"], root.path());
        let all = [
            Listener::start("127.0.0.1", Some(Arc::clone(&tls)), Does::Answer),
            Listener::start("127.0.0.2", Some(tls), Does::Answer),
            Listener::start("127.0.0.1", None, Does::Answer),
            Listener::start("127.0.0.3", None, Does::Answer),
            Listener::start("127.0.0.1", None, Does::Answer),
        ];
        Self { root, all }
    }

    fn host(&self, server: usize) -> String {
        if server == ELSEWHERE { "models.example:80".to_owned() } else { self.all[server].address.to_string() }
    }

    fn model(&self, server: usize) -> String {
        let scheme = if server == A || server == B { "https" } else { "http" };
        format!("compatible:m@{scheme}://{}/v1", self.host(server))
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        let root = self.root.path().display().to_string();
        let proxy = format!("http://{}", self.all[ELSEWHERE].address);
        vec![("SSL_CERT_FILE", root), ("http_proxy", proxy), ("LLM_PROBE", "0".to_owned())]
    }

    fn that_saw(&self, text: &str) -> Vec<usize> {
        (0..self.all.len()).filter(|at| self.all[*at].saw(text)).collect()
    }
}

/// The rule, written anew: what may see the shared key, what the role's own, and whether the run is refused.
#[derive(Debug, Default)]
struct Expected {
    shared: Vec<usize>,
    own: Vec<usize>,
    prompt: Vec<usize>,
    refused: bool,
}

fn expected(main: Option<usize>, write: usize, hosts: Option<usize>, has_own: bool) -> Expected {
    let mut expected = Expected::default();
    // Without a named model the server that is found is the one on `HERE`, and serves both roles.
    let uses = match main {
        Some(main) => vec![(main, false), (write, has_own)],
        None => vec![(HERE, false)],
    };
    for (server, own) in uses {
        expected.prompt.push(server);
        if main.is_none() {
            continue;
        }
        if own {
            expected.refused |= server == ELSEWHERE;
            expected.own.push(server);
        } else if hosts.map_or(Some(server) == main && (server == A || server == B), |host| host == server) {
            expected.refused |= server == ELSEWHERE;
            expected.shared.push(server);
        }
    }
    for list in [&mut expected.shared, &mut expected.own, &mut expected.prompt] {
        if expected.refused {
            list.clear();
        }
        list.sort_unstable();
        list.dedup();
    }
    expected
}

#[test]
fn a_key_is_sent_only_to_the_host_it_is_for() {
    let servers = Servers::start();
    let mut cases = Vec::new();
    for main in [Some(A), Some(HERE), Some(ELSEWHERE), None] {
        for write in [A, B, HERE, OTHER, ELSEWHERE] {
            for hosts in [None, Some(A), Some(B), Some(HERE), Some(ELSEWHERE)] {
                for has_own in [false, true] {
                    // What is found serves every role, so one combination of the role is enough.
                    if main.is_some() || write == HERE {
                        cases.push((main, write, hosts, has_own));
                    }
                }
            }
        }
    }
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::SeqCst)) {
                    check(&servers, *case);
                }
            });
        }
    });
    assert!(servers.all.iter().all(|server| server.len() > 0), "a server was never asked");
}

fn check(servers: &Servers, case: (Option<usize>, usize, Option<usize>, bool)) {
    let (main, write, hosts, has_own) = case;
    let secret = |what: &str| format!("{what}-{main:?}-{write}-{hosts:?}-{has_own}-end").replace(['(', ')'], "_");
    let [shared, own, prompt] = ["sk-shared", "sk-own", "prompt"].map(secret);
    let mut setup = RunSetup { model: None, variables: servers.variables() };
    setup.variables.push(("LLM_API_KEY", shared.clone()));
    setup.variables.extend(hosts.map(|host| ("LLM_API_KEY_FOR", servers.host(host))));
    if has_own {
        setup.variables.push(("LLM_API_KEY_WRITE", own.clone()));
    }
    match main {
        Some(main) => setup.model = Some(format!("{},write={}", servers.model(main), servers.model(write))),
        None => setup.variables.push(("LLM_PROBE", servers.all[HERE].address.port().to_string())),
    }
    if main.is_none() && has_own {
        // A server that nobody named is told of with `-q` too.
        setup.variables.push(("KEYS_CHILD_QUIET", "1".to_owned()));
    }
    let output = run(&setup, &prompt);
    let told = said(&output);
    let expected = expected(main, write, hosts, has_own);
    assert_eq!(output.status.success(), !expected.refused, "{case:?}: {told}");
    assert_eq!(servers.that_saw(&shared), expected.shared, "the shared key of {case:?}: {told}");
    assert_eq!(servers.that_saw(&own), expected.own, "the role's own key of {case:?}: {told}");
    assert_eq!(servers.that_saw(&prompt), expected.prompt, "the prompt of {case:?}: {told}");
    assert!(!told.contains(&shared) && !told.contains(&own), "a key is shown: {told}");
    if expected.refused {
        assert!(told.contains("would go to `models.example:80` over `http`"), "{case:?}: {told}");
    } else if main.is_none() {
        let first = told.lines().find(|line| line.starts_with("model: ")).unwrap_or_else(|| panic!("{told}"));
        assert!(first.contains(&servers.host(HERE)) && first.contains("was found on this machine"), "{first}");
    } else if [main, Some(write)].contains(&Some(ELSEWHERE)) {
        assert!(told.contains("is another machine and plain `http`"), "{case:?}: {told}");
    }
}

#[test]
fn a_redirect_takes_nothing_elsewhere() {
    let root = tempfile::NamedTempFile::new().unwrap();
    let tls = certified(&["127.0.0.1", "127.0.0.2"], root.path());
    let target = Listener::start("127.0.0.2", Some(Arc::clone(&tls)), Does::Answer);
    for status in [301, 302, 303, 307, 308] {
        let place = format!("https://{}/v1/chat/completions", target.address);
        let server = Listener::start("127.0.0.1", Some(Arc::clone(&tls)), Does::Redirect(status, place.clone()));
        let variables =
            vec![("SSL_CERT_FILE", root.path().display().to_string()), ("LLM_API_KEY", "sk-of-the-first".to_owned())];
        let model = Some(format!("compatible:m@https://{}/v1", server.address));
        let output = run(&RunSetup { model, variables }, "the prompt");
        let told = said(&output);
        assert!(!output.status.success() && told.contains(&format!("redirects to `{place}`")), "{status}: {told}");
        assert!(server.saw("sk-of-the-first") && server.saw("the prompt"), "{status}: {told}");
        assert_eq!(target.len(), 0, "{status}");

        // Nor does the search for servers follow one.
        let found = Listener::start("127.0.0.1", None, Does::Redirect(status, format!("https://{}/", target.address)));
        let variables = vec![
            ("SSL_CERT_FILE", root.path().display().to_string()),
            ("LLM_PROBE", found.address.port().to_string()),
            ("LLM_API_KEY", "sk-of-the-first".to_owned()),
            ("GRAPHLOOM_MODEL", String::new()),
            // The embedded model, which is taken then, is fetched from nowhere.
            ("https_proxy", "http://127.0.0.1:9".to_owned()),
            ("GRAPHLOOM_NO_PIP", "1".to_owned()),
            ("HOME", "/nonexistent".to_owned()),
        ];
        let output = run(&RunSetup { model: None, variables }, "the prompt");
        assert!(!output.status.success() && found.len() > 0, "{}", said(&output));
        assert!(!found.saw("sk-of-the-first") && !found.saw("the prompt"), "{}", said(&output));
        assert_eq!(target.len(), 0, "{status}");
    }
}

#[test]
fn an_address_with_a_password_is_not_used() {
    let server = Listener::start("127.0.0.1", None, Does::Answer);
    for user in ["me:hunter22", "hunter22", ":hunter22"] {
        let address = format!("http://{user}@{}/v1", server.address);
        let named = RunSetup { model: Some(format!("compatible:m@{address}")), variables: Vec::new() };
        let set = vec![("LLM_BASE_URL", address.clone()), ("LLM_MODEL", "m".to_owned())];
        let for_it = vec![("LLM_API_KEY", "sk-1".to_owned()), ("LLM_API_KEY_FOR", address.clone())];
        let model = Some(format!("compatible:m@http://{}/v1", server.address));
        for setup in [named, RunSetup { model: None, variables: set }, RunSetup { model, variables: for_it }] {
            let output = run(&setup, "the prompt");
            let told = said(&output);
            assert!(!output.status.success() && !told.contains("hunter22"), "{setup:?}: {told}");
            assert_eq!(server.len(), 0, "{setup:?}: {told}");
        }
    }
}
