// What is left of the budget: a bar with numbers for each limit.

import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { duration } from "../../../parts/basics.tsx";
import { dollars } from "../../../parts/money.ts";
import { count, visible } from "../../../parts/text.ts";
import type { BudgetUse } from "../../../run/model.ts";

/** What units are called, and how amounts of them are written. */
const UNITS: Record<string, [string, (amount: number) => string]> = {
  calls: ["Calls", count],
  tokens: ["Tokens", count],
  usd_micros: ["Cost", dollars],
  millis: ["Time", duration],
};

export function Budget({ budget }: { budget: readonly BudgetUse[] }): JSX.Element | null {
  const id = useId();
  if (budget.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>Left of the budget</h3>
      <ul class="budget">
        {budget.map((use) => (
          <Limit key={use.unit} use={use} />
        ))}
      </ul>
      <p class="quiet">As of the newest call. The budget is that of the program: all its runs share it.</p>
    </section>
  );
}

function Limit({ use: { unit, spent, limit } }: { use: BudgetUse }): JSX.Element {
  const [name, written] = (Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined) ?? [visible(unit), count];
  const share = limit === 0 ? 1 : Math.min(1, spent / limit);
  const left = `${written(Math.max(0, limit - spent))} left`;
  const of = `${written(spent)} of ${written(limit)} spent`;
  return (
    <li>
      <span class="budget-name">{name}</span>
      <span
        class={`budget-bar${share >= 1 ? " is-spent" : share >= 0.8 ? " is-low" : ""}`}
        role="meter"
        aria-label={`${name} of the budget`}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(spent, limit)}
        aria-valuetext={`${left}, ${of}`}
      >
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <strong>{left}</strong>
      <span class="quiet">{of}</span>
    </li>
  );
}
