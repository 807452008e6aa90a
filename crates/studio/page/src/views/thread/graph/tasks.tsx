// The tasks of the node that is chosen: where each stands and how long it took.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Badge, duration, Id, Time } from "../../../parts/basics.tsx";
import { visible } from "../../../parts/text.ts";
import { VirtualList } from "../../../parts/virtual.tsx";
import type { Status, Task } from "../../../run/model.ts";
import type { NodeTally } from "./tally.ts";
import { present } from "./words.ts";

/** The height of a row, in pixels. */
const ROW = 56;
/** Up to this many rows are all there; of more, those that are seen. */
const PLAIN = 50;

export function NodeTasks({
  id,
  tasks,
  tally,
  byHand,
  onTask,
  onClose,
}: {
  id: string;
  tasks: readonly Task[];
  tally: NodeTally | undefined;
  /** Whether a person chose the node here: the list is brought into view. */
  byHand: boolean;
  onTask: (id: string) => void;
  onClose: () => void;
}): JSX.Element {
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (byHand) section.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const [only, setOnly] = useState<Status | undefined>(undefined);
  const kinds = tally === undefined ? [] : present(tally.counts);
  const shown = only !== undefined && kinds.some(([status]) => status === only) ? only : undefined;
  const listed = (shown === undefined ? tasks : tasks.filter((task) => task.status === shown)).toReversed();
  return (
    <section ref={section} class="graph-tasks card" aria-label={`Tasks of ${id}`}>
      <div class="row apart">
        <h2>{visible(id.replaceAll(":", " › "))}</h2>
        <button type="button" class="plain" aria-label="Close the list of tasks" onClick={onClose}>
          ✕
        </button>
      </div>
      {kinds.length > 1 && (
        <label class="graph-only">
          Show{" "}
          <select
            value={shown ?? ""}
            onChange={({ currentTarget: { value } }) => setOnly(kinds.find(([status]) => status === value)?.[0])}
          >
            <option value="">all {tasks.length}</option>
            {kinds.map(([status, count, word]) => (
              <option key={status} value={status}>
                {word}: {count}
              </option>
            ))}
          </select>
        </label>
      )}
      {listed.length > 1 && <p class="quiet graph-order">Newest first.</p>}
      {listed.length === 0 && (
        <p class="quiet">
          {tally?.status === "skipped" ? "The run has ended without this node." : "No task of this node has begun."}
        </p>
      )}
      {listed.length > PLAIN ? (
        <VirtualList
          items={listed}
          rowHeight={ROW}
          label={`Tasks of ${id}`}
          render={(task) => <div class="graph-row">{rowOf(task)}</div>}
          keyOf={(task) => task.id}
          onOpen={(task) => onTask(task.id)}
        />
      ) : (
        <ul class="graph-rows">
          {listed.map((task) => (
            <li key={task.id}>
              <button type="button" class="graph-row" onClick={() => onTask(task.id)}>
                {rowOf(task)}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function rowOf(task: Task): JSX.Element {
  const attempts = task.attempts.length;
  return (
    <>
      <span class="row apart">
        <Badge status={task.status} />
        <span>
          {task.ended === undefined ? (
            <>
              since <Time at={task.began} />
            </>
          ) : (
            duration(task.ended - task.began)
          )}
        </span>
      </span>
      <span class="row graph-row-more quiet">
        <Id of={task.id} />
        {attempts > 1 && <span>{attempts} attempts</span>}
        {task.error !== undefined && <span class="graph-row-error">{visible(task.error)}</span>}
      </span>
    </>
  );
}
