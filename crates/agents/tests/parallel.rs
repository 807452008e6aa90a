//! Which calls of one turn are made beside each other, and what a model gets of images.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use graphloom_agents::{
    Conversation, ConverseOptions, Direct, Prompts, Risk, Tool, ToolError, ToolOutput, ToolRegistry, Transcript,
    converse,
};
use graphloom_llm::scripted::Reply;
use graphloom_llm::{Capabilities, ImageSource, Message, Part, Role, Scripted, StructuredSupport, ToolCall, ToolSpec};
use serde_json::{Value, json};

/// Takes ten milliseconds for each unit of its argument, and writes down when it begins and ends.
struct Slow {
    spec: ToolSpec,
    risk: Risk,
    log: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl Tool for Slow {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn risk(&self) -> Risk {
        self.risk
    }

    async fn call(&self, arguments: Value) -> Result<ToolOutput, ToolError> {
        let n = arguments["n"].as_u64().unwrap();
        self.log.lock().unwrap().push(format!("{} {n}", self.spec.name));
        tokio::time::sleep(Duration::from_millis(10 * n)).await;
        self.log.lock().unwrap().push(format!("end {n}"));
        let image = ImageSource::Url { url: format!("https://example.org/{n}.png") };
        Ok(ToolOutput::new(format!("done {n}")).with_images(vec![image]))
    }
}

async fn talk(calls: &[(&str, u64)], parallel: usize, images: bool) -> (Transcript, Vec<String>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let mut tools = ToolRegistry::new(Risk::Write);
    for (name, risk) in [("read", Risk::Read), ("write", Risk::Write)] {
        let parameters = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        let spec = ToolSpec { name: name.into(), description: String::new(), parameters, strict: false };
        tools.register(Arc::new(Slow { spec, risk, log: Arc::clone(&log) })).unwrap();
    }
    let calls: Vec<ToolCall> = calls
        .iter()
        .map(|(name, n)| ToolCall { id: n.to_string(), name: (*name).into(), arguments: json!({ "n": n }) })
        .collect();
    let model = Scripted::from_fn(move |request| {
        Ok(if request.messages.len() == 1 { Reply::tools(calls.clone()) } else { Reply::text("Done.") })
    })
    .with_capabilities(Capabilities {
        structured: StructuredSupport::Prompted,
        tools: true,
        images,
        documents: false,
        sampling: true,
        context: None,
        local: true,
    });
    let mut options = ConverseOptions::default();
    options.parallel = parallel;
    let prompts = Prompts::new(&[]).unwrap();
    let conversation = Conversation::new(&model, &tools, &prompts, vec![Message::user("Go.")]).with_options(options);
    let transcript = converse(conversation, &Direct).await.unwrap();
    let log = log.lock().unwrap().clone();
    (transcript, log)
}

#[tokio::test(start_paused = true)]
async fn reads_run_beside_each_other_and_a_change_waits_and_runs_alone() {
    let calls = [("read", 3), ("read", 1), ("read", 2), ("write", 5), ("read", 4)];
    for (parallel, expected) in [
        (1, "read 3, end 3, read 1, end 1, read 2, end 2, write 5, end 5, read 4, end 4"),
        (2, "read 3, read 1, end 1, end 3, read 2, end 2, write 5, end 5, read 4, end 4"),
        (9, "read 3, read 1, read 2, end 1, end 2, end 3, write 5, end 5, read 4, end 4"),
    ] {
        let (transcript, log) = talk(&calls, parallel, false).await;
        assert_eq!(log.join(", "), expected);
        let order: Vec<&str> = transcript.calls.iter().map(|call| call.outcome.call.as_str()).collect();
        assert_eq!(order, ["3", "1", "2", "5", "4"], "results keep the order of the calls");
    }
}

#[tokio::test(start_paused = true)]
async fn images_follow_all_results_of_a_turn_where_the_model_reads_them() {
    let calls = [("read", 1), ("write", 2)];
    let (transcript, _) = talk(&calls, 1, true).await;
    let roles: Vec<Role> = transcript.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Tool, Role::User, Role::User, Role::Assistant]);
    let image = Part::Image { source: ImageSource::Url { url: "https://example.org/2.png".into() } };
    assert_eq!(transcript.messages[5].parts, [image]);
    let (transcript, _) = talk(&calls, 1, false).await;
    assert_eq!(transcript.messages.len(), 5);
    let stored: Transcript = serde_json::from_value(serde_json::to_value(&transcript).unwrap()).unwrap();
    assert_eq!(stored, transcript);
}
