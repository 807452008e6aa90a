// The calls of models that a task made.

import type { JSX } from "preact";
import { duration } from "../../../parts/basics.tsx";
import { dollars } from "../../../parts/money.ts";
import { count, counted, visible } from "../../../parts/text.ts";
import { costText, sumOf } from "../../../run/meters.ts";
import type { ModelCall } from "../../../run/model.ts";

/** So many are listed; the sum is of all. */
const MOST = 200;

const SOURCES: Record<string, string> = {
  record: "from the record of an earlier attempt",
  cache: "kept from an earlier question",
};

export function ModelCalls({ calls }: { calls: readonly ModelCall[] }): JSX.Element {
  const sum = sumOf(calls);
  const newest = calls.slice(-MOST);
  return (
    <>
      <p>
        {counted(sum.calls, "call")}: {count(sum.input)} tokens in, {count(sum.output)} out, cost {costText(sum)}
        {sum.failed > 0 && `; ${count(sum.failed)} failed`}
        {sum.reused > 0 && `; ${counted(sum.reused, "answer")} used again without a call`}
      </p>
      {newest.length < calls.length && <p class="quiet">The newest {count(MOST)} are listed.</p>}
      <div class="scrolls" tabIndex={0} role="group" aria-label="Calls of models">
        <table>
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col" class="number">
                In
              </th>
              <th scope="col" class="number">
                Out
              </th>
              <th scope="col" class="number">
                Cost
              </th>
              <th scope="col" class="number">
                Took
              </th>
            </tr>
          </thead>
          <tbody>
            {newest.map((call) => (
              <CallRow key={call.seq} call={call} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function CallRow({ call }: { call: ModelCall }): JSX.Element {
  const { used } = call;
  const source = Object.hasOwn(SOURCES, call.source) ? SOURCES[call.source] : undefined;
  const notes = [
    call.role === undefined ? undefined : `as ${visible(call.role)}`,
    call.kind === "choose" ? "a choice" : undefined,
    source,
  ].filter((note) => note !== undefined);
  return (
    <tr>
      <td>
        {visible(call.model)}
        {notes.length > 0 && <span class="quiet"> {notes.join(", ")}</span>}
        {call.error !== undefined && <pre class="error-text">{visible(call.error)}</pre>}
      </td>
      <td class="number">{used === undefined ? "–" : count(used.input)}</td>
      <td class="number">{used === undefined ? "–" : count(used.output)}</td>
      <td class="number">{costOf(call)}</td>
      <td class="number">{call.source === "model" ? duration(call.took) : "–"}</td>
    </tr>
  );
}

function costOf({ used, source }: ModelCall): string {
  if (used === undefined || source !== "model") return "–";
  return used.cost === undefined ? "not known" : dollars(used.cost);
}
