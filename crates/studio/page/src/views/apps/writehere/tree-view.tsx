// The tree of tasks as a list of rows, of which only those that are seen are in the page.

import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { duration } from "../../../parts/basics.tsx";
import { visible } from "../../../parts/text.ts";
import { rowFor, scrollFor, windowOf } from "../../../parts/virtual-window.ts";
import type { Task } from "../../../run/model.ts";
import type { Chosen } from "./chosen.ts";
import { outerOf, type Row, rowKey, rowsOf, standingOf, tasksOf, workedOn } from "./rows.ts";
import type { Writing } from "./state.ts";
import { TypeSign } from "./type-sign.tsx";

const ROW_HEIGHT = 52;

export interface TreeViewProps {
  writing: Writing;
  works: ReadonlyMap<string, Task[]>;
  goesOn: boolean;
  /** When the last event was told. */
  time: number;
  chosen: Chosen;
}

export function TreeView({ writing, works, goesOn, time, chosen }: TreeViewProps): JSX.Element {
  const { nodes } = writing;
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState("root");
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(400);
  const box = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => rowsOf(nodes, closed), [nodes, closed]);
  const open = chosen.part === undefined ? undefined : rowKey(nodes, chosen.part);
  const at = Math.max(0, rows.findIndex((row) => row.key === active));
  const { start, end } = windowOf(rows.length, ROW_HEIGHT, top, height);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const reveal = (index: number) => {
    const scroll = scrollFor(index, ROW_HEIGHT, box.current?.scrollTop ?? 0, height);
    if (scroll !== undefined && box.current !== null) box.current.scrollTop = scroll;
  };
  // What is chosen elsewhere is shown here.
  useLayoutEffect(() => {
    const index = rows.findIndex((row) => row.key === open);
    if (open === undefined || index < 0) return;
    setActive(open);
    reveal(index);
  }, [open]);

  const go = (index: number) => {
    const row = rows[index];
    if (row === undefined) return;
    setActive(row.key);
    reveal(index);
  };
  const fold = (row: Row, shut: boolean) => {
    setClosed((before) => new Set(shut ? [...before, row.key] : [...before].filter((key) => key !== row.key)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const row = rows[at];
    if (row === undefined) return;
    const to = rowFor(event.key, at, rows.length, Math.max(1, Math.floor(height / ROW_HEIGHT) - 1));
    const outer = rows.findIndex((one) => one.key === outerOf(row.key));
    if (to !== undefined) go(to);
    else if (event.key === "Enter" || event.key === " ") chosen.openPart(row.key);
    else if (event.key === "ArrowRight" && row.open === false) fold(row, false);
    else if (event.key === "ArrowRight" && row.open === true) go(at + 1);
    else if (event.key === "ArrowLeft" && row.open === true) fold(row, true);
    else if (event.key === "ArrowLeft" && outer >= 0) go(outer);
    else return;
    event.preventDefault();
  };
  const onClick = (event: MouseEvent) => {
    const target = event.target instanceof Element ? event.target : null;
    const row = rows[Number(target?.closest("[data-index]")?.getAttribute("data-index") ?? -1)];
    if (row === undefined) return;
    setActive(row.key);
    if (target?.closest("[data-fold]") && row.open !== undefined) fold(row, row.open);
    else chosen.openPart(row.key);
  };
  return (
    <div
      ref={box}
      id="wh-tree"
      class="wh-tree"
      role="tree"
      tabIndex={0}
      aria-label="Tasks: the arrow keys go from one to the next and open what is inside, Enter shows one"
      aria-activedescendant={at >= start && at < end ? `wh-row-${rows[at]?.key}` : undefined}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div role="presentation" class="wh-rows" style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
        {rows.slice(start, end).map((row, index) => (
          <TreeRow
            key={row.key}
            {...{ row, works, goesOn, time }}
            index={start + index}
            isActive={start + index === at}
            isOpen={row.key === open}
          />
        ))}
      </div>
    </div>
  );
}

interface TreeRowProps {
  row: Row;
  works: ReadonlyMap<string, Task[]>;
  goesOn: boolean;
  time: number;
  index: number;
  isActive: boolean;
  isOpen: boolean;
}

function TreeRow({ row, works, goesOn, time, index, isActive, isOpen }: TreeRowProps): JSX.Element {
  const { key, node, execution, depth, place, beside, open } = row;
  const tasks = tasksOf(works, row);
  const { status, words } = standingOf(row, tasks, goesOn);
  const worked = workedOn(tasks, time);
  const goal = visible(execution?.goal ?? node.goal);
  const facts = [
    node.type === "write" && node.length !== undefined ? visible(node.length) : undefined,
    node.parents.length > 0 && status !== "done" ? `after ${node.parents.join(", ")}` : undefined,
    worked !== undefined && worked > 0 ? duration(worked) : undefined,
  ].filter((fact) => fact !== undefined);
  const name = key === "root" ? "The text" : `Task ${key}`;
  const said = `${name}: ${node.type}, ${goal}, ${[words, ...facts].join(", ")}`;
  const indent = 0.4 + Math.min(depth, 8) * 0.9;
  return (
    <div
      id={`wh-row-${key}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-posinset={place}
      aria-setsize={beside}
      aria-expanded={open}
      aria-selected={isOpen}
      class={`wh-row${isActive ? " is-active" : ""}${isOpen ? " is-open" : ""}`}
      style={{ top: `${index * ROW_HEIGHT}px`, height: `${ROW_HEIGHT}px`, paddingLeft: `${indent}rem` }}
      data-index={index}
    >
      <span class="hidden">{said}</span>
      <span class="wh-fold" data-fold="true" aria-hidden="true">
        {open === undefined ? "" : open ? "▾" : "▸"}
      </span>
      <TypeSign type={node.type} />
      <span class="wh-words" aria-hidden="true">
        <span class="wh-goal" title={goal}>
          {key !== "root" && <span class="quiet">{key} </span>}
          {goal}
        </span>
        <span class="wh-facts">
          <span class={`badge is-${status}`}>{words}</span>
          {facts.map((fact) => (
            <span key={fact} class="quiet">
              {fact}
            </span>
          ))}
        </span>
      </span>
    </div>
  );
}
