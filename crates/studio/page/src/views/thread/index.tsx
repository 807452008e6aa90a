// The page of a thread: where it stands, what can be done with it, and its runs as graph, timeline, state and history.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Assistant, Thread } from "../../api/types.ts";
import { api } from "../../connection.ts";
import { Empty, Problem } from "../../parts/basics.tsx";
import { JsonTree } from "../../parts/json.tsx";
import { type Tab, Tabs } from "../../parts/tabs.tsx";
import { counted, visible } from "../../parts/text.ts";
import { choose, link, route } from "../../route.ts";
import type { RunModel } from "../../run/model.ts";
import { Documents, documentsOf } from "../apps/documents.tsx";
import { type AppView, appOf } from "../apps/index.ts";
import { Controls } from "./controls.tsx";
import { Conversation } from "./conversation.tsx";
import { type Followed, useThread } from "./follow.ts";
import { GraphView } from "./graph.tsx";
import { Header } from "./header.tsx";
import { HistoryView } from "./history.tsx";
import { Meters } from "./meters.tsx";
import { chosenRuns, graphOf, ofRuns, openQuestions } from "./now.ts";
import { Questions } from "./questions.tsx";
import { StateView } from "./state.tsx";
import { LeftOutNotice } from "./streamed.tsx";
import { TaskPage } from "./task.tsx";
import { Timeline } from "./timeline.tsx";

export function ThreadPage({ thread }: { thread: string }): JSX.Element {
  const followed = useThread(thread);
  const record = followed.record.value;
  const problem = followed.problem.value;
  if (record === undefined) {
    if (problem === undefined) return <Empty>Thread {thread} is being read …</Empty>;
    return <NotThere thread={thread} followed={followed} />;
  }
  return <Known followed={followed} record={record} />;
}

/** A thread that cannot be read. */
function NotThere({ thread, followed }: { thread: string; followed: Followed }): JSX.Element {
  const problem = followed.problem.value;
  const isUnknown = problem?.status === 404 || problem?.status === 422;
  return (
    <>
      <h1>{isUnknown ? "There is no such thread" : "The thread cannot be read"}</h1>
      <p>
        <code>{visible(thread)}</code>
      </p>
      <Problem>{problem?.message}</Problem>
      <p class="row">
        <button type="button" onClick={() => (followed.tries.value += 1)}>
          Try again
        </button>
        <a href={link(["runs"])}>All runs</a>
      </p>
    </>
  );
}

function Known({ followed, record }: { followed: Followed; record: Thread }): JSX.Element {
  const model = followed.model.value;
  const { query } = route.value;
  const thread = record.thread_id;
  const graph = graphOf(record, model);
  const questions = openQuestions(model, record, followed.isStale.value, followed.isSilent.value);
  const asked = useMemo(() => ({ ...model, questions }), [model, record, followed.isStale.value, followed.isSilent.value]);
  // What the record says is asked is shown when the events that tell of it are here.
  const isAsking = record.status !== "busy" && Object.values(record.interrupts).flat().length > 0;
  const isKnown = questions.length > 0 || !isAsking || followed.isSilent.value;
  const runs = chosenRuns(model, query.get("run") ?? undefined);
  const shown = useMemo(() => ofRuns(asked, runs), [asked, query.get("run")]);
  const app = appOf(graph);
  const tabs = tabsOf(record, model, questions.length, app);
  const wanted = query.get("tab");
  const tab = tabs.find((one) => one.id === wanted)?.id ?? tabs[0]?.id ?? "graph";
  const panel = usePanel();
  const task = panel.task === undefined ? undefined : model.byId.get(panel.task);
  const clock = { by: followed.by.value, busy: record.status === "busy" };
  // What the views inside ask for is asked first.
  useEffect(() => followed.begin());
  return (
    <div class="thread" onKeyDown={panel.onKeyDown}>
      <Header
        {...{ record, model, runs, graph, clock }}
        listed={followed.runs.value}
        tasks={shown.tasks.length}
        calls={shown.modelCalls}
        questions={questions.length}
      />
      <Controls followed={followed} record={record} graph={graph} questions={questions.length} />
      <Notes followed={followed} record={record} model={model} graph={graph} />
      <div key={followed.built.value} class={`thread-body${panel.task === undefined ? "" : " has-task"}`}>
        <div class="thread-tabs">
          <Tabs label="Views of the thread" tabs={tabs} chosen={tab}>
            <h2 class="hidden">{tabs.find((one) => one.id === tab)?.name}</h2>
            {tab === "app" && app !== undefined && <app.View {...{ thread, record, model, questions }} />}
            {tab === "graph" && graph !== undefined && <GraphView graph={graph} model={asked} onTask={panel.open} />}
            {tab === "graph" && graph === undefined && <Raw record={record} />}
            {tab === "timeline" && <Timeline model={shown} clock={clock} chosen={panel.task} onTask={panel.open} />}
            {tab === "meters" && <Meters model={shown} onTask={panel.open} />}
            {tab === "state" && (
              <StateView thread={thread} checkpoint={query.get("checkpoint") ?? undefined} model={model} />
            )}
            {tab === "history" && <HistoryView thread={thread} model={model} />}
            {tab === "questions" && <Questions thread={thread} questions={questions} isKnown={isKnown} />}
            {tab === "messages" && <Conversation thread={thread} model={model} />}
            {tab === "documents" && <Documents thread={thread} documents={documentsOf(record.values)} />}
          </Tabs>
        </div>
        {panel.task !== undefined && (
          <aside class="card task" aria-labelledby={task === undefined ? undefined : "task-title"} aria-label="Task">
            {task === undefined ? (
              <>
                <Empty>No task of the id {visible(panel.task)} was told on this thread.</Empty>
                <button type="button" onClick={panel.close}>
                  Close
                </button>
              </>
            ) : (
              <TaskPage key={task.id} thread={thread} task={task} model={asked} clock={clock} onClose={panel.close} />
            )}
          </aside>
        )}
      </div>
    </div>
  );
}

