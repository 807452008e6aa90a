//! Questions of runs, to clients with forms and without, over a restart as well.

use rmcp::model::{CallToolResponse, InputResponses};

use super::*;

#[tokio::test]
async fn a_question_is_a_form() {
    let server = Storage::default().start().await;
    for generation in GENERATIONS {
        for (answer, last) in [("approve", "publish"), ("no", "discard")] {
            let person = Person::answering([json!(answer)]);
            let client = connect(&server, generation, &person).await;
            let result = client.call_tool(call("approval", json!({"request": "r"}))).await.unwrap();
            assert_eq!(structured(&result)["log"], json!(["draft", format!("review:{answer}"), last]));
            let asked = person.asked.lock().unwrap();
            let schema =
                json!({"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]});
            assert_eq!(*asked, [("Approve?\n\ndraft: Draft for r".to_owned(), schema)]);
        }
        let person = Person::answering([json!("yes"), json!("yes")]);
        let client = connect(&server, generation, &person).await;
        let result = client.call_tool(call("fanout", json!({"names": ["a", "b"], "ask": true}))).await.unwrap();
        assert_eq!(structured(&result)["results"], json!(["a:yes", "b:yes", "total:2"]));
        assert_eq!(person.asked().len(), 2);
    }
    server.stop().await;
}

#[tokio::test]
async fn a_form_that_is_not_filled_in_ends_the_call_and_the_run_can_be_gone_on_with() {
    let server = Storage::default().start().await;
    for generation in GENERATIONS {
        for (action, did) in
            [(ElicitationAction::Decline, "declined to answer"), (ElicitationAction::Cancel, "put the question away")]
        {
            let person = Person::answering([]);
            person.answers.lock().unwrap().push_back(ElicitResult::new(action));
            let client = connect(&server, generation, &person).await;
            let result = client.call_tool(call("approval", json!({"request": "r"}))).await.unwrap();
            assert_eq!(result.is_error, Some(true));
            assert!(text(&result).starts_with(&format!("The user {did}: Approve?")), "{}", text(&result));
            assert_eq!(structured(&result)["log"], json!(["draft"]));
            let thread = result.meta.unwrap()["graphloom/threadId"].clone();
            let result =
                client.call_tool(call("answer", json!({"thread_id": thread, "answer": "approve"}))).await.unwrap();
            assert_eq!(structured(&result)["log"][2], "publish");
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn a_client_without_forms_is_told_what_to_do_and_can_do_it_after_a_restart() {
    for generation in GENERATIONS {
        let storage = Storage::default();
        let server = storage.start().await;
        let client = connect(&server, generation, &Person::new()).await;
        let result = client.call_tool(call("fanout", json!({"names": ["a", "b"], "ask": true}))).await.unwrap();
        assert_eq!(result.is_error, Some(false));
        let text = text(&result);
        // A model reads the arguments out of the text.
        let arguments: Vec<Value> =
            text.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("- ")?).ok()).collect();
        assert_eq!(arguments.len(), 2, "{text}");
        client.cancel().await.unwrap();
        server.stop().await;

        let server = storage.start().await;
        let client = connect(&server, generation, &Person::new()).await;
        let mut unclear = arguments[0].clone();
        unclear.as_object_mut().unwrap().remove("question_id");
        let result = client.call_tool(call("answer", unclear)).await.unwrap();
        assert!(result.is_error == Some(true) && super::text(&result).contains("say with `question_id` which"));
        let mut results = Vec::new();
        for (mut arguments, answer) in arguments.into_iter().zip(["one", "two"]) {
            arguments["answer"] = json!(answer);
            results.push(client.call_tool(call("answer", arguments)).await.unwrap());
        }
        assert!(super::text(&results[0]).contains("The run waits for an answer."), "{}", super::text(&results[0]));
        assert_eq!(structured(&results[1])["results"], json!(["a:one", "b:two", "total:2"]));
        server.stop().await;
    }
}

#[tokio::test]
async fn what_a_client_carries_is_taken_by_the_next_process_and_only_as_it_was_given() {
    let storage = Storage::default();
    let server = storage.start().await;
    let client = connect(&server, Generation::Modern, &Person::answering([])).await;
    let first = client.call_tool_once(call("approval", json!({"request": "r"}))).await.unwrap();
    let CallToolResponse::InputRequired(required) = first else { panic!("{first:?}") };
    let (requests, state) = (required.input_requests.unwrap(), required.request_state.unwrap());
    let question = requests.keys().next().unwrap().clone();
    client.cancel().await.unwrap();
    server.stop().await;

    let server = storage.start().await;
    let client = connect(&server, Generation::Modern, &Person::answering([])).await;
    let again = |tool: &'static str, state: &str, answer: Option<&str>| {
        let responses: InputResponses = answer
            .map(|answer| (question.clone(), json!({"action": "accept", "content": {"answer": answer}})))
            .into_iter()
            .collect();
        call(tool, json!({"request": "r"})).with_request_state(state).with_input_responses(responses)
    };
    for (tool, state) in [("approval", "x"), ("approval", &*format!("{state}A")), ("pipeline", &*state)] {
        let refused = client.call_tool_once(again(tool, state, Some("approve"))).await.unwrap_err().to_string();
        assert!(refused.contains("not one that this server gave for this tool"), "{refused}");
    }
    let unanswered = client.call_tool_once(again("approval", &state, None)).await.unwrap();
    let CallToolResponse::InputRequired(required) = unanswered else { panic!("{unanswered:?}") };
    assert_eq!(required.input_requests.unwrap(), requests, "it is asked again");

    // The second time is a client that did not hear the first answer.
    for answer in ["approve", "no"] {
        let done = client.call_tool_once(again("approval", &state, Some(answer))).await.unwrap();
        let CallToolResponse::Complete(result) = done else { panic!("{done:?}") };
        assert_eq!(structured(&result)["log"], json!(["draft", "review:approve", "publish"]));
    }
    server.stop().await;
}

#[tokio::test]
async fn a_call_that_is_cancelled_while_it_asks_stays_waiting() {
    let storage = Storage::default();
    let server = storage.start().await;
    let person = Person::answering([]);
    let client = connect(&server, Generation::Legacy, &person).await;
    tokio::select! {
        _ = client.call_tool(call("approval", json!({"request": "r"}))) => panic!("nobody answers"),
        () = async { while person.asked().is_empty() { person.noticed.notified().await; } } => {}
    }
    let is_left = |thread: &Value| thread["status"] == "interrupted" && thread["metadata"]["mcp_closed"] == "cancelled";
    let thread = storage.until(is_left).await;
    assert_eq!(thread["interrupts"].as_object().unwrap().len(), 1);
    server.stop().await;
}

#[tokio::test]
async fn a_client_of_the_older_generation_goes_on_after_a_restart() {
    let storage = Storage::default();
    let server = storage.start().await;
    let address = server.address();
    let client = connect(&server, Generation::Legacy, &Person::new()).await;
    let result = client.call_tool(call("approval", json!({"request": "r"}))).await.unwrap();
    let thread = result.meta.unwrap()["graphloom/threadId"].clone();
    server.stop().await;
    let server = storage.server().start(address).await.unwrap();
    let result = client.call_tool(call("answer", json!({"thread_id": thread, "answer": "approve"}))).await.unwrap();
    assert_eq!(structured(&result)["log"], json!(["draft", "review:approve", "publish"]));
    server.stop().await;
}
