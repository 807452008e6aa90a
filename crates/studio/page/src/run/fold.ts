// Builds the model of a thread's runs from its events, one after the other.
//
// | events | where |
// | --- | --- |
// | runs and subgraph calls | `fold/lifecycle.ts` |
// | tasks, what they wrote, told and ask | `fold/tasks.ts` |
// | attempts, warnings, losses | `fold/trace.ts` |
// | calls of models | `fold/model-calls.ts` |
// | commits | `fold/commits.ts` |
// | messages | `fold/messages.ts` |
// | calls of tools | `fold/tools.ts` |

import type { ThreadEvent } from "../api/events.ts";
import type { JsonObject } from "../api/types.ts";
import { isObject } from "../parts/json-values.ts";
import { checkpointEvent } from "./fold/commits.ts";
import { type Here, Known } from "./fold/known.ts";
import { lifecycleEvent } from "./fold/lifecycle.ts";
import { messageEvent } from "./fold/messages.ts";
import { list, number, object, text, textOr, Unexpected } from "./fold/read.ts";
import { customEvent, inputRequested, taskEvent, updateEvent } from "./fold/tasks.ts";
import { toolEvent } from "./fold/tools.ts";
import { traceEvent } from "./fold/trace.ts";
import { namespaceKey, type Notice, type RunModel } from "./model.ts";

/** The channels whose events are read. Tasks say what they wrote, as `updates` would; states are read one by one. */
export const CHANNELS = ["lifecycle", "tasks", "messages", "tools", "custom", "checkpoints", "input"];

/** The channel that older servers have not. */
export const TRACE = "trace";

type Reader = (known: Known, here: Here, data: JsonObject) => void;

const READERS: Record<string, Reader> = {
  lifecycle: lifecycleEvent,
  tasks: taskEvent,
  updates: updateEvent,
  custom: customEvent,
  checkpoints: checkpointEvent,
  messages: messageEvent,
  tools: toolEvent,
  "input.requested": inputRequested,
  values: () => undefined,
};

export class Fold {
  private readonly known = new Known();
  private readonly namespaces = new Map<string, readonly string[]>();
  private readonly notices = new Map<string, Notice>();

  /** What is known: the same object until something changes. */
  model: RunModel = { ...this.known.model };

  /** Takes up events. Those that it has seen already change nothing. */
  take(events: readonly ThreadEvent[]): void {
    const { model } = this.known;
    const before = model.seq;
    for (const event of events) this.one(event);
    if (model.seq === before) return;
    this.known.settle();
    model.version += 1;
    this.model = { ...model };
  }

  private one(event: ThreadEvent): void {
    const { model } = this.known;
    if (!isObject(event) || typeof event.seq !== "number") {
      this.note(model.seq, "An event has no number.", undefined);
      return;
    }
    if (event.seq <= model.seq) return;
    model.seq = event.seq;
    let method = "unknown";
    try {
      method = text(event, "method");
      const here = this.here(event);
      const data = object(object(event, "params"), "data");
      model.time = Math.max(model.time, here.time);
      if (method === TRACE) traceEvent(this.known, here, data, (told) => this.note(here.seq, told, here.time));
      else this.reader(method)(this.known, here, data);
    } catch (error) {
      const why = error instanceof Unexpected ? error.message : `it cannot be read: ${String(error)}`;
      this.note(event.seq, `An event of the kind \`${method}\` is not shown: ${why}.`, undefined);
    }
  }

  private reader(method: string): Reader {
    const reader = Object.hasOwn(READERS, method) ? READERS[method] : undefined;
    if (reader === undefined) throw new Unexpected("this page does not know events of this kind");
    return reader;
  }

  private here(event: ThreadEvent & JsonObject): Here {
    const params = object(event, "params");
    const namespace = list(params, "namespace").map(String);
    const key = namespaceKey(namespace);
    // Events of one namespace share it.
    let shared = this.namespaces.get(key);
    if (shared === undefined) {
      shared = namespace;
      this.namespaces.set(key, shared);
    }
    return {
      seq: event.seq,
      time: number(params, "timestamp"),
      namespace: shared,
      key,
      node: textOr(params, "node", undefined),
      task: textOr(params, "task", undefined),
      event_id: textOr(event, "event_id", ""),
    };
  }

  /** The same notice is one that is counted. */
  private note(seq: number, told: string, time: number | undefined): void {
    const { model } = this.known;
    const known = this.notices.get(told);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    const notice = { seq, time: time ?? model.time, text: told, count: 1 };
    this.notices.set(told, notice);
    model.notices.push(notice);
  }
}
