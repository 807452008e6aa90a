// The frame around all views: where one can go, how the server is reached, light or dark, the key.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { lookOnly, streamLink } from "./connection.ts";
import { Empty } from "./parts/basics.tsx";
import { KeyButton } from "./parts/key.tsx";
import { LookOnly } from "./parts/look-only.tsx";
import { link, route } from "./route.ts";
import { type Theme, theme } from "./theme.ts";
import { ArchivePage } from "./views/archive.tsx";
import { Assistants } from "./views/assistants.tsx";
import { Inbox } from "./views/inbox.tsx";
import { Runs } from "./views/runs.tsx";
import { Schedules } from "./views/schedules.tsx";
import { Start } from "./views/start.tsx";
import { Store } from "./views/store.tsx";
import { ThreadPage } from "./views/thread/index.tsx";

const PLACES: [path: string, name: string][] = [
  ["runs", "Runs"],
  ["inbox", "Questions"],
  ["start", "Start"],
  ["assistants", "Assistants"],
  ["store", "Store"],
  ["schedules", "Schedules"],
  ["file", "Open a file"],
];

function View(): JSX.Element {
  const [place, id] = route.value.path;
  switch (place) {
    case undefined:
    case "runs":
      return <Runs />;
    case "inbox":
      return <Inbox />;
    case "start":
      return <Start graph={id} />;
    case "assistants":
      return <Assistants id={id} />;
    case "store":
      return <Store />;
    case "schedules":
      return <Schedules id={id} />;
    case "file":
      return <ArchivePage thread={route.value.path[2]} />;
    case "threads":
      // Another thread is another page: nothing of the one before stays.
      if (id !== undefined) return <ThreadPage key={id} thread={id} />;
  }
  return (
    <Empty>
      There is no view of this name. <a href={link(["runs"])}>All runs</a>
    </Empty>
  );
}

export function App(): JSX.Element {
  const main = useRef<HTMLElement>(null);
  const here = route.value.path[0] ?? "runs";
  const shown = route.value.path.join("/");
  // On a narrow screen the menu is folded, and folded again once it has led somewhere.
  const [isMenuOpen, openMenu] = useState(false);
  useEffect(() => openMenu(false), [shown]);
  // Whoever goes to another view by keyboard or hears the page starts at its beginning.
  useEffect(() => main.current?.focus({ preventScroll: true }), [shown]);
  return (
    <div class="frame">
      <header>
        <a class="skip" href={`#${location.hash.slice(1)}`} onClick={(event) => (event.preventDefault(), main.current?.focus())}>
          To the content
        </a>
        <a class="brand" href={link(["runs"])}>
          Graphloom
        </a>
        <LinkMark />
        <button
          type="button"
          class="menu-button"
          aria-expanded={isMenuOpen}
          aria-controls="menu"
          onClick={() => openMenu(!isMenuOpen)}
        >
          Menu
        </button>
        <div id="menu" class={isMenuOpen ? "menu is-open" : "menu"}>
          <nav aria-label="Views">
            {PLACES.filter(([path]) => !(lookOnly.value && path === "start")).map(([path, name]) => (
              <a key={path} href={link([path])} aria-current={path === here ? "page" : undefined}>
                {name}
              </a>
            ))}
          </nav>
          <ThemeChoice />
          <LookOnly />
          <KeyButton />
        </div>
      </header>
      <main ref={main} tabIndex={-1}>
        <Untold />
        <View />
      </main>
    </div>
  );
}

/** How the stream of this view stands: a lost server is a mark, and the page stays. */
function LinkMark(): JSX.Element | null {
  const link = streamLink.value;
  const words = {
    connecting: "connecting …",
    live: "live",
    lost: "connection lost; trying again",
    untold: "not live",
  };
  return (
    <span class="link-mark" role="status" aria-live="polite">
      {link && (
        <span
          class={`badge is-${link.state === "live" ? "done" : link.state === "lost" ? "failed" : "waiting"}`}
          title={"reason" in link ? link.reason : undefined}
        >
          {words[link.state]}
        </span>
      )}
    </span>
  );
}

/** That nothing here is read again by itself, where the server does not tell what changes. */
function Untold(): JSX.Element | null {
  const link = streamLink.value;
  if (link?.state !== "untold") return null;
  return (
    <p class="notice" role="status">
      {link.reason} What is shown here is as it was when it was read.
    </p>
  );
}

function ThemeChoice(): JSX.Element {
  return (
    <label>
      <span class="hidden">Colours</span>
      <select value={theme.value} onChange={(event) => (theme.value = event.currentTarget.value as Theme)}>
        <option value="system">system</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
    </label>
  );
}
