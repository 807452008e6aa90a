// The conversation of a thread: the messages of its state, and behind them those that are being written.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { told } from "../../api/http.ts";
import type { Json, ThreadState } from "../../api/types.ts";
import { api } from "../../connection.ts";
import { Empty, Problem } from "../../parts/basics.tsx";
import { isObject } from "../../parts/json-values.ts";
import type { RunModel, Spoken } from "../../run/model.ts";
import { Messages } from "./state/messages.tsx";
import { LeftOut } from "./streamed.tsx";
import { Message } from "./task/message.tsx";
import { usePaced } from "./use-paced.ts";

/** While commits come fast, the state is read this often, in milliseconds. */
const PACE = 1000;
/** Messages that are being written are those of the newest tasks. */
const NEWEST = 50;

export function Conversation({ thread, model }: { thread: string; model: RunModel }): JSX.Element {
  const said = useSignal<Json[] | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const run = model.runs.at(-1);
  // Each commit of the graph itself may have added messages.
  const stand = `${model.commits.findLast((commit) => commit.namespace.length === 0)?.id} ${run?.id} ${run?.ended}`;
  usePaced(thread, stand, PACE, async (signal) => {
    try {
      const path = `/threads/${encodeURIComponent(thread)}/state?select=values.messages`;
      const state = await api.value.get<ThreadState>(path, signal);
      const messages = state.values.messages ?? null;
      said.value = Array.isArray(messages) ? messages : [];
      problem.value = undefined;
    } catch (error) {
      if (!signal.aborted) problem.value = told(error);
    }
  });
  const messages = said.value;
  if (problem.value !== undefined) return <Problem>{problem.value}</Problem>;
  if (messages === undefined) return <Empty>The messages are being read …</Empty>;
  const known = new Set(messages.flatMap((message) => (isObject(message) ? [String(message.id)] : [])));
  const writing = spoken(model).filter((message) => !known.has(message.id));
  return (
    <div class="conversation">
      <LeftOut channels={["messages"]} />
      {messages.length > 0 && <Messages value={messages} />}
      {writing.map((message) => (
        <Message key={message.id} message={message} />
      ))}
      {messages.length === 0 && writing.length === 0 && <Empty>Nothing was said.</Empty>}
    </div>
  );
}

/** What the newest tasks of the last run say, in the order in which they began. */
function spoken(model: RunModel): Spoken[] {
  const run = model.runs.at(-1);
  if (run === undefined || run.ended !== undefined) return [];
  const tasks = model.tasks.slice(-NEWEST).filter((task) => task.run === run.index && task.ended === undefined);
  const shared = [...model.shared.values()].flatMap((one) => one.messages.filter((message) => !message.done));
  return [...tasks.flatMap((task) => task.messages), ...shared, ...model.messages.filter((message) => !message.done)];
}
