// One field of a state: its name, its bytes, and its value in the way that is chosen.

import type { JSX } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import type { Json } from "../../../api/types.ts";
import { Copy } from "../../../parts/copy.tsx";
import type { Change } from "../../../parts/diff.ts";
import { Diff, inFigures } from "../../../parts/diff.tsx";
import { size as parts, summary } from "../../../parts/json-nodes.ts";
import { JsonTree } from "../../../parts/json.tsx";
import { LongText } from "../../../parts/long-text.tsx";
import { Markdown } from "../../../parts/markdown.tsx";
import { bytes, counted, visible } from "../../../parts/text.ts";
import { KIND_NAMES, type Kind, kindsOf } from "./kinds.ts";
import { Messages } from "./messages.tsx";
import { Table } from "./table.tsx";
import { size } from "./use-state.ts";

export function Field({ name, value }: { name: string; value: Json }): JSX.Element {
  const id = useId();
  const kinds = useMemo(() => kindsOf(value), [value]);
  const weight = useMemo(() => size(value), [value]);
  const [chosen, choose] = useState<Kind>();
  const kind = chosen !== undefined && kinds.includes(chosen) ? chosen : (kinds[0] ?? "json");
  return (
    <section class="state-field card" aria-labelledby={id}>
      <div class="state-field-head">
        <h3 id={id}>{visible(name)}</h3>
        <span class="quiet">
          {Array.isArray(value) && `${counted(value.length, "item")} · `}
          {bytes(weight)}
        </span>
        <span class="grow" />
        {kinds.length > 1 && (
          <label>
            <span class="hidden">How {visible(name)} is shown</span>
            <select value={kind} onChange={(event) => choose(event.currentTarget.value as Kind)}>
              {kinds.map((one) => (
                <option key={one} value={one}>
                  {KIND_NAMES[one]}
                </option>
              ))}
            </select>
          </label>
        )}
        {kind !== "json" && <Copy text={() => (typeof value === "string" ? value : JSON.stringify(value, null, 2))} />}
      </div>
      <Value name={name} value={value} kind={kind} />
    </section>
  );
}

function Value({ name, value, kind }: { name: string; value: Json; kind: Kind }): JSX.Element {
  if (kind === "messages" && Array.isArray(value)) return <Messages value={value} />;
  if (kind === "table" && Array.isArray(value)) return <Table value={value} label={visible(name)} />;
  if (typeof value === "string") {
    if (kind === "markdown") return <Markdown text={value} />;
    if (kind === "text") return value === "" ? <p class="quiet">an empty text</p> : <LongText text={value} />;
  }
  if (typeof value !== "string" && parts(value) === 0) return <code>{summary(value)}</code>;
  return <JsonTree value={value} label={visible(name)} />;
}

/** A field of which only what changed is shown. */
export function ChangedField({ name, change }: { name: string; change: Change }): JSX.Element {
  const id = useId();
  return (
    <section class="state-field card" aria-labelledby={id}>
      <div class="state-field-head">
        <h3 id={id}>{visible(name)}</h3>
        <span class="quiet">{inFigures(change)}</span>
      </div>
      <Diff change={change} />
    </section>
  );
}
