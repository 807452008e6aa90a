//! Commands over HTTP.

use super::*;

#[tokio::test]
async fn a_command_that_cannot_be_done_says_why() {
    let server = Served::start().await;
    let (fresh, done, asked) = (Uuid::new_v4(), Uuid::new_v4(), Uuid::new_v4());
    server.run(done, "pipeline", json!({"topic": "a"})).await;
    server.events(done, json!({"channels": ["lifecycle"]}), 1).await;
    server.run(asked, "chat_review", json!({"messages": "hi"})).await;
    server.events(asked, json!({"channels": ["lifecycle"]}), 1).await;
    let message = json!({"role": "user", "content": "more"});
    let zero = "00000000-0000-7000-8000-000000000000";
    let cases = [
        (fresh, "no.such", json!({}), "unknown_command"),
        (fresh, "run.start", json!({}), "invalid_argument"),
        (fresh, "run.start", json!({"assistant_id": "no_such"}), "invalid_argument"),
        (fresh, "run.start", json!({"assistant_id": zero}), "invalid_argument"),
        (
            fresh,
            "run.start",
            json!({"assistant_id": "pipeline", "config": {"configurable": {"checkpoint_id": 1}}}),
            "invalid_argument",
        ),
        (fresh, "run.start", json!({"assistant_id": "pipeline", "multitaskStrategy": "no_such"}), "invalid_argument"),
        (
            done,
            "run.start",
            json!({"assistant_id": "pipeline", "config": {"configurable": {"checkpoint_id": zero}}}),
            "no_such_checkpoint",
        ),
        (fresh, "input.respond", json!({"interrupt_id": "x", "response": 1}), "no_such_interrupt"),
        (done, "input.respond", json!({"interrupt_id": "x", "response": 1}), "no_such_interrupt"),
        (asked, "input.respond", json!({"interrupt_id": "x", "response": 1}), "no_such_interrupt"),
        (asked, "input.respond", json!({"responses": []}), "invalid_argument"),
        (asked, "input.respond", json!({"response": 1}), "invalid_argument"),
        (fresh, "input.inject", json!({"message": message}), "no_such_run"),
        (done, "input.inject", json!({"message": message}), "not_supported"),
        (asked, "input.inject", json!({"message": message}), "not_supported"),
        (asked, "input.inject", json!({"message": message, "namespace": ["child"]}), "not_supported"),
        (fresh, "agent.getTree", json!({}), "no_such_run"),
        (done, "agent.getTree", json!({"run_id": zero}), "no_such_run"),
        (fresh, "state.fork", json!({"checkpoint_id": zero}), "no_such_checkpoint"),
        (done, "state.fork", json!({"checkpoint_id": "x"}), "no_such_checkpoint"),
        (done, "state.get", json!({"namespace": ["child"]}), "no_such_namespace"),
        (done, "state.listCheckpoints", json!({"namespace": ["child"]}), "no_such_namespace"),
        (done, "state.listCheckpoints", json!({"before": zero}), "no_such_checkpoint"),
        (done, "subscription.subscribe", json!({"channels": ["values"]}), "not_supported"),
    ];
    for (thread, method, params, expected) in cases {
        assert_eq!(server.error(thread, method, params.clone()).await, expected, "{method} {params}");
    }
}

#[tokio::test]
async fn a_key_that_may_look_may_not_run() {
    let keys = Keys::from_text("eyes read a-key-of-many-characters\nhands read,run another-key-of-many-characters");
    let server = Machine::default().start_with(keys.expect("keys")).await;
    let path = format!("/threads/{}/commands", Uuid::new_v4());
    let start =
        json!({"id": 1, "method": "run.start", "params": {"assistant_id": "pipeline", "input": {"topic": "a"}}});
    let look = json!({"id": 1, "method": "state.get"});
    for (key, body, expected) in [
        ("a-key-of-many-characters", &start, json!("permission_denied")),
        ("a-key-of-many-characters", &look, Value::Null),
        ("another-key-of-many-characters", &start, Value::Null),
    ] {
        let answer = parsed(&server.post(&path, key, body).await.text().await.expect("a body"));
        assert_eq!(answer["error"], expected, "{answer}");
    }
    assert_eq!(server.post(&path, "no-key-at-all-of-this-server", &look).await.status(), 401);
}

