// Whether a state is shown whole, or only what differs from the one before; the address keeps it.

import type { JSX } from "preact";
import { choose } from "../../../route.ts";

export function DifferenceSwitch({ isOn }: { isOn: boolean }): JSX.Element {
  return (
    <label class="state-switch">
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => choose({ diff: event.currentTarget.checked ? "1" : undefined }, true)}
      />
      only what differs from the one before
    </label>
  );
}
