// The events of a thread: those that are stored, then those that come. A stream that is lost is opened again after its last event.

import { type Api, ApiError, told } from "./http.ts";
import { frames } from "./sse.ts";
import type { Json, JsonObject } from "./types.ts";

/** One event of the event streaming protocol. */
export interface ThreadEvent {
  /** Ascends over a thread; the same event has the same number in every stream. */
  seq: number;
  event_id: string;
  /** The channel; `input.requested` of the channel `input`. */
  method: string;
  params: {
    /** The subgraph that tells it, as `node:task` a level; empty for the graph itself. */
    namespace: string[];
    /** Milliseconds since 1970. */
    timestamp: number;
    /** The node, of events of a task. */
    node?: string;
    /** The id of the task. Older servers do not say it. */
    task?: string;
    data: JsonObject;
  };
}

/** `lost` while the server is not reached, with the reason. */
export type Link = { state: "connecting" } | { state: "live" } | { state: "lost"; reason: string };

export interface Follow {
  thread: string;
  channels: string[];
  /** Events after this number only. */
  since?: number;
  /** Events in their order, as many as came at once. */
  onEvents(events: ThreadEvent[]): void;
  onLink(link: Link): void;
  /** The server will never send them: the thread is gone, the key is wrong. */
  onRefused(error: ApiError): void;
}

const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;
/** At most this long events are gathered before they are given out, in milliseconds. */
const GATHER = 50;

/** Follows a thread until the returned function is called. */
export function follow(api: Api, asked: Follow): () => void {
  const ended = new AbortController();
  void run(api, asked, ended.signal);
  return () => ended.abort();
}

async function run(api: Api, asked: Follow, signal: AbortSignal): Promise<void> {
  let since = asked.since;
  let wait = FIRST_WAIT;
  let gathered: ThreadEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const give = () => {
    clearTimeout(timer);
    timer = undefined;
    const events = gathered;
    gathered = [];
    if (events.length > 0 && !signal.aborted) asked.onEvents(events);
  };
  // What is saved has no server that could be lost.
  const onLink = api.isSaved ? () => {} : asked.onLink;
  onLink({ state: "connecting" });
  while (!signal.aborted) {
    let reason = "The server ended the stream.";
    try {
      const body: JsonObject = { channels: asked.channels };
      if (since !== undefined) body.since = since;
      const response = await api.send("POST", `/threads/${asked.thread}/stream/events`, body, signal);
      if (response.body === null) throw new ApiError(0, "The server sent no stream.");
      onLink({ state: "live" });
      wait = FIRST_WAIT;
      for await (const frame of frames(response.body)) {
        const event = JSON.parse(frame.data) as ThreadEvent & { type: string; message?: Json };
        if (event.type !== "event") {
          reason = String(event.message ?? "The server cannot read the events of this thread.");
          continue;
        }
        since = event.seq;
        gathered.push(event);
        timer ??= setTimeout(give, GATHER);
      }
    } catch (error) {
      if (signal.aborted) break;
      if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) {
        give();
        asked.onRefused(error);
        return;
      }
      reason = told(error);
    }
    give();
    if (signal.aborted || api.isSaved) break;
    onLink({ state: "lost", reason });
    await pause(wait, signal);
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }
  clearTimeout(timer);
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
