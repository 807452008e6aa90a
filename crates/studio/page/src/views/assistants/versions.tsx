// The versions of an assistant: what differs between two of them, and which one is used.

import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { Assistant, JsonObject } from "../../api/types.ts";
import { api, readOnly } from "../../connection.ts";
import { Problem, Time } from "../../parts/basics.tsx";
import { VirtualList } from "../../parts/virtual.tsx";
import { choose, route } from "../../route.ts";
import { useDoing } from "../listing/doing.ts";
import { Pages } from "../listing/pages.ts";
import { MoreFailed, NotYet, Standing } from "../listing/standing.tsx";
import { ChangedFields } from "../thread/state/fields.tsx";
import { configOf } from "./body.ts";
import { nameShown } from "./names.ts";

type Version = Omit<Assistant, "updated_at">;

/** Versions that are looked at to compare with. */
const MOST = 1000;

export function Versions({ assistant, onChange }: { assistant: Assistant; onChange: () => void }): JSX.Element {
  const id = assistant.assistant_id;
  const list = useMemo(() => {
    const asked = api.value;
    return new Pages<Version>(
      asked,
      ["assistants"],
      async (limit, offset, signal) => {
        const items = await asked.post<Version[]>(`/assistants/${id}/versions`, { limit, offset }, signal);
        return { items, total: undefined };
      },
      (version) => String(version.version),
    );
  }, [id, api.value]);
  useEffect(() => list.start(), [list]);
  const versions = list.items.value;
  const query = route.value.query;
  useEffect(() => {
    // What the address names may be behind the first page.
    const named = Number(query.get("version"));
    if (versions !== undefined && named > 0 && !versions.some((one) => one.version === named)) void list.loadAll(MOST);
  }, [list, versions === undefined]);
  if (list.refused.value !== undefined || versions === undefined) return <NotYet list={list} />;
  const numbered = (number: number) => versions.find((one) => one.version === number);
  const after = numbered(Number(query.get("version"))) ?? numbered(assistant.version);
  const named = numbered(Number(query.get("with")));
  // Unless the address says otherwise: the version before it, and of the oldest the one in use.
  const others = versions.filter((one) => after !== undefined && one.version !== after.version);
  const before =
    named ??
    others.find((one) => after !== undefined && one.version < after.version) ??
    others.find((one) => one.version === assistant.version) ??
    others[0];
  return (
    <div class="assistant-versions">
      <div class="assistant-versions-list">
        <Standing list={list} one="version" />
        <VirtualList<Version>
          label="Versions, newest first: the arrow keys go from one to the next, Enter shows one"
          items={versions}
          rowHeight={60}
          keyOf={(version) => String(version.version)}
          isOpen={(version) => version.version === after?.version}
          onOpen={(version) => choose({ version: String(version.version) }, true)}
          onNearEnd={() => void list.loadMore()}
          render={(version) => (
            <div class="version-row">
              <div class="row">
                <strong>{version.version}</strong>
                {version.version === assistant.version && <span class="badge is-done">in use</span>}
              </div>
              <div class="version-more quiet">
                <Time at={version.created_at} /> · {nameShown(version)}
              </div>
            </div>
          )}
        />
        <MoreFailed list={list} />
      </div>
      {after !== undefined && (
        <Compared
          key={after.version}
          assistant={assistant}
          after={after}
          before={before}
          versions={versions}
          onChange={onChange}
        />
      )}
    </div>
  );
}

function Compared({
  assistant,
  after,
  before,
  versions,
  onChange,
}: {
  assistant: Assistant;
  after: Version;
  before: Version | undefined;
  versions: readonly Version[];
  onChange: () => void;
}): JSX.Element {
  const doing = useDoing();
  const isUsed = after.version === assistant.version;
  const latest = `/assistants/${assistant.assistant_id}/latest`;
  const use = () => doing.run("latest", () => api.value.post(latest, { version: after.version }), onChange);
  const [left, right] = useMemo(() => [before && partsOf(before), partsOf(after)], [before, after]);
  return (
    <section class="assistant-compared" aria-label={`Version ${after.version}`}>
      <div class="row apart">
        <h2>Version {after.version}</h2>
        {isUsed ? (
          <span class="badge is-done">in use</span>
        ) : (
          !readOnly.value && (
            <button type="button" disabled={doing.at !== undefined} onClick={use}>
              {doing.at === undefined ? "Use this version" : "Changing …"}
            </button>
          )
        )}
      </div>
      {doing.problem !== undefined && <Problem>{doing.problem}</Problem>}
      {before === undefined || left === undefined ? (
        <p class="quiet">It is the only one: there is nothing to compare with.</p>
      ) : (
        <>
          <p class="row">
            <label>
              What differs from version{" "}
              <select value={before.version} onChange={(event) => choose({ with: event.currentTarget.value }, true)}>
                {versions
                  .filter((one) => one.version !== after.version || one.version === before.version)
                  .map((one) => (
                    <option key={one.version} value={one.version}>
                      {one.version}
                      {one.version === assistant.version ? " (in use)" : ""}
                    </option>
                  ))}
              </select>
            </label>
          </p>
          <ChangedFields before={left} after={right} />
        </>
      )}
    </section>
  );
}

/** What can differ between versions. */
function partsOf(version: Version): JsonObject {
  const { name, description, graph_id, context, metadata } = version;
  return { name, description, graph_id, context, configuration: configOf(version), metadata };
}
