//! The findings for people.

use std::fmt;

use super::findings::Findings;

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Models")?;
        if let Some(choice) = &self.choice {
            writeln!(f, "  a run would now use {}", choice.because)?;
        }
        let built_in = &self.built_in;
        writeln!(f, "  built-in `embedded`: {}", built_in.state)?;
        if built_in.state != "not built" {
            let megabytes = built_in.bytes as f64 / 1e6;
            writeln!(f, "    {} ({megabytes:.0} MB) in `{}`", built_in.model, built_in.path.display())?;
            writeln!(f, "    allows: every workflow offline, without a key; its prose is unreliable")?;
        }
        if self.servers.is_empty() {
            writeln!(f, "  servers on this machine: none on ports 11434, 8080, 8000, 1234")?;
        }
        for server in &self.servers {
            writeln!(f, "  server on this machine: {} at `{}`", server.kind, server.base_url)?;
            writeln!(
                f,
                "    models: {}",
                if server.models.is_empty() { "none".to_owned() } else { server.models.join(", ") }
            )?;
            if let Some(usable) = &server.usable {
                writeln!(f, "    allows: `--model {usable}`")?;
            }
        }
        for word in &self.words {
            let seconds = word.milliseconds as f64 / 1e3;
            match &word.said {
                Some(said) => {
                    write!(f, "  `{}` said \"{said}\" after {seconds:.1} s", word.model)?;
                    if let Some((read, generated)) = word.tokens.filter(|tokens| *tokens != (0, 0)) {
                        write!(f, ", with {read} tokens read and {generated} generated")?;
                    }
                    writeln!(f)?;
                }
                None => writeln!(f, "  `{}` gave no answer", word.model)?,
            }
        }
        writeln!(f, "Keys")?;
        for key in &self.keys {
            writeln!(f, "  `{}` {}: {}", key.variable, if key.set { "is set" } else { "is not set" }, key.allows)?;
        }
        for sent in &self.sent {
            writeln!(f, "  role `{}` at `{}` {}", sent.role, sent.server, sent.key)?;
        }
        writeln!(f, "Search")?;
        writeln!(f, "  `local`: built in; allows: evidence from the folders of `--corpus DIR`")?;
        for index in &self.indexes {
            writeln!(f, "    index `{}`", index.path.display())?;
        }
        for engine in &self.engines {
            let unnamed = if engine.unnamed { "; asked also without `--search`, when there is no corpus" } else { "" };
            writeln!(f, "  `{}`: {}{unnamed}", engine.name, engine.state)?;
        }
        let store = &self.store;
        writeln!(f, "Runs")?;
        match &store.place {
            Some(place) => writeln!(f, "  kept in `{place}` (`--store {}`)", store.kind)?,
            None => writeln!(f, "  `--store {}` cannot be used", store.kind)?,
        }
        match store.runs {
            Some(1) => writeln!(f, "  1 stored run; `graphloom runs list` lists it")?,
            Some(runs) => writeln!(f, "  {runs} stored runs; `graphloom runs list` lists them")?,
            None if store.problem.is_some() => writeln!(f, "  they cannot be read")?,
            None => writeln!(f, "  no runs yet")?,
        }
        if store.kind != "postgres" {
            let state = if store.postgres_is_set {
                "`GRAPHLOOM_POSTGRES_URL` is set; `--store postgres` keeps runs there, and tries it here"
            } else {
                "not set up; `GRAPHLOOM_POSTGRES_URL` names a database for `--store postgres`"
            };
            writeln!(f, "  PostgreSQL: {state}")?;
        }
        let data = &self.data;
        writeln!(f, "Data")?;
        writeln!(f, "  models and indexes in `{}`, files of runs in `{}`", data.cache.display(), data.data.display())?;
        if let Some(free) = data.free_bytes {
            writeln!(f, "  {:.1} GB are free", free as f64 / 1e9)?;
        }
        for (title, lines) in [("Problems", &self.problems), ("Next", &self.suggestions)] {
            if !lines.is_empty() {
                writeln!(f, "{title}")?;
            }
            for line in lines {
                writeln!(f, "  {line}")?;
            }
        }
        Ok(())
    }
}
