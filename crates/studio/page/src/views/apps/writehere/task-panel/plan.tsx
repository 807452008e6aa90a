// The plan of a task as it was written, and what was put right in it.

import type { JSX } from "preact";
import { JsonTree } from "../../../../parts/json.tsx";
import { short, visible } from "../../../../parts/text.ts";
import { type NodePlan, typeIn } from "../node.ts";
import { type PlanTask, readPlan } from "../review/plan.ts";
import { TypeSign } from "../type-sign.tsx";
import { Part } from "./part.tsx";

export function PlanPart({ of, plan }: { of: string; plan: NodePlan }): JSX.Element {
  const { tasks, prefix } = readPlan(plan.tasks, of);
  return (
    <Part title="Its plan, as it was written">
      {tasks.length === 0 && <p class="quiet">It was planned to be carried out as it is.</p>}
      {tasks.length > 0 && <Planned tasks={tasks} prefix={prefix} />}
      {plan.repairs.length > 0 && (
        <div class="notice">
          Put right:
          <ul class="wh-notes">
            {plan.repairs.map((repair, at) => (
              <li key={at}>{visible(repair)}</li>
            ))}
          </ul>
        </div>
      )}
      {tasks.length > 0 && (
        <details>
          <summary>As JSON</summary>
          <JsonTree value={plan.tasks} label="The plan as it was written" />
        </details>
      )}
    </Part>
  );
}

function Planned({ tasks, prefix }: { tasks: readonly PlanTask[]; prefix: string }): JSX.Element {
  const name = (at: number) => `${prefix}${tasks.findIndex((one) => one.at === at) + 1}`;
  return (
    <ol class="wh-plain wh-planned">
      {tasks.map((task) => (
        <li key={task.at}>
          <span class="wh-type">
            <span class="quiet">{name(task.at)}</span> <TypeSign type={typeIn(task.type)} />
            <span>
              {visible(short(task.goal, 400))}{" "}
              <span class="quiet">
                {[visible(task.length), task.waits.length > 0 ? `after ${task.waits.map(name).join(", ")}` : ""]
                  .filter((fact) => fact !== "")
                  .join(", ")}
              </span>
            </span>
          </span>
          {task.tasks.length > 0 && <Planned tasks={task.tasks} prefix={`${name(task.at)}.`} />}
        </li>
      ))}
    </ol>
  );
}
