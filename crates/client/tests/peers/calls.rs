//! Calls.

use graphloom_client::{
    AssistantChange, AssistantSearch, CancelAction, ClientError, Command, CronChange, CronSearch, HistorySearch,
    IfExists, IfThreadMissing, ItemSearch, MultitaskStrategy, NamespaceSearch, NewAssistant, NewCron, NewItem, NewRun,
    NewThread, RunSearch, RunStatus, StateUpdate, ThreadChange, ThreadSearch, ThreadStatus,
};
use serde_json::json;

use super::{client, new_thread};

#[tokio::test]
#[ignore = "needs a server at LANGGRAPH_SERVER"]
async fn assistants_are_made_changed_found_and_deleted() {
    let assistants = client().assistants();
    let mark = new_thread().to_string();
    let new = NewAssistant::new("pipeline").name("mine").metadata(json!({"mark": mark}));
    let made = assistants.create(new).await.unwrap();
    assert_eq!((made.graph_id.as_str(), made.name.as_str(), made.version), ("pipeline", "mine", 1));
    let again = NewAssistant::new("pipeline").assistant_id(made.assistant_id);
    assert!(assistants.create(again.clone()).await.unwrap_err().is_conflict());
    let kept = assistants.create(again.if_exists(IfExists::DoNothing)).await.unwrap();
    assert_eq!(kept.name, "mine");
    let changed = assistants.update(made.assistant_id, AssistantChange::new().name("ours")).await.unwrap();
    assert_eq!((changed.version, changed.metadata["mark"].as_str()), (2, Some(mark.as_str())));
    assert_eq!(assistants.versions(made.assistant_id).await.unwrap().len(), 2);
    assert_eq!(assistants.set_latest(made.assistant_id, 1).await.unwrap().name, "mine");
    let search = AssistantSearch::new().metadata(json!({"mark": mark}));
    let found = assistants.search(search.clone()).await.unwrap();
    assert_eq!((found.items.len(), found.total, found.next), (1, Some(1), None));
    assert_eq!(assistants.count(search).await.unwrap(), 1);
    assistants.delete(made.assistant_id, false).await.unwrap();
    assert!(assistants.get(made.assistant_id).await.unwrap_err().is_not_found());

    let graph = assistants.graph("nested", true).await.unwrap();
    let nodes: Vec<_> = graph["nodes"].as_array().unwrap().iter().filter_map(|node| node["id"].as_str()).collect();
    assert!(nodes.contains(&"prepare") && nodes.contains(&"wrap"), "{nodes:?}");
    let schemas = assistants.schemas(&made_of("pipeline").await).await.unwrap();
    assert!(schemas.input_schema.unwrap()["properties"]["topic"].is_object());
}

/// The id of the assistant that every graph has, as schemas are asked by id.
async fn made_of(graph: &str) -> String {
    let found = client().assistants().search(AssistantSearch::new().graph_id(graph)).await.unwrap();
    found.items[0].assistant_id.to_string()
}

#[tokio::test]
#[ignore = "needs a server at LANGGRAPH_SERVER"]
async fn threads_are_made_changed_copied_found_and_deleted() {
    let threads = client().threads();
    let id = new_thread();
    let made = threads.create(NewThread::new().thread_id(id).metadata(json!({"mark": id}))).await.unwrap();
    assert_eq!((made.thread_id, made.status), (id, ThreadStatus::Idle));
    assert!(threads.create(NewThread::new().thread_id(id)).await.unwrap_err().is_conflict());
    let changed = threads.update(id, ThreadChange::new().metadata(json!({"more": 1}))).await.unwrap();
    assert_eq!((changed.metadata["mark"].clone(), changed.metadata["more"].clone()), (json!(id), json!(1)));
    let fresh = threads.state(id, false).await.unwrap();
    assert!(fresh.next.is_empty() && fresh.checkpoint.is_none());
    client().runs().wait(id, NewRun::new("pipeline").input(json!({"topic": "hills"}))).await.unwrap();
    let copy = threads.copy(id).await.unwrap();
    let state = threads.state(copy.thread_id, false).await.unwrap();
    assert_eq!(state.values["items"], json!(["plan:hills", "work:hills", "finish:hills"]));
    let history = threads.history(id, HistorySearch::new().limit(100_u64)).await.unwrap();
    assert_eq!((history.len(), history[0].metadata["source"].as_str()), (5, Some("loop")));
    let at = threads.state_at(id, history[1].checkpoint.as_ref().unwrap(), false).await.unwrap();
    assert_eq!(at.next, ["finish"]);
    let search = ThreadSearch::new().metadata(json!({"mark": id})).limit(1_u64);
    assert_eq!(threads.search(search.clone()).await.unwrap().items.len(), 1);
    assert!(threads.count(search).await.unwrap() >= 1);
    threads.delete(id).await.unwrap();
    let error = threads.get(id).await.unwrap_err();
    assert!(error.is_not_found() && error.to_string().contains(&id.to_string()), "{error}");
}

