// Inputs that runs of a graph had before, to begin with one of them.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Json } from "../../api/types.ts";
import { Empty, Time } from "../../parts/basics.tsx";
import { short, visible } from "../../parts/text.ts";
import { graphOf, type ListedRun } from "../runs/merge.ts";
import { useAsked } from "./asked.ts";
import { earlierInputs } from "./body.ts";

/** Runs that are looked at, and inputs that are shown. */
const LOOKED_AT = 200;
const SHOWN = 30;

export function Earlier({
  graph,
  onChosen,
  onClose,
}: {
  graph: string;
  onChosen: (input: Json) => void;
  onClose: () => void;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const runs = useAsked(
    (api, signal) => {
      const order = { sort_by: "created_at", sort_order: "desc" };
      const body = { graph_id: graph, metadata: { graph_id: graph }, limit: LOOKED_AT, ...order };
      return api.post<ListedRun[]>("/runs/search", body, signal);
    },
    [graph],
  ).value;
  const known = runs.state === "answered" ? runs.answer.filter((run) => graphOf(run) === graph) : [];
  const inputs = earlierInputs(known, SHOWN);
  return (
    <dialog ref={dialog} class="earlier" aria-labelledby="earlier-title" onClose={onClose}>
      <h2 id="earlier-title">Earlier inputs of {graph}</h2>
      {runs.state === "asking" && <Empty>Reading …</Empty>}
      {runs.state === "failed" && <p class="problem">{runs.reason}</p>}
      {runs.state === "answered" && inputs.length === 0 && <Empty>No run of this graph had an input.</Empty>}
      <ul>
        {inputs.map(({ input, run }) => (
          <li key={run.run_id}>
            <button type="button" onClick={() => onChosen(input)}>
              <code>{visible(short(JSON.stringify(input), 300))}</code>
              <span class="quiet">
                <Time at={run.created_at} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      <p class="row">
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </p>
    </dialog>
  );
}
