// The thread on which a run is to start: a new one, or one that is there and has a state.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Thread } from "../../api/types.ts";
import { Badge } from "../../parts/basics.tsx";
import { choose, link } from "../../route.ts";
import { type Asked, useAsked } from "./asked.ts";
import { STRATEGIES, type Strategy } from "./body.ts";

const STRATEGY_WORDS: Record<Strategy, string> = {
  enqueue: "waits until the other runs have ended",
  reject: "is refused",
  interrupt: "stops the run under way; what that did stays",
  rollback: "stops the run under way, and undoes what it did",
};

/** The thread of an id; nothing for a new one. */
export function useThread(thread: string | undefined): Asked<Thread | undefined> {
  return useAsked(
    async (api, signal) => {
      return thread === undefined ? undefined : api.get<Thread>(`/threads/${encodeURIComponent(thread)}`, signal);
    },
    [thread],
  ).value;
}

export function ThreadChoice({
  thread,
  found,
  strategy,
  problem,
  onStrategy,
}: {
  thread: string | undefined;
  found: Asked<Thread | undefined>;
  strategy: Strategy;
  /** What the server refused about the strategy. */
  problem: string | undefined;
  onStrategy: (strategy: Strategy) => void;
}): JSX.Element {
  const [isOld, setOld] = useState(thread !== undefined);
  const [text, setText] = useState(thread ?? "");
  useEffect(() => {
    setText(thread ?? "");
    if (thread !== undefined) setOld(true);
  }, [thread]);
  const record = found.state === "answered" ? found.answer : undefined;
  const asks = record === undefined ? 0 : Object.values(record.interrupts).flat().length;
  return (
    <section class="card" aria-labelledby="start-thread">
      <h2 id="start-thread">Thread</h2>
      <div class="row" role="radiogroup" aria-labelledby="start-thread">
        <label class="row">
          <input
            type="radio"
            name="thread"
            checked={!isOld}
            onChange={() => {
              setOld(false);
              choose({ thread: undefined }, true);
            }}
          />
          a new one
        </label>
        <label class="row">
          <input type="radio" name="thread" checked={isOld} onChange={() => setOld(true)} />
          one that is there
        </label>
      </div>
      {isOld && (
        <div class="field start-thread-id">
          <label for="start-thread-id">Id of the thread</label>
          <input
            id="start-thread-id"
            class="mono"
            type="text"
            autocomplete="off"
            spellcheck={false}
            value={text}
            aria-invalid={found.state === "failed"}
            aria-describedby={found.state === "failed" ? "start-thread-problem" : undefined}
            onInput={(event) => setText(event.currentTarget.value)}
            onChange={(event) => choose({ thread: event.currentTarget.value.trim() }, true)}
          />
          {found.state === "failed" && (
            <p id="start-thread-problem" class="field-problem">
              {found.reason}
            </p>
          )}
          {record !== undefined && (
            <p class="row">
              <Badge status={record.status === "interrupted" ? "asking" : record.status} />
              <a href={link(["threads", record.thread_id])}>Show it</a>
            </p>
          )}
        </div>
      )}
      {asks > 0 && (
        <p class="notice">
          {asks === 1 ? "A question waits" : `${asks} questions wait`} on this thread. To answer, open{" "}
          <a href={link(["threads", thread ?? ""], { tab: "questions" })}>the thread</a>; a run with a new input
          leaves{" "}
          {asks === 1 ? "it" : "them"} behind.
        </p>
      )}
      {isOld && thread !== undefined && (
        <div class="field">
          <label for="start-strategy">
            {record?.status === "busy" ? "A run is under way. The new one" : "Where a run is under way, the new one"}
          </label>
          <select
            id="start-strategy"
            value={strategy}
            aria-invalid={problem !== undefined}
            aria-describedby={problem === undefined ? undefined : "start-strategy-problem"}
            onChange={(event) => onStrategy(event.currentTarget.value as Strategy)}
          >
            {STRATEGIES.map((one) => (
              <option key={one} value={one}>
                {STRATEGY_WORDS[one]} ({one})
              </option>
            ))}
          </select>
          {problem !== undefined && (
            <p id="start-strategy-problem" class="field-problem">
              {problem}
            </p>
          )}
        </div>
      )}
    </section>
  );
}
