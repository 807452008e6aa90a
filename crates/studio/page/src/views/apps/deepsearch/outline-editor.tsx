// The rows of an outline as fields: added, taken away, moved, renamed.

import type { JSX } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { visible } from "../../../parts/text.ts";
import { added, built, changed, moved, type OutlineDraft, removed, type Row } from "./outline.ts";

export interface OutlineEditorProps {
  draft: OutlineDraft;
  /** Whether sections can build on others. */
  hasParents: boolean;
  missing: ReadonlyMap<string, string>;
  onChange: (draft: OutlineDraft) => void;
}

export function OutlineEditor({ draft, hasParents, missing, onChange }: OutlineEditorProps): JSX.Element {
  const id = useId();
  const list = useRef<HTMLOListElement>(null);
  const adder = useRef<HTMLButtonElement>(null);
  const focusNext = useRef<string>(undefined);
  // A late effect of an earlier rendering would take the key before its row is there.
  useLayoutEffect(() => {
    const key = focusNext.current;
    focusNext.current = undefined;
    if (key === undefined) return;
    const field = list.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"] input`);
    (field ?? adder.current)?.focus();
  });
  const remove = (row: Row, at: number) => {
    focusNext.current = (draft.rows[at + 1] ?? draft.rows[at - 1])?.key ?? "";
    onChange(removed(draft, row.key));
  };
  return (
    <div class="outline">
      <div class="field">
        <label for={id}>Title of the report</label>
        <input
          id={id}
          value={draft.title}
          aria-invalid={missing.has("title")}
          onInput={(event) => onChange({ ...draft, title: event.currentTarget.value })}
        />
        <Missing of={missing.get("title") ?? missing.get("rows")} />
      </div>
      <ol ref={list} class="outline-rows" aria-label="Sections">
        {draft.rows.map((row, at) => (
          <li key={row.key} class="outline-row" data-row={row.key}>
            <span class="outline-number" aria-hidden="true">
              {at + 1}
            </span>
            <RowFields row={row} at={at} draft={draft} {...{ hasParents, missing, onChange }} />
            <div class="outline-buttons" role="group" aria-label={`Section ${at + 1}`}>
              <Press
                sign="↑"
                does={`Move section ${at + 1} up`}
                isOff={at === 0}
                on={() => onChange(moved(draft, row.key, -1))}
              />
              <Press
                sign="↓"
                does={`Move section ${at + 1} down`}
                isOff={at === draft.rows.length - 1}
                on={() => onChange(moved(draft, row.key, 1))}
              />
              <Press sign="✕" does={`Take section ${at + 1} away`} isOff={false} on={() => remove(row, at)} />
            </div>
          </li>
        ))}
      </ol>
      <button
        ref={adder}
        type="button"
        onClick={() => {
          const more = added(draft);
          focusNext.current = more.rows.at(-1)?.key;
          onChange(more);
        }}
      >
        Add a section
      </button>
    </div>
  );
}

function Press({ sign, does, isOff, on }: { sign: string; does: string; isOff: boolean; on: () => void }): JSX.Element {
  // What is disabled loses the focus: a section that has come to an end keeps its button.
  return (
    <button
      type="button"
      class="plain"
      title={does}
      aria-label={does}
      aria-disabled={isOff}
      onClick={() => {
        if (!isOff) on();
      }}
    >
      {sign}
    </button>
  );
}

interface RowProps extends OutlineEditorProps {
  row: Row;
  at: number;
}

function RowFields({ row, at, draft, hasParents, missing, onChange }: RowProps): JSX.Element {
  const id = useId();
  const noTitle = missing.get(`${row.key} title`);
  const noDescription = missing.get(`${row.key} description`);
  return (
    <div class="outline-fields">
      <input
        value={row.title}
        aria-label={`Title of section ${at + 1}`}
        placeholder="Title"
        aria-invalid={noTitle !== undefined}
        onInput={(event) => onChange(changed(draft, row.key, { title: event.currentTarget.value }))}
        onKeyDown={(event) => {
          // A line break has no place in a title, and the form is not to be sent by it.
          if (event.key === "Enter") event.preventDefault();
        }}
      />
      <Missing of={noTitle} />
      <textarea
        rows={Math.min(6, Math.max(2, Math.ceil(row.description.length / 70)))}
        value={row.description}
        aria-label={`What section ${at + 1} is about`}
        placeholder="What it is about"
        aria-invalid={noDescription !== undefined}
        onInput={(event) => onChange(changed(draft, row.key, { description: event.currentTarget.value }))}
      />
      <Missing of={noDescription} />
      <div class="row outline-more">
        <label class="row">
          <input
            type="checkbox"
            checked={row.isCore}
            onChange={(event) => onChange(changed(draft, row.key, { isCore: event.currentTarget.checked }))}
          />
          core of the report
        </label>
        {hasParents && at > 0 && (
          <span id={id} role="group" aria-label={`Section ${at + 1} builds on`} class="row">
            <span class="quiet">builds on</span>
            {draft.rows.slice(0, at).map((other, number) => (
              <label key={other.key} class="row" title={visible(other.title)}>
                <input
                  type="checkbox"
                  checked={row.parents.includes(other.id)}
                  onChange={(event) => {
                    onChange(changed(draft, row.key, built(row, other.id, event.currentTarget.checked)));
                  }}
                />
                {number + 1}
              </label>
            ))}
          </span>
        )}
      </div>
    </div>
  );
}

function Missing({ of }: { of: string | undefined }): JSX.Element | null {
  return of === undefined ? null : <p class="field-problem">{of}</p>;
}