#[tokio::test]
async fn the_tree_of_a_run_has_its_subgraphs() {
    let server = Served::start().await;
    let thread = Uuid::new_v4();
    let run = server.run(thread, "nested", json!({"text": "a", "ask": true})).await;
    let events = server.events(thread, json!({"channels": ["lifecycle", "input"]}), 1).await;
    let tree = &server.result(thread, "agent.getTree", json!({"run_id": run})).await["tree"];
    assert_eq!((&tree["graph_name"], &tree["status"]), (&json!("nested"), &json!("interrupted")));
    let [child] = tree["children"].as_array().expect("children").as_slice() else { panic!("{tree}") };
    assert_eq!(
        (&child["graph_name"], &child["status"], &child["children"]),
        (&json!("child"), &json!("interrupted"), &json!([]))
    );
    let asked = events.iter().find(|event| event["method"] == "input.requested").expect("a question");
    assert_eq!(asked["params"]["namespace"], child["namespace"]);

    let namespace = child["namespace"].clone();
    let state = server.result(thread, "state.get", json!({"namespace": namespace, "keys": ["text"]})).await;
    assert_eq!(state["values"], json!({"text": "A"}));
    let listed = server.result(thread, "state.listCheckpoints", json!({"namespace": namespace})).await;
    assert_eq!(listed["checkpoints"][0]["id"], state["checkpoint"]["id"]);
    let id = &asked["params"]["data"]["interrupt_id"];
    let answer = json!({"namespace": namespace, "interrupt_id": id, "response": "!"});
    server.result(thread, "input.respond", answer).await;
    let events =
        server.events(thread, json!({"channels": ["values", "lifecycle"], "namespaces": [[]], "depth": 0}), 2).await;
    assert_eq!(data(&events, "values").last().expect("values")["text"], "<A!>");
}

#[tokio::test]
async fn an_answer_is_taken_as_soon_as_the_question_is_told() {
    let server = Served::start().await;
    for _ in 0..10 {
        let thread = Uuid::new_v4();
        server.run(thread, "fanout", json!({"names": ["a", "b"], "ask": true})).await;
        let mut answer =
            server.post(&format!("/threads/{thread}/stream/events"), "", &json!({"channels": ["input"]})).await;
        let mut text = String::new();
        while text.matches("input.requested\"").count() < 2 {
            text.push_str(&String::from_utf8_lossy(&answer.chunk().await.expect("a chunk").expect("a question")));
        }
        let asked = text.lines().filter_map(|line| line.strip_prefix("data: ")).map(parsed);
        let responses: Vec<Value> = asked
            .map(|event| json!({"namespace": [], "interrupt_id": event["params"]["data"]["interrupt_id"], "response": "yes"}))
            .collect();
        server.result(thread, "input.respond", json!({"responses": responses})).await;
        let events = server.events(thread, json!({"channels": ["values", "lifecycle"]}), 2).await;
        let results = &data(&events, "values").last().expect("values")["results"];
        assert_eq!(results, &json!(["a:yes", "b:yes", "total:2"]));
    }
}

#[tokio::test]
async fn an_answer_comes_with_an_update_and_with_nodes_that_run_beside_the_one_that_asked() {
    let server = Served::start().await;
    let thread = Uuid::new_v4();
    server.run(thread, "approval", json!({"request": "x"})).await;
    let events = server.events(thread, json!({"channels": ["lifecycle", "input"]}), 1).await;
    let asked = events.iter().find(|event| event["method"] == "input.requested").expect("a question");
    let id = &asked["params"]["data"]["interrupt_id"];
    let answer = json!({"interrupt_id": id, "response": "reject", "update": {"request": "y"}, "goto": ["publish"]});
    server.result(thread, "input.respond", answer).await;
    let events = server.events(thread, json!({"channels": ["values", "lifecycle"]}), 2).await;
    let values = data(&events, "values").pop().expect("values");
    assert_eq!((&values["request"], &values["decision"]), (&json!("y"), &json!("reject")));
    assert_eq!(values["log"], json!(["draft", "publish", "review:reject", "discard"]));
}

#[tokio::test]
async fn an_answer_goes_to_the_question_of_the_checkpoint_that_is_named() {
    let server = Served::start().await;
    let thread = Uuid::new_v4();
    let state = async || {
        let answer = server.http.get(server.url(&format!("/threads/{thread}/state"))).send().await.expect("an answer");
        parsed(&answer.text().await.expect("a body"))
    };
    server.run(thread, "approval", json!({"request": "tea"})).await;
    server.events(thread, json!({"channels": ["lifecycle"]}), 1).await;
    let asked = state().await;
    let respond = |id: &Value, answer: &str, at: &Value| {
        let config = json!({"configurable": {"checkpoint_id": at}});
        json!({"interrupt_id": id, "response": answer, "namespace": [], "config": config})
    };
    let (id, at) = (&asked["interrupts"][0]["id"], &asked["checkpoint_id"]);
    server.result(thread, "input.respond", respond(id, "reject", &Value::Null)).await;
    server.events(thread, json!({"channels": ["lifecycle"]}), 2).await;
    assert_eq!(state().await["values"]["decision"], "reject");
    let unknown = json!("0".repeat(32));
    assert_eq!(server.error(thread, "input.respond", respond(&unknown, "approve", at)).await, "no_such_interrupt");
    let zero = json!(Uuid::nil());
    assert_eq!(server.error(thread, "input.respond", respond(id, "approve", &zero)).await, "no_such_checkpoint");
    server.result(thread, "input.respond", respond(id, "approve", at)).await;
    server.events(thread, json!({"channels": ["lifecycle"]}), 3).await;
    assert_eq!(state().await["values"]["log"], json!(["draft", "review:approve", "publish"]));
}
