// All threads that wait for an answer, the one that waits longest first.

import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { api } from "../connection.ts";
import { Empty, Problem, Time } from "../parts/basics.tsx";
import { short, visible } from "../parts/text.ts";
import { VirtualList } from "../parts/virtual.tsx";
import { choose, link, route } from "../route.ts";
import { OpenThread } from "./inbox/open.tsx";
import { Waiting, type WaitingThread } from "./inbox/waiting.ts";
import { headline, subject } from "./thread/questions/read.ts";

export function Inbox(): JSX.Element {
  return <List key={JSON.stringify([api.value.base, api.value.key])} />;
}

function List(): JSX.Element {
  const waiting = useMemo(() => new Waiting(api.value), []);
  useEffect(() => waiting.start(), [waiting]);
  const thread = route.value.query.get("thread") || undefined;
  const pane = useRef<HTMLElement>(null);
  // Whoever opens a thread goes on at its questions.
  useEffect(() => pane.current?.focus({ preventScroll: true }), [thread]);
  const threads = waiting.threads.value;
  if (waiting.refused.value !== undefined) {
    return (
      <>
        <h1>Questions</h1>
        <Problem>{waiting.refused.value}</Problem>
      </>
    );
  }
  return (
    <div class="fills inbox">
      <div class="row apart">
        <h1>Questions</h1>
        <button type="button" onClick={() => waiting.refresh()}>
          Refresh
        </button>
      </div>
      <p class="row standing">
        <span role="status" class="quiet">
          {threads !== undefined && said(waiting.total.value ?? threads.length)}
          {threads !== undefined &&
            (waiting.total.value ?? 0) > threads.length &&
            `; the ${threads.length} that wait longest are shown`}
        </span>
        {waiting.lost.value !== undefined && (
          <span class="badge is-failed">
            <span>
              {waiting.lost.value}
              {waiting.readAt.value !== undefined && (
                <>
                  {" "}
                  This is from <Time at={waiting.readAt.value} />.
                </>
              )}
            </span>
          </span>
        )}
      </p>
      <div class={thread === undefined ? "inbox-panes" : "inbox-panes has-open"}>
        <div class="inbox-list">
          {threads === undefined && waiting.lost.value === undefined && <Empty>Reading …</Empty>}
          {threads?.length === 0 && (
            <Empty>No graph asks anything. What it asks is listed here until it is answered.</Empty>
          )}
          {threads !== undefined && threads.length > 0 && (
            <VirtualList<WaitingThread>
              label="Threads that wait for an answer: the arrow keys go from one to the next, Enter opens one"
              items={threads}
              rowHeight={72}
              keyOf={(one) => one.thread_id}
              isOpen={(one) => one.thread_id === thread}
              onOpen={(one) => choose({ thread: one.thread_id })}
              render={(one) => <Row thread={one} />}
            />
          )}
        </div>
        {thread !== undefined && (
          <section ref={pane} class="inbox-open" tabIndex={-1} aria-label="Questions of the thread">
            <p class="row apart">
              <a href={link(["inbox"])}>Close</a>
              <a href={link(["threads", thread])}>Show the thread</a>
            </p>
            <OpenThread key={thread} thread={thread} onChange={() => waiting.refresh()} />
          </section>
        )}
      </div>
    </div>
  );
}

function said(count: number): string {
  return count === 1 ? "1 thread waits for an answer" : `${count} threads wait for an answer`;
}

function Row({ thread }: { thread: WaitingThread }): JSX.Element {
  const questions = Object.values(thread.interrupts).flat();
  const value = questions[0]?.value ?? null;
  const graph = thread.metadata.graph_id;
  return (
    <div class="inbox-row">
      <div class="inbox-first">
        <strong>{visible(short(headline(value), 200))}</strong> {visible(short(subject(value), 200))}
      </div>
      <div class="row quiet">
        <span class="inbox-graph">{typeof graph === "string" ? graph : ""}</span>
        <span>
          since <Time at={thread.state_updated_at ?? thread.updated_at} />
        </span>
        {questions.length > 1 && <span>{questions.length} questions</span>}
      </div>
    </div>
  );
}
