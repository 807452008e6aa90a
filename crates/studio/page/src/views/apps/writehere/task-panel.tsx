// A task of the tree: what it is to do, what was planned for it, what came of it, and by which calls.

import type { ComponentChildren, JSX } from "preact";
import { duration } from "../../../parts/basics.tsx";
import { JsonTree } from "../../../parts/json.tsx";
import { Markdown } from "../../../parts/markdown.tsx";
import { count, counted, short, visible } from "../../../parts/text.ts";
import { choose } from "../../../route.ts";
import type { Task } from "../../../run/model.ts";
import { SIGNS } from "../../thread/timeline/row.tsx";
import { worked } from "../../thread/timeline/bars.ts";
import { actionName } from "./cause.ts";
import type { Chosen } from "./chosen.ts";
import { useCitations } from "./citations.tsx";
import { type Node, type Result, typeIn } from "./node.ts";
import { Panel } from "./panel.tsx";
import { type PlanTask, readPlan } from "./review/plan.ts";
import { executionOf, rowKey, standingOf, tasksOf, workedOn } from "./rows.ts";
import type { Reference } from "./sources.ts";
import type { Call, Writing } from "./state.ts";
import { TypeSign } from "./type-sign.tsx";

export interface TaskPanelProps {
  writing: Writing;
  works: ReadonlyMap<string, Task[]>;
  goesOn: boolean;
  time: number;
  sources: ReadonlyMap<string, Reference>;
  chosen: Chosen;
}

export function TaskPanel({ writing, works, goesOn, time, sources, chosen }: TaskPanelProps): JSX.Element {
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
  const calls = writing.calls.filter((call) => keys.has(call.node));
  const changes = writing.changes.filter((change) => keys.has(change.node));
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
        <ResultPart key={`${of.key} ${result.action}`} result={result} {...{ writing, sources, chosen }} />
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
      {node.plan !== undefined && <PlanPart node={node} plan={node.plan} />}
      {calls.length > 0 && <Calls calls={calls} />}
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
      {changes.length > 0 && (
        <details class="task-part">
          <summary>{counted(changes.length, "change")} of its status</summary>
          <ol class="wh-changes">
            {changes.map((change, at) => (
              <li key={at}>
                <span class="quiet">step {count(change.step)}</span> {change.from} → {change.to}
                {execution !== undefined && change.node === execution.key && " (carrying it out)"}
                <span class="quiet"> {visible(change.cause)}</span>
              </li>
            ))}
          </ol>
        </details>
      )}
    </Panel>
  );
}

function Part({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <section class="task-part" aria-label={title}>
      <h4>{title}</h4>
      {children}
    </section>
  );
}

const RESULTS: Record<string, string> = { execute: "Result", final_aggregate: "Put together" };

interface ResultPartProps {
  result: Result;
  writing: Writing;
  sources: ReadonlyMap<string, Reference>;
  chosen: Chosen;
}

function ResultPart({ result, writing, sources, chosen }: ResultPartProps): JSX.Element | null {
  const own = useCitations(sources, chosen);
  const { action, text, evidence, time, notes } = result;
  if (text === "" && evidence.length === 0 && notes.length === 0) return null;
  return (
    <Part title={RESULTS[action] ?? actionName(action)}>
      {time !== undefined && <p class="quiet">{visible(time)}</p>}
      {text !== "" && <Markdown text={text} own={own} />}
      {notes.length > 0 && (
        <ul class="notice wh-notes">
          {notes.map((note, at) => (
            <li key={at}>{visible(note)}</li>
          ))}
        </ul>
      )}
      {evidence.length > 0 && (
        <details>
          <summary>It rests on {counted(evidence.length, "passage")}</summary>
          <ul class="wh-plain">
            {evidence.map((id) => {
              const found = writing.evidence.get(id);
              return (
                <li key={id}>
                  <button type="button" class="plain wh-link" onClick={() => chosen.openSource(id)}>
                    {visible(found?.title ?? id)}
                  </button>{" "}
                  {found !== undefined && (
                    <span class="quiet">{visible([found.source, found.place].filter(Boolean).join(", "))}</span>
                  )}
                </li>
              );
            })}
          </ul>
        </details>
      )}
    </Part>
  );
}

function PlanPart({ node, plan }: { node: Node; plan: NonNullable<Node["plan"]> }): JSX.Element {
  const { tasks, prefix } = readPlan(plan.tasks, node.key);
  return (
    <Part title="Its plan, as it was written">
      {tasks.length === 0 ? <p class="quiet">It was planned to be carried out as it is.</p> : <Planned {...{ tasks, prefix }} />}
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

function Calls({ calls }: { calls: readonly Call[] }): JSX.Element {
  const sum = (of: Call, field: "input" | "output") => of.tries.reduce((all, one) => all + one[field], 0);
  return (
    <Part title="Calls of models">
      <div class="scrolls" tabIndex={0} role="group" aria-label="Calls of models">
        <table class="wh-calls">
          <thead>
            <tr>
              <th scope="col">For</th>
              <th scope="col">Model</th>
              <th scope="col" class="to-right">
                Tokens in
              </th>
              <th scope="col" class="to-right">
                out
              </th>
              <th scope="col" class="to-right">
                Tries
              </th>
            </tr>
          </thead>
          <tbody>
            {calls.map((call, at) => (
              <tr key={at}>
                <td>{visible(call.agent || call.action)}</td>
                <td class="mono">{visible(call.model)}</td>
                <td class="to-right">{count(sum(call, "input"))}</td>
                <td class="to-right">{count(sum(call, "output"))}</td>
                <td class="to-right">{call.tries.length}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {calls.flatMap((call) => call.tries).some((one) => one.problem !== undefined) && (
        <ul class="wh-notes">
          {calls.flatMap((call) =>
            call.tries.flatMap((one, at) =>
              one.problem === undefined ? [] : [<li key={`${call.agent} ${at}`}>Refused: {visible(one.problem)}</li>],
            ),
          )}
        </ul>
      )}
    </Part>
  );
}
