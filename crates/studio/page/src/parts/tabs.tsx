// Tabs that are links: the chosen one is in the address.

import type { ComponentChildren, JSX } from "preact";
import { choose } from "../route.ts";

export interface Tab {
  id: string;
  name: string;
}

/** Tabs of a view, and what the chosen one shows. The arrow keys go from tab to tab. */
export function Tabs({
  label,
  tabs,
  chosen,
  query = "tab",
  children,
}: {
  label: string;
  tabs: Tab[];
  chosen: string;
  /** The name of the choice in the address. */
  query?: string;
  children: ComponentChildren;
}): JSX.Element {
  const show = (id: string) => choose({ [query]: id });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const to = tabs[(at + step + tabs.length) % tabs.length];
    if (to === undefined) return;
    event.preventDefault();
    show(to.id);
    document.getElementById(`${query}-${to.id}`)?.focus();
  };
  return (
    <>
      <div role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            id={`${query}-${tab.id}`}
            type="button"
            role="tab"
            aria-selected={tab.id === chosen}
            aria-controls={`${query}-panel`}
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => show(tab.id)}
          >
            {tab.name}
          </button>
        ))}
      </div>
      <div id={`${query}-panel`} role="tabpanel" aria-labelledby={`${query}-${chosen}`} tabIndex={0}>
        {children}
      </div>
    </>
  );
}
