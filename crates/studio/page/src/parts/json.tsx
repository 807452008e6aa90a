// A JSON value as a tree that is opened part by part. Only what is open is on the page.

import { signal, useComputed } from "@preact/signals";
import { createContext, type JSX } from "preact";
import { useContext, useMemo, useRef, useState } from "preact/hooks";
import type { Json } from "../api/types.ts";
import { Copy, copy } from "./copy.tsx";
import { below, isLong, isRounded, isSmall, LONG, type Node, opens, quoted, size, summary } from "./json-nodes.ts";
import { LongText } from "./long-text.tsx";
import { count, counted, short, visible } from "./text.ts";

/** A value with fewer parts is open from the start. */
const SMALL = 40;

/** What every part of a tree shares: which parts were opened or closed by hand, and which the Tab key reaches. */
class Shared {
  readonly turned = signal<ReadonlyMap<string, boolean>>(new Map());
  readonly reached = signal("");

  turn(path: string, open: boolean): void {
    this.turned.value = new Map(this.turned.peek()).set(path, open);
    // What is no longer there cannot be reached.
    if (!open && this.reached.peek().startsWith(`${path}/`)) this.reached.value = path;
  }
}

const Tree = createContext(new Shared());

export function JsonTree({ value, label }: { value: Json; label: string }): JSX.Element {
  const shared = useMemo(() => new Shared(), []);
  const [said, say] = useState("");
  const root = useRef<HTMLUListElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const item = (event.target as Element).closest<HTMLElement>("[role=treeitem]");
    if (item === null || root.current === null || event.altKey) return;
    if ((event.ctrlKey || event.metaKey) && event.key === "c" && getSelection()?.isCollapsed !== false) {
      void copy(written(at(value, item.dataset.keys ?? "[]"))).then((done) => say(done ? "Copied" : "Not copied"));
      return;
    }
    if (event.ctrlKey || event.metaKey || event.target !== item) return;
    const items = [...root.current.querySelectorAll<HTMLElement>("[role=treeitem]")];
    const here = items.indexOf(item);
    const isOpen = item.getAttribute("aria-expanded");
    const path = item.dataset.path ?? "";
    // Each part is the first child of its list item, and what is below it comes after.
    const above = () => item.parentElement?.parentElement?.closest("li")?.firstElementChild;
    const focus = (element: Element | null | undefined) => element instanceof HTMLElement && element.focus();
    switch (event.key) {
      case "ArrowDown":
        items[here + 1]?.focus();
        break;
      case "ArrowUp":
        items[here - 1]?.focus();
        break;
      case "Home":
        items[0]?.focus();
        break;
      case "End":
        items.at(-1)?.focus();
        break;
      case "ArrowRight":
        if (isOpen === "false") shared.turn(path, true);
        else if (isOpen === "true") focus(item.parentElement?.querySelector(":scope > ul [role=treeitem]"));
        break;
      case "ArrowLeft":
        if (isOpen === "true") shared.turn(path, false);
        else focus(above());
        break;
      case "Enter":
      case " ":
        if (isOpen !== null) shared.turn(path, isOpen === "false");
        break;
      default:
        return;
    }
    event.preventDefault();
  };
  return (
    <div class="json">
      <div class="json-tools">
        <Copy text={() => written(value)} />
        <span role="status" aria-live="polite" class="hidden">
          {said}
        </span>
      </div>
      <Tree.Provider value={shared}>
        <ul ref={root} role="tree" aria-label={label} onKeyDown={onKeyDown}>
          <Item node={undefined} value={value} path="" keys={[]} level={1} place={1} of={1} />
        </ul>
      </Tree.Provider>
    </div>
  );
}

