// Sums of calls, a row for each node, model or run.

import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { duration } from "../../../parts/basics.tsx";
import { count } from "../../../parts/text.ts";
import { costText, type Group, unknownCost } from "../../../run/meters.ts";

export interface Row extends Group {
  name: string;
  more?: string;
}

const COLUMNS = ["Calls", "In", "Out", "Cached", "Cost", "Mean", "95 %", "Slowest"];

export interface MeterTableProps {
  title: string;
  /** What a row is of. */
  of: string;
  rows: readonly Row[];
  onTask: (id: string) => void;
}

export function MeterTable({ title, of, rows, onTask }: MeterTableProps): JSX.Element {
  const id = useId();
  const all = rows.reduce((sum, row) => sum + tokens(row), 0);
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <div class="scrolls" tabIndex={0} role="group" aria-labelledby={id}>
        <table class="meter-table">
          <thead>
            <tr>
              <th scope="col">{of}</th>
              {COLUMNS.map((column) => (
                <th key={column} scope="col" class="number">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <MeterRow key={row.key} row={row} share={all === 0 ? 0 : tokens(row) / all} onTask={onTask} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function tokens({ sum }: Group): number {
  return sum.input + sum.output;
}

function MeterRow({ row, share, onTask }: { row: Row; share: number; onTask: (id: string) => void }): JSX.Element {
  const { sum, latency } = row;
  const failed = sum.failed === 0 ? "" : `${count(sum.failed)} failed`;
  const reused = sum.reused === 0 ? "" : `${count(sum.reused)} used again`;
  const more = [row.more, failed, reused].filter((part) => part !== undefined && part !== "").join(", ");
  return (
    <tr>
      <th scope="row">
        <span class="meter-name">{row.name}</span>
        {more !== "" && <span class="quiet"> {more}</span>}
        <span class="meter-share" aria-hidden="true">
          <span style={{ width: `${share * 100}%` }} />
        </span>
      </th>
      <td class="number">{count(sum.calls)}</td>
      <td class="number">{count(sum.input)}</td>
      <td class="number">{count(sum.output)}</td>
      <td class="number">{sum.cached === 0 ? "–" : count(sum.cached)}</td>
      <td class="number" title={unknownCost(sum)}>
        {costText(sum)}
      </td>
      <td class="number">{latency === undefined ? "–" : duration(latency.mean)}</td>
      <td class="number">{latency === undefined ? "–" : duration(latency.p95)}</td>
      <td class="number">
        {latency === undefined ? (
          "–"
        ) : (
          <button
            type="button"
            class="plain"
            title="Open the task of the slowest call"
            onClick={() => onTask(latency.slowest.task)}
          >
            {duration(latency.slowest.took)}
          </button>
        )}
      </td>
    </tr>
  );
}
