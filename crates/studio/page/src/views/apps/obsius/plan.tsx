// The plan of a work: its subtasks, and what confirms that each is done.

import type { JSX } from "preact";
import { visible } from "../../../parts/text.ts";
import type { Subtask } from "./work.ts";

export function Plan({ subtasks }: { subtasks: readonly Subtask[] }): JSX.Element {
  return (
    <ol class="work-plan">
      {subtasks.map((task) => (
        <li key={task.id}>
          <p>
            <span class={`badge is-${task.isDone ? "done" : "waiting"}`}>
              {visible(task.goal)}
              <span class="hidden">: {task.isDone ? "done" : "open"}</span>
            </span>{" "}
            <span class="quiet">{visible(task.kind)}</span>
          </p>
          <ul class="criteria" aria-label="What shows that it is done">
            {task.criteria.map((criterion, at) => {
              const sign = criterion.holds === undefined ? "○" : criterion.holds ? "✓" : "✗";
              const said =
                criterion.holds === undefined ? "not looked at" : criterion.holds ? "holds" : "does not hold";
              const kind = criterion.holds === undefined ? "quiet" : criterion.holds ? "is-done" : "is-failed";
              return (
                <li key={at}>
                  <span class={kind} aria-hidden="true">
                    {sign}
                  </span>
                  <span>
                    <span class="hidden">{said}: </span>
                    {visible(criterion.words)}
                    {criterion.evidence !== "" && <span class="quiet"> · {visible(criterion.evidence)}</span>}
                  </span>
                </li>
              );
            })}
          </ul>
        </li>
      ))}
    </ol>
  );
}