function tabsOf(record: Thread, model: RunModel, questions: number, app: AppView | undefined): Tab[] {
  const speaks = Array.isArray(record.values?.messages) || model.tasks.some((task) => task.messages.length > 0);
  const documents = documentsOf(record.values).length;
  return [
    ...(app === undefined ? [] : [{ id: "app", name: app.name }]),
    { id: "graph", name: "Graph" },
    { id: "timeline", name: "Timeline" },
    { id: "meters", name: "Meters" },
    { id: "state", name: "State" },
    { id: "history", name: "History" },
    { id: "questions", name: questions === 0 ? "Questions" : `Questions (${questions})` },
    ...(speaks ? [{ id: "messages", name: "Messages" }] : []),
    ...(documents === 0 ? [] : [{ id: "documents", name: `Documents (${documents})` }]),
  ];
}

/** The task whose page is open, in the address. Focus goes to it, and back to where it was opened. */
function usePanel() {
  const task = route.value.query.get("task") ?? undefined;
  const opener = useRef<HTMLElement | undefined>(undefined);
  const byHand = useRef(false);
  useEffect(() => {
    if (!byHand.current || task === undefined) return;
    byHand.current = false;
    const title = document.getElementById("task-title");
    title?.focus({ preventScroll: true });
    title?.closest("aside")?.scrollIntoView({ block: "nearest" });
  }, [task]);
  const open = (id: string) => {
    if (opener.current === undefined && document.activeElement instanceof HTMLElement) {
      opener.current = document.activeElement;
    }
    byHand.current = true;
    if (id === task) document.getElementById("task-title")?.focus();
    else choose({ task: id }, task !== undefined);
  };
  const close = () => {
    const back = opener.current;
    opener.current = undefined;
    choose({ task: undefined });
    const panel = document.getElementById("tab-panel");
    (back?.isConnected ? back : panel)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || task === undefined) return;
    event.preventDefault();
    close();
  };
  return { task, open, close, onKeyDown };
}

interface NotesProps {
  followed: Followed;
  record: Thread;
  model: RunModel;
  graph: string | undefined;
}

/** What is worth a look above all views. */
function Notes({ followed, record, model, graph }: NotesProps): JSX.Element {
  const isServed = useServed(graph);
  const problem = followed.problem.value;
  const hasState = record.values !== null && Object.keys(record.values).length > 0;
  return (
    <>
      <LeftOutNotice />
      {problem !== undefined && problem.status !== 0 && <Problem>{problem.message}</Problem>}
      {followed.refused.value !== undefined && <Problem>The events cannot be read: {followed.refused.value}</Problem>}
      {isServed === false && (
        <div class="notice" role="status">
          This server does not serve the graph {visible(graph ?? "")}: the thread can be read, and nothing can go on.
          <Raw record={record} />
        </div>
      )}
      {model.runs.length === 0 && followed.runs.value?.length === 0 && hasState && (
        <p class="notice" role="status">
          The thread has a state, and none of its own runs: it is a copy, or was given its state from outside.
        </p>
      )}
      {model.notices.length > 0 && (
        <details class="notice">
          <summary>{counted(model.notices.length, "notice")}</summary>
          <ul>
            {model.notices.map((notice) => (
              <li key={notice.seq}>
                {visible(notice.text)}
                {notice.count > 1 && ` (${notice.count} times)`}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** Whether the server serves a graph; `undefined` until it has said so. */
function useServed(graph: string | undefined): boolean | undefined {
  const served = useSignal<boolean | undefined>(undefined);
  useEffect(() => {
    if (graph === undefined) return undefined;
    const ended = new AbortController();
    const ask = async () => {
      try {
        const server = api.peek();
        const body = { graph_id: graph, limit: 1 };
        const found = await server.json<Assistant[]>("POST", "/assistants/search", body, ended.signal);
        served.value = found.length > 0;
      } catch {
        // Whether it is served is not known: nothing is said of it.
      }
    };
    void ask();
    return () => ended.abort();
  }, [graph]);
  return graph === undefined ? undefined : served.value;
}

/** A thread as the server has it. */
function Raw({ record }: { record: Thread }): JSX.Element {
  return <JsonTree value={JSON.parse(JSON.stringify(record))} label="The thread, as the server has it" />;
}
