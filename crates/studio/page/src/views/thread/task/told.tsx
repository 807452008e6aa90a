// What a node told while it worked, newest last. Of many, the last ones are shown first.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Time } from "../../../parts/basics.tsx";
import { JsonTree } from "../../../parts/json.tsx";
import { count, visible } from "../../../parts/text.ts";
import type { Told } from "../../../run/model.ts";

const STEP = 50;

export function ToldList({ told }: { told: readonly Told[] }): JSX.Element {
  const shown = useSignal(STEP);
  const first = Math.max(0, told.length - shown.value);
  return (
    <>
      {first > 0 && (
        <button type="button" onClick={() => (shown.value += STEP)}>
          Show earlier ones ({count(first)})
        </button>
      )}
      <ol class="told" start={first + 1}>
        {told.slice(first).map((one) => (
          <li key={one.seq}>
            <span class="quiet">
              <Time at={one.time} />
            </span>{" "}
            {one.name !== undefined && <code>{visible(one.name)}</code>}
            <Payload one={one} />
          </li>
        ))}
      </ol>
    </>
  );
}

function Payload({ one }: { one: Told }): JSX.Element {
  const { payload } = one;
  if (typeof payload !== "object" || payload === null) return <code> {visible(String(payload))}</code>;
  const text = JSON.stringify(payload);
  if (text.length < 100) return <code class="told-line">{visible(text)}</code>;
  return <JsonTree value={payload} label={`Event ${one.name ?? one.seq}`} />;
}
