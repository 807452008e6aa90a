// The events of a thread: those that are stored, then those that come. A stream that is lost is opened again after its last event.

import { Turns } from "../parts/turn.ts";
import { afterFirst } from "./first.ts";
import { Gathered } from "./gathered.ts";
import type { Api, ApiError } from "./http.ts";
import { type Held, hold, type Link } from "./stream.ts";
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

/** Follows a thread until the returned function is called. */
export function follow(api: Api, asked: Follow): () => void {
  const ended = new AbortController();
  let since = asked.since;
  const gathered = new Gathered<ThreadEvent>((events) => {
    if (!ended.signal.aborted) asked.onEvents(events);
  });
  const turns = new Turns();
  const held: Held = {
    open: async (signal) => {
      await afterFirst();
      // What a task began with is read at its checkpoint where somebody looks at it.
      const body: JsonObject = { channels: asked.channels, task_states: false };
      if (since !== undefined) body.since = since;
      return api.send("POST", `/threads/${asked.thread}/stream/events`, body, signal);
    },
    onFrame: (frame) => {
      const event = JSON.parse(frame.data) as ThreadEvent & { type: string; message?: Json };
      if (event.type !== "event") {
        return String(event.message ?? "The server cannot read the events of this thread.");
      }
      since = event.seq;
      gathered.add(event);
    },
    onPiece: async () => {
      gathered.soon();
      // A long history comes faster than it can be shown.
      await turns.due();
      await afterFirst();
    },
    onBreak: () => gathered.now(),
    // What is saved has no server that could be lost.
    onLink: api.isSaved ? () => {} : asked.onLink,
    onRefused: asked.onRefused,
    isOnce: api.isSaved,
  };
  void hold(held, ended.signal);
  return () => ended.abort();
}
