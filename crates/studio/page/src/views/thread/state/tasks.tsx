// What is to run at a state, or ran there, with the way into the graphs inside.

import type { JSX } from "preact";
import type { Json } from "../../../api/types.ts";
import { Badge } from "../../../parts/basics.tsx";
import { isObject } from "../../../parts/json-values.ts";
import { JsonTree } from "../../../parts/json.tsx";
import { counted, visible } from "../../../parts/text.ts";
import type { TaskOnWire } from "./checkpoint.ts";

/** Tasks that are shown; of a wider fan-out the graph and the timeline have the others. */
const MOST = 50;

export interface TasksProps {
  tasks: readonly TaskOnWire[];
  /** Shows the graph of a namespace. */
  onInside: (ns: string) => void;
}

export function Tasks({ tasks, onInside }: TasksProps): JSX.Element | null {
  if (tasks.length === 0) return null;
  return (
    <details class="state-tasks" open={tasks.length <= 3}>
      <summary>{counted(tasks.length, "task")} at this checkpoint</summary>
      <ul>
        {tasks.slice(0, MOST).map((task) => (
          <li key={task.id}>
            <Task task={task} onInside={onInside} />
          </li>
        ))}
      </ul>
      {tasks.length > MOST && <p class="quiet">{counted(tasks.length - MOST, "more task")}</p>}
    </details>
  );
}

function Task({ task, onInside }: { task: TaskOnWire; onInside: (ns: string) => void }): JSX.Element {
  const inside = task.checkpoint?.checkpoint_ns;
  const result = task.result ?? null;
  const asks = task.interrupts.length > 0 && result === null;
  return (
    <>
      <div class="row">
        <strong>{visible(task.name)}</strong>
        <Badge status={task.error !== null ? "failed" : result !== null ? "done" : asks ? "asking" : "waiting"} />
        {inside !== undefined && (
          <button type="button" onClick={() => onInside(inside)}>
            State of the graph inside
          </button>
        )}
      </div>
      {task.error !== null && <p class="problem">{failure(task.error)}</p>}
      {asks && task.interrupts.map((one) => <JsonTree key={one.id} value={one.value} label="What it asks" />)}
      {result !== null && (
        <details>
          <summary>What it wrote</summary>
          <JsonTree value={result} label={`What ${visible(task.name)} wrote`} />
        </details>
      )}
    </>
  );
}

/** The message of a failure, which is JSON in a text. */
function failure(error: Json): string {
  if (typeof error !== "string") return visible(JSON.stringify(error));
  try {
    const read = JSON.parse(error) as Json;
    if (isObject(read) && typeof read.message === "string") return visible(read.message);
  } catch {
    // It is the message itself.
  }
  return visible(error);
}
