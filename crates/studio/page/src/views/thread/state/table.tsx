// A list of flat objects as a table, in the order of a column. Only the rows that are seen are in the page.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Json } from "../../../api/types.ts";
import { isObject } from "../../../parts/json-values.ts";
import { counted, short, visible } from "../../../parts/text.ts";
import { windowOf } from "../../../parts/virtual-window.ts";
import { columnsOf, order } from "./kinds.ts";

const ROW_HEIGHT = 30;
const HEIGHT = 420;

export function Table({ value, label }: { value: readonly Json[]; label: string }): JSX.Element {
  const [by, sortBy] = useState<{ column: string; down: boolean }>();
  const [top, setTop] = useState(0);
  const columns = useMemo(() => columnsOf(value), [value]);
  const rows = useMemo(() => {
    return by === undefined ? value.map((_, at) => at) : order(value, by.column, by.down);
  }, [value, by]);
  const { start, end } = windowOf(rows.length, ROW_HEIGHT, top, HEIGHT);
  // Up, down, and as it was.
  const turn = (column: string) =>
    sortBy(by?.column !== column ? { column, down: false } : by.down ? undefined : { column, down: true });
  return (
    <div
      class="state-table"
      tabIndex={0}
      role="group"
      aria-label={`${label}, ${counted(rows.length, "row")}`}
      style={{ maxHeight: `${HEIGHT}px` }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">#</th>
            {columns.map((column) => {
              const here = by?.column === column ? by : undefined;
              const sort = here === undefined ? "none" : here.down ? "descending" : "ascending";
              return (
                <th key={column} scope="col" aria-sort={sort}>
                  <button type="button" class="plain" onClick={() => turn(column)}>
                    {visible(short(column, 60))}
                    <span aria-hidden="true">{here === undefined ? "" : here.down ? " ▼" : " ▲"}</span>
                  </button>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {start > 0 && <Space rows={start} />}
          {rows.slice(start, end).map((row, at) => (
            <tr key={row} aria-rowindex={start + at + 2} style={{ height: `${ROW_HEIGHT}px` }}>
              <td class="quiet">{row}</td>
              {columns.map((column) => (
                <Cell key={column} row={value[row]} column={column} />
              ))}
            </tr>
          ))}
          {end < rows.length && <Space rows={rows.length - end} />}
        </tbody>
      </table>
    </div>
  );
}

/** The place of rows that are not in the page. */
function Space({ rows }: { rows: number }): JSX.Element {
  return <tr aria-hidden="true" class="state-table-space" style={{ height: `${rows * ROW_HEIGHT}px` }} />;
}

function Cell({ row, column }: { row: Json | undefined; column: string }): JSX.Element {
  const value = isObject(row) && Object.hasOwn(row, column) ? row[column] : undefined;
  if (value === undefined) return <td />;
  if (typeof value === "string") {
    const text = visible(short(value.replaceAll("\n", " "), 200));
    return <td title={value.length > 40 ? visible(short(value, 2000)) : undefined}>{text}</td>;
  }
  if (typeof value === "number") return <td class="to-right">{String(value)}</td>;
  const isInner = typeof value === "object" && value !== null;
  return <td class="json-word">{isInner ? visible(short(JSON.stringify(value), 60)) : String(value)}</td>;
}
