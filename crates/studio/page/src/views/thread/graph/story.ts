// Events of made-up runs, for tests: what a server would tell.

import type { ThreadEvent } from "../../../api/events.ts";
import type { Json, JsonObject } from "../../../api/types.ts";
import { Fold } from "../../../run/fold.ts";
import type { RunModel } from "../../../run/model.ts";

type Namespace = readonly string[];

/** Tells events one after the other, each in a millisecond with the ones before. */
export class Story {
  private readonly fold = new Fold();
  private readonly heads = new Map<string, string>();
  private told: ThreadEvent[] = [];
  private entries = 0;

  /** What is known of all that was told. */
  get model(): RunModel {
    this.fold.take(this.told);
    this.told = [];
    return this.fold.model;
  }

  run(id: string, event = "running"): this {
    return this.tell("lifecycle", [], { event, graph_name: "g" }, `synth:${id}:thread:1`);
  }

  call(namespace: Namespace, event: string): this {
    return this.tell("lifecycle", namespace, { event, graph_name: "inner" });
  }

  /** An input, which is two commits. */
  input(namespace: Namespace = []): this {
    return this.commit("input", namespace).commit("loop", namespace);
  }

  commit(source = "loop", namespace: Namespace = [], on?: string): this {
    const key = namespace.join("|");
    const id = `${key}#${this.entries}`;
    const parent_id = on ?? this.heads.get(key) ?? null;
    this.heads.set(key, id);
    return this.tell("checkpoints", namespace, { id, parent_id, step: this.entries, source });
  }

  /** The newest commit. */
  head(namespace: Namespace = []): string {
    return this.heads.get(namespace.join("|")) ?? "";
  }

  /** Tasks begin: `node` or `node/number`. */
  begin(tasks: string[], { namespace = [], sent = false }: { namespace?: Namespace; sent?: boolean } = {}): this {
    for (const id of tasks) {
      const trigger = sent ? "__pregel_push" : "branch";
      this.tell("tasks", namespace, { id, name: nameOf(id), input: {}, triggers: [trigger] });
    }
    return this;
  }

  finish(tasks: string[], namespace: Namespace = [], error: Json = null): this {
    for (const id of tasks) {
      this.tell("tasks", namespace, { id, name: nameOf(id), error, result: {}, interrupts: [] });
    }
    return this;
  }

  ask(id: string, namespace: Namespace = []): this {
    const interrupts = [{ id: `question of ${id}`, value: "?" }];
    return this.tell("tasks", namespace, { id, name: nameOf(id), error: null, result: {}, interrupts });
  }

  private tell(method: string, namespace: Namespace, data: JsonObject, event_id = "e"): this {
    this.entries += 1;
    const params = { namespace: [...namespace], timestamp: 1000, data };
    this.told.push({ seq: this.entries * 4096, event_id, method, params });
    return this;
  }
}

function nameOf(id: string): string {
  return id.split("/", 1)[0] as string;
}