/** A value as it is copied: a text as it is, anything else as JSON. */
function written(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** The value at a path of keys, written as JSON. */
function at(value: Json, keys: string): Json {
  const step = (of: Json, key: string): Json =>
    typeof of === "object" && of !== null ? ((of as { [key: string]: Json })[key] ?? null) : null;
  return (JSON.parse(keys) as string[]).reduce(step, value);
}

function Item({
  node,
  value,
  path,
  keys,
  level,
  place,
  of,
}: {
  /** None for the whole value. */
  node: Node | undefined;
  /** The value of the part, or that of which it is a page. */
  value: Json;
  path: string;
  keys: readonly string[];
  level: number;
  /** Its place among those beside it, from 1, and how many they are. */
  place: number;
  of: number;
}): JSX.Element {
  const shared = useContext(Tree);
  const page = node?.is === "page" ? node : undefined;
  const canOpen = page !== undefined || opens(value);
  const byItself = page === undefined && typeof value !== "string" && (level === 1 || isSmall(value, SMALL));
  const turned = useComputed(() => shared.turned.value.get(path)).value;
  const isReached = useComputed(() => shared.reached.value === path).value;
  const isOpen = canOpen && (turned ?? byItself);
  const turn = () => {
    if (canOpen) shared.turn(path, !isOpen);
  };
  const parts = isOpen && typeof value !== "string" ? below(value, page) : [];
  return (
    <li role="none">
      <div
        role="treeitem"
        aria-expanded={canOpen ? isOpen : undefined}
        aria-level={level}
        aria-posinset={place}
        aria-setsize={of}
        tabIndex={isReached ? 0 : -1}
        data-path={path}
        data-keys={JSON.stringify(keys)}
        class={canOpen ? "json-part opens" : "json-part"}
        onFocus={() => (shared.reached.value = path)}
      >
        <div class="json-line" onClick={turn}>
          <span class="json-mark" aria-hidden="true">
            {canOpen ? (isOpen ? "▾" : "▸") : ""}
          </span>
          <span class="json-words">
            {node?.is === "part" && (
              <>
                <span class={node.place ? "json-place" : "json-key"}>{node.place ? node.key : named(node.key)}</span>
                <span class="json-colon">: </span>
              </>
            )}
            {page ? <Range of={page} value={value} /> : <Value value={value} isOpen={isOpen} />}
          </span>
        </div>
        {isOpen && typeof value === "string" && (
          <div class="json-text">
            <LongText text={value} />
          </div>
        )}
      </div>
      {parts.length > 0 && (
        <ul role="none">
          {parts.map((inner, at) => (
            <Item
              key={inner.key}
              node={inner}
              value={inner.is === "part" ? inner.value : value}
              path={`${path}/${inner.key.replaceAll("/", "//")}`}
              keys={inner.is === "part" ? [...keys, inner.key] : keys}
              level={level + 1}
              place={at + 1}
              of={parts.length}
            />
          ))}
        </ul>
      )}
    </li>
  );
}

/** A key as it is, and in quotes where it is no plain word. */
function named(key: string): string {
  return /^[\p{L}\p{N}_$.-]{1,80}$/u.test(key) ? key : quoted(short(key, 80));
}

function Range({ of, value }: { of: { first: number; last: number }; value: Json }): JSX.Element {
  const kind = Array.isArray(value) ? "items" : "fields";
  return (
    <span class="quiet">
      {kind} {count(of.first)} to {count(of.last)}
    </span>
  );
}

function Value({ value, isOpen }: { value: Json; isOpen: boolean }): JSX.Element {
  if (typeof value === "string") {
    if (!isLong(value)) return <span class="json-string">{summary(value)}</span>;
    return (
      <>
        {!isOpen && <span class="json-string">{quoted(short(firstLine(value), LONG))} </span>}
        <span class="quiet">text of {counted(value.length, "character")}</span>
      </>
    );
  }
  if (typeof value === "number") {
    if (!isRounded(value)) return <span class="json-number">{String(value)}</span>;
    return (
      <span class="json-number" title="It has more digits than a browser keeps: the last ones may be others.">
        ≈ {String(value)}
      </span>
    );
  }
  if (typeof value === "boolean" || value === null) return <span class="json-word">{String(value)}</span>;
  if (size(value) === 0 || isOpen) return <span class="quiet">{summary(value)}</span>;
  return (
    <>
      <span class="quiet">{summary(value)}</span>
      <span class="json-glance"> {glance(value)}</span>
    </>
  );
}

function firstLine(text: string): string {
  const end = text.indexOf("\n");
  return end < 0 ? text : text.slice(0, end);
}

/** The first small parts of a value that is closed. */
function glance(value: Json): string {
  const parts: string[] = [];
  for (const node of below(value).slice(0, 4)) {
    if (node.is === "page" || (typeof node.value === "object" && size(node.value) > 0)) continue;
    const text = summary(typeof node.value === "string" ? firstLine(node.value) : node.value, 24);
    parts.push(node.place ? text : `${visible(short(node.key, 24))}: ${text}`);
  }
  return parts.join(", ");
}
