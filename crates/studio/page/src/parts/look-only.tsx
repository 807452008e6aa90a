// The switch with which nothing can be changed by mistake. It stays in this tab.

import type { JSX } from "preact";
import { api, lookOnly, setLookOnly } from "../connection.ts";

export function LookOnly(): JSX.Element | null {
  // In a saved export nothing can be changed anyway.
  if (api.value.isSaved) return null;
  return (
    <label class="row look-only" title="No control is shown that changes something">
      <input
        type="checkbox"
        role="switch"
        checked={lookOnly.value}
        onChange={(event) => setLookOnly(event.currentTarget.checked)}
      />
      Look only
    </label>
  );
}
