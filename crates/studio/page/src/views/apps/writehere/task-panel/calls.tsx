// The calls of models that were made for a task, with their tokens.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { count, visible } from "../../../../parts/text.ts";
import type { RunModel, Task } from "../../../../run/model.ts";
import { useInnerState } from "../../inner.ts";
import { objectOf } from "../../read.ts";
import { type Call, callsIn } from "../state.ts";
import { NODE } from "../work.ts";
import { Part } from "./part.tsx";

const FIELDS = ["calls"];

export interface CallsProps {
  thread: string;
  model: RunModel;
  /** The tasks of the run that work on it. */
  tasks: readonly Task[];
  /** The keys of the task, and of the one that carries it out. */
  keys: ReadonlySet<string>;
}

export function Calls(props: CallsProps): JSX.Element | null {
  const { tasks, keys } = props;
  // A copy of a thread has its state, and nothing was told on it.
  if (tasks.length === 0) return <KeptCalls {...props} />;
  const calls = tasks.flatMap((task) => callsIn(objectOf(task.result))).filter((call) => keys.has(call.node));
  return calls.length === 0 ? null : <CallTable calls={calls} />;
}

function KeptCalls({ thread, model, keys }: CallsProps): JSX.Element | null {
  const { state } = useInnerState(thread, model, NODE, FIELDS);
  const all = useMemo(() => callsIn(state?.values), [state]);
  const calls = all.filter((call) => keys.has(call.node));
  return calls.length === 0 ? null : <CallTable calls={calls} />;
}

function CallTable({ calls }: { calls: readonly Call[] }): JSX.Element {
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