#[tokio::test]
#[ignore = "needs a server at LANGGRAPH_SERVER"]
async fn a_state_is_edited_and_goes_on_from_there() {
    let (client, id) = (client(), new_thread());
    let new = NewRun::new("approval").input(json!({"request": "tea"})).if_not_exists(IfThreadMissing::Create);
    let result = client.runs().wait(id, new).await.unwrap();
    assert_eq!(result.interrupts[0].value["question"], "Approve?");
    let update = StateUpdate::new(json!({"draft": "Another draft"})).as_node("draft");
    let checkpoint = client.threads().update_state(id, update).await.unwrap();
    let new = NewRun::new("approval").input(json!(null)).checkpoint(checkpoint);
    let result = client.runs().wait(id, new).await.unwrap();
    assert_eq!(result.interrupts[0].value["draft"], "Another draft");
    let error = client.threads().update_state(id, StateUpdate::new(json!({})).as_node("zzz")).await.unwrap_err();
    assert_eq!(error.status(), Some(400), "{error}");
}

#[tokio::test]
#[ignore = "needs a server at LANGGRAPH_SERVER"]
async fn runs_are_waited_for_joined_listed_resumed_and_cancelled() {
    let (client, id) = (client(), new_thread());
    client.threads().create(NewThread::new().thread_id(id)).await.unwrap();
    let runs = client.runs();
    let waiting = runs.wait(id, NewRun::new("approval").input(json!({"request": "tea"}))).await.unwrap();
    let question = &waiting.interrupts[0];
    assert_eq!(client.threads().get(id).await.unwrap().status, ThreadStatus::Interrupted);
    let answers = [(question.id.clone().unwrap(), json!("approve"))];
    let done = runs.wait(id, NewRun::new("approval").command(Command::answers(answers))).await.unwrap();
    assert_eq!(done.values["log"], json!(["draft", "review:approve", "publish"]));
    let listed = runs.list(id, RunSearch::new().limit(10_u64)).await.unwrap();
    assert_eq!(listed.iter().map(|run| run.status).collect::<Vec<_>>(), [RunStatus::Success; 2]);
    assert_eq!(runs.join(id, listed[0].run_id).await.unwrap().values["decision"], "approve");

    let failed = runs.wait(None, NewRun::new("faulty").input(json!({"mode": "fail"}))).await.unwrap_err();
    assert!(matches!(&failed, ClientError::RunFailed { message, .. } if message == "boom: mode=fail"), "{failed}");

    let long = NewRun::new("ticker").input(json!({"n": 1000, "delay_ms": 50}));
    let ticking = runs.create(id, long.clone()).await.unwrap();
    let refused = runs.create(id, long.multitask_strategy(MultitaskStrategy::Reject)).await.unwrap_err();
    assert!(refused.is_conflict(), "{refused}");
    runs.cancel(id, ticking.run_id, CancelAction::Interrupt, true).await.unwrap();
    assert_eq!(runs.get(id, ticking.run_id).await.unwrap().status, RunStatus::Interrupted);
    assert!(runs.cancel(id, ticking.run_id, CancelAction::Interrupt, false).await.unwrap_err().is_not_found());
    runs.delete(id, ticking.run_id).await.unwrap();
    let unknown = runs.create(id, NewRun::new("no_such_graph")).await.unwrap_err();
    assert!(unknown.status().is_some_and(|status| (400..500).contains(&status)), "{unknown}");
}

#[tokio::test]
#[ignore = "needs a server at LANGGRAPH_SERVER"]
async fn schedules_and_items_are_kept() {
    let client = client();
    let run = NewRun::new("pipeline").input(json!({"topic": "hills"}));
    let made = client.crons().create(None, NewCron::new("0 7 * * 1-5", run)).await.unwrap();
    assert_eq!((made.schedule.as_str(), made.thread_id), ("0 7 * * 1-5", None));
    let search = CronSearch::new().limit(100_u64);
    assert!(client.crons().search(search.clone()).await.unwrap().iter().any(|cron| cron.cron_id == made.cron_id));
    assert!(client.crons().count(CronSearch::new()).await.unwrap() >= 1);
    let changed = client.crons().update(made.cron_id, CronChange::new().enabled(false)).await.unwrap();
    assert_eq!(changed.enabled, Some(false));
    client.crons().delete(made.cron_id).await.unwrap();
    let bad = client.crons().create(None, NewCron::new("whenever", NewRun::new("pipeline"))).await.unwrap_err();
    assert_eq!(bad.status(), Some(422), "{bad}");

    let (store, label) = (client.store(), new_thread().to_string());
    let namespace = ["client_test", label.as_str()];
    store.put(NewItem::new(namespace, "a", json!({"n": 1}))).await.unwrap();
    store.put(NewItem::new(namespace, "b", json!({"n": 2}))).await.unwrap();
    assert_eq!(store.get(namespace, "a").await.unwrap().unwrap().value, json!({"n": 1}));
    let found = store.search(ItemSearch::new(namespace).filter(json!({"n": 2}))).await.unwrap();
    assert_eq!(found.iter().map(|item| item.key.as_str()).collect::<Vec<_>>(), ["b"]);
    let namespaces = store.namespaces(NamespaceSearch::new().prefix(["client_test"]).limit(1000_u64)).await.unwrap();
    assert!(namespaces.contains(&namespace.map(str::to_owned).to_vec()));
    store.delete(namespace, "a").await.unwrap();
    assert_eq!(store.get(namespace, "a").await.unwrap(), None);
}
