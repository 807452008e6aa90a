// A task of the tree: what it is to do, what was planned for it, what came of it, and by which calls.

import type { JSX } from "preact";
import { duration } from "../../../parts/basics.tsx";
import { Markdown } from "../../../parts/markdown.tsx";
import { visible } from "../../../parts/text.ts";
import { choose } from "../../../route.ts";
import type { RunModel, Task } from "../../../run/model.ts";
import { worked } from "../../thread/timeline/bars.ts";
import { SIGNS } from "../../thread/timeline/row.tsx";
import { actionName } from "./cause.ts";
import type { Chosen } from "./chosen.ts";
import { Panel } from "./panel.tsx";
import { executionOf, rowKey, standingOf, tasksOf, workedOn } from "./rows.ts";
import type { Writing } from "./state.ts";
import { Calls } from "./task-panel/calls.tsx";
import { Changes } from "./task-panel/changes.tsx";
import { Part } from "./task-panel/part.tsx";
import { PlanPart } from "./task-panel/plan.tsx";
import { ResultPart } from "./task-panel/result.tsx";
import { TypeSign } from "./type-sign.tsx";

export interface TaskPanelProps {
  thread: string;
  model: RunModel;
  writing: Writing;
  works: ReadonlyMap<string, Task[]>;
  goesOn: boolean;
  chosen: Chosen;
}

export function TaskPanel({ thread, model, writing, works, goesOn, chosen }: TaskPanelProps): JSX.Element {
  const { time } = model;
  const { nodes } = writing;
  const key = rowKey(nodes, chosen.part ?? "");
  const node = nodes.get(key);
  if (node === undefined) {
    return (
      <Panel title="Task" of={key} onClose={chosen.close}>
        <p>The tree has no task {visible(key)}.</p>
      </Panel>
    );
  }
  const execution = executionOf(nodes, node);
  const row = { key, node, execution, depth: 0, place: 1, beside: 1, open: undefined };
  const tasks = tasksOf(works, row);
  const { status, words } = standingOf(row, tasks, goesOn);
  const took = workedOn(tasks, time);
  const both = execution === undefined ? [node] : [node, execution];
  const keys = new Set(both.map((one) => one.key));
  const failures = both.flatMap((one) => one.failure ?? []);
  const earlier = both.flatMap((one) => one.earlierGoals);
  const thoughts = both.flatMap((one) => one.thought ?? []);
  const given = both.flatMap((one) => one.results.map((result) => ({ of: one, result })));
  // What carried it out gave the text; the text as a whole stands beside the tree.
  const carried = execution?.results.find((result) => result.action === "execute")?.text;
  const results = given.flatMap(({ of, result }) => {
    const isTold = of === node && (key === "root" || result.text === carried);
    return isTold && result.action === "final_aggregate" ? [] : [{ of, result }];
  });
  return (
    <Panel title={key === "root" ? "The text as a whole" : `Task ${key}`} of={key} onClose={chosen.close}>
      <dl class="facts">
        <dt>Goal</dt>
        <dd>{visible(execution?.goal ?? node.goal)}</dd>
        <dt>Type</dt>
        <dd class="wh-type">
          <TypeSign type={node.type} /> {node.type}
        </dd>
        <dt>Status</dt>
        <dd>
          <span class={`badge is-${status}`}>{words}</span>
        </dd>
        {node.length !== undefined && node.type === "write" && (
          <>
            <dt>Length</dt>
            <dd>{visible(node.length)}</dd>
          </>
        )}
        {node.parents.length > 0 && (
          <>
            <dt>Waits for</dt>
            <dd>
              {node.parents.map((one) => (
                <button key={one} type="button" class="plain wh-link" onClick={() => chosen.openPart(one)}>
                  {one}
                </button>
              ))}
            </dd>
          </>
        )}
        {took !== undefined && (
          <>
            <dt>Worked</dt>
            <dd>{duration(took)}</dd>
          </>
        )}
      </dl>
      {failures.map((failure) => (
        <p key={failure} class="problem">
          {visible(failure)}
        </p>
      ))}
      {results.map(({ of, result }) => (
        <ResultPart key={`${of.key} ${result.action}`} result={result} {...{ writing, chosen }} />
      ))}
      {earlier.length > 0 && (
        <Part title="Goals before it was brought up to date">
          <ul>
            {earlier.map((goal, at) => (
              <li key={at}>{visible(goal)}</li>
            ))}
          </ul>
        </Part>
      )}
      {thoughts.length > 0 && (
        <Part title="Thought when it was judged">
          {thoughts.map((thought, at) => (
            <Markdown key={at} text={thought} />
          ))}
        </Part>
      )}
      {node.plan !== undefined && <PlanPart of={key} plan={node.plan} />}
      <Calls {...{ thread, model, tasks, keys }} />
      {tasks.length > 0 && (
        <Part title="Tasks of the run">
          <ul class="wh-plain">
            {tasks.map((task) => (
              <li key={task.id}>
                <button type="button" class="plain wh-link" onClick={() => choose({ task: task.id })}>
                  {actionName(task.node)}
                </button>
                <span class={`is-${task.status}`}> {SIGNS[task.status]}</span>{" "}
                <span class="quiet">
                  {task.status}, {duration(worked(task, time))}
                </span>
              </li>
            ))}
          </ul>
        </Part>
      )}
      <Changes {...{ thread, model, keys }} execution={execution?.key} />
    </Panel>
  );
}
