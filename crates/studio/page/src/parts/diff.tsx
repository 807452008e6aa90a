// The difference of two values: what came and went, and what stayed only where it is asked for.

import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { Json } from "../api/types.ts";
import type { Change, Item, TextPart } from "./diff.ts";
import { tally } from "./diff.ts";
import { isLong, size, summary } from "./json-nodes.ts";
import { JsonTree } from "./json.tsx";
import { LongText } from "./long-text.tsx";
import { count, counted, short, visible } from "./text.ts";

type Sign = "same" | "added" | "removed" | "changed";
const SIGNS: Record<Sign, string> = { same: " ", added: "+", removed: "−", changed: "~" };

/** Parts at most of a list or an object that are shown without being asked for. */
const FIRST = 100;
/** What is left of a part of a text that did not change. */
const AROUND = 80;

export function Diff({ change, name }: { change: Change; name?: string }): JSX.Element {
  return <div class="diff">{part(change, name)}</div>;
}

/** What a difference is in figures: `2 added, 1 changed`. */
export function inFigures(change: Change): string {
  const { added, removed, changed } = tally(change);
  const words: [number, string][] = [
    [added, "added"],
    [removed, "removed"],
    [changed, "changed"],
  ];
  const told = words.filter(([number]) => number > 0).map(([number, word]) => `${count(number)} ${word}`);
  return told.join(", ") || "unchanged";
}

export interface LineProps {
  sign: Sign;
  name?: string | undefined;
  children: ComponentChildren;
}

/** A line of a difference, with its sign. */
export function DiffLine({ sign, name, children }: LineProps): JSX.Element {
  return (
    <div class={`diff-line is-${sign}`}>
      <span class="diff-sign" aria-hidden="true">
        {SIGNS[sign]}
      </span>
      <div class="diff-words">
        {sign !== "same" && <span class="hidden">{sign}: </span>}
        {name !== undefined && <span class="json-key">{visible(short(name, 80))}: </span>}
        {children}
      </div>
    </div>
  );
}

function part(change: Change, name: string | undefined): JSX.Element {
  switch (change.is) {
    case "same":
      return (
        <DiffLine sign="same" name={name}>
          <span class="quiet">unchanged</span>
        </DiffLine>
      );
    case "added":
    case "removed":
      return (
        <DiffLine sign={change.is} name={name}>
          <Whole value={change.value} label={name ?? change.is} />
        </DiffLine>
      );
    case "changed":
      return (
        <>
          <DiffLine sign="removed" name={name}>
            <Whole value={change.before} label={`${name ?? "value"} before`} />
          </DiffLine>
          <DiffLine sign="added" name={name}>
            <Whole value={change.after} label={`${name ?? "value"} after`} />
          </DiffLine>
        </>
      );
    case "text":
      return (
        <DiffLine sign="changed" name={name}>
          <pre class="diff-text">
            {change.parts.map((piece, at) => (
              <Piece key={at} of={piece} first={at === 0} last={at === change.parts.length - 1} />
            ))}
          </pre>
        </DiffLine>
      );
    case "object": {
      const differ = change.fields.filter((field) => field.change.is !== "same");
      const same = change.fields.flatMap((field): [string, Json][] =>
        field.change.is === "same" ? [[field.key, field.change.value]] : [],
      );
      return (
        <Inside name={name} after="{ … }">
          <Some of={differ} render={(field) => part(field.change, field.key)} />
          {same.length > 0 && (
            <Folded words={counted(same.length, "unchanged field")} value={Object.fromEntries(same)} />
          )}
        </Inside>
      );
    }
    case "array":
      return (
        <Inside name={name} after={change.appended > 0 ? `[ … ] ${count(change.appended)} put at the end` : "[ … ]"}>
          <Some of={change.items} render={item} />
        </Inside>
      );
  }
}

function item(of: Item): JSX.Element {
  if (of.is === "run") return <Folded words={counted(of.length, "unchanged item")} value={of.values} />;
  const place = of.after ?? of.before;
  return part(of.change, place === undefined ? undefined : String(place));
}

interface InsideProps {
  name: string | undefined;
  after: string;
  children: ComponentChildren;
}

function Inside({ name, after, children }: InsideProps): JSX.Element {
  if (name === undefined) return <>{children}</>;
  return (
    <>
      <DiffLine sign="changed" name={name}>
        <span class="quiet">{after}</span>
      </DiffLine>
      <div class="diff-inside">{children}</div>
    </>
  );
}

/** The first hundred, and the rest where it is asked for. */
function Some<T>({ of, render }: { of: readonly T[]; render: (one: T) => JSX.Element }): JSX.Element {
  const [shown, show] = useState(FIRST);
  return (
    <>
      {of.slice(0, shown).map((one, at) => (
        <div key={at}>{render(one)}</div>
      ))}
      {of.length > shown && (
        <button type="button" onClick={() => show(shown + 5 * FIRST)}>
          Show more ({count(of.length - shown)} are left)
        </button>
      )}
    </>
  );
}

/** What did not change. */
function Folded({ words, value }: { words: string; value: Json }): JSX.Element {
  const [isOpen, open] = useState(false);
  return (
    <DiffLine sign="same">
      <button type="button" class="plain quiet" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
        {isOpen ? "▾" : "▸"} {words}
      </button>
      {isOpen && <JsonTree value={value} label={words} />}
    </DiffLine>
  );
}

function Whole({ value, label }: { value: Json; label: string }): JSX.Element {
  if (typeof value === "string" && isLong(value)) return <LongText text={value} />;
  if (size(value) > 0) return <JsonTree value={value} label={label} />;
  return <span>{summary(value)}</span>;
}

/** A part of a text; of a long one that did not change, only what is beside a change. */
function Piece({ of, first, last }: { of: TextPart; first: boolean; last: boolean }): JSX.Element {
  const { is, text } = of;
  if (is === "added") return <ins>{visible(text)}</ins>;
  if (is === "removed") return <del>{visible(text)}</del>;
  if (text.length <= 3 * AROUND) return <span>{visible(text)}</span>;
  const left = text.length - (first ? 0 : AROUND) - (last ? 0 : AROUND);
  return (
    <span>
      {!first && visible(text.slice(0, AROUND))}
      <span class="diff-left-out"> … {count(left)} characters … </span>
      {!last && visible(text.slice(-AROUND))}
    </span>
  );
}
