// The calls of models that were made for a task, with their tokens.

import type { JSX } from "preact";
import { count, visible } from "../../../../parts/text.ts";
import type { Call } from "../state.ts";
import { Part } from "./part.tsx";

export function Calls({ calls }: { calls: readonly Call[] }): JSX.Element {
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
