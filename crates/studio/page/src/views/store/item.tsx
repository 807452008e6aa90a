// One item: its value, when it came, and what can be done with it.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, readOnly } from "../../connection.ts";
import { Empty, Problem, Time } from "../../parts/basics.tsx";
import { Copy } from "../../parts/copy.tsx";
import { JsonTree } from "../../parts/json.tsx";
import { visible } from "../../parts/text.ts";
import { choose, route } from "../../route.ts";
import { useDoing } from "../listing/doing.ts";
import { useKept } from "../listing/kept.ts";
import type { Pages } from "../listing/pages.ts";
import { Confirm } from "../thread/confirm.tsx";
import { Fields } from "../thread/state/fields.tsx";
import { ItemForm } from "./form.tsx";
import { idOf, type Item, itemPath } from "./items.ts";
import { MOST } from "./list.ts";
import { isNameable, type Namespace } from "./names.ts";

export function OneItem({
  namespace,
  itemKey,
  listed,
  onChange,
  onDeleted,
}: {
  namespace: Namespace;
  itemKey: string;
  listed: Pages<Item> | undefined;
  onChange: () => void;
  onDeleted: () => void;
}): JSX.Element {
  const canAsk = isNameable(namespace);
  const kept = useKept<Item | null>(
    ["store"],
    (api, signal) => (canAsk ? api.get<Item | null>(itemPath(namespace, itemKey), signal) : Promise.resolve(null)),
    [],
  );
  const last = useRef<Item | undefined>(undefined);
  last.current = kept.answer ?? last.current;
  if (!canAsk) return <Listed namespace={namespace} itemKey={itemKey} listed={listed} />;
  if (kept.answer === undefined && kept.problem !== undefined) {
    return (
      <Problem>
        {kept.problem}{" "}
        <button type="button" onClick={kept.refresh}>
          Try again
        </button>
      </Problem>
    );
  }
  if (kept.answer === undefined) return <Empty>Reading …</Empty>;
  const isChange = (route.value.query.get("change") ?? "") !== "" && !readOnly.value;
  // A form stays when somebody else deletes the item meanwhile.
  if (isChange && last.current !== undefined) {
    const end = () => choose({ change: undefined }, true);
    return (
      <ItemForm
        namespace={namespace}
        before={last.current}
        onDone={() => {
          end();
          kept.refresh();
          onChange();
        }}
        onCancel={end}
      />
    );
  }
  if (kept.answer === null) return <Empty>There is no item of this key here.</Empty>;
  return <Shown item={kept.answer} onDeleted={onDeleted} />;
}

/** An item that no request can name: what the list says of it. */
function Listed({
  namespace,
  itemKey,
  listed,
}: {
  namespace: Namespace;
  itemKey: string;
  listed: Pages<Item> | undefined;
}): JSX.Element {
  const items = listed?.items.value;
  useEffect(() => {
    if (items !== undefined) void listed?.loadAll(MOST);
  }, [listed, items]);
  const id = idOf({ namespace: [...namespace], key: itemKey });
  const item = items?.find((one) => idOf(one) === id);
  if (item !== undefined) return <Shown item={item} />;
  const isLooking = listed !== undefined && !listed.isWhole.value && listed.refused.value === undefined;
  return <Empty>{isLooking ? "Looking for it …" : "There is no item of this key here."}</Empty>;
}

function Shown({ item, onDeleted }: { item: Item; onDeleted?: () => void }): JSX.Element {
  const doing = useDoing();
  const [isDeleting, setDeleting] = useState(false);
  const [isJson, setJson] = useState(false);
  const { namespace, key } = item;
  const remove = () => {
    doing.run(
      "delete",
      () => api.value.send("DELETE", "/store/items", { namespace, key }),
      () => onDeleted?.(),
    );
  };
  return (
    <>
      <h2>{key === "" ? "An empty key" : visible(key)}</h2>
      <dl class="facts">
        <dt>Namespace</dt>
        <dd>{visible(namespace.join(" / "))}</dd>
        <dt>Put first</dt>
        <dd>
          <Time at={item.created_at} />
        </dd>
        <dt>Put last</dt>
        <dd>
          <Time at={item.updated_at} />
        </dd>
      </dl>
      <div class="row store-actions">
        <div class="row" role="group" aria-label="The value as">
          <button type="button" aria-pressed={!isJson} onClick={() => setJson(false)}>
            Fields
          </button>
          <button type="button" aria-pressed={isJson} onClick={() => setJson(true)}>
            JSON
          </button>
        </div>
        <Copy text={() => JSON.stringify(item.value, null, 2)} />
        <span class="grow" />
        {onDeleted !== undefined && !readOnly.value && (
          <>
            <button type="button" onClick={() => choose({ change: "yes" }, true)}>
              Change
            </button>
            <button type="button" class="danger" disabled={doing.at !== undefined} onClick={() => setDeleting(true)}>
              {doing.at === undefined ? "Delete …" : "Deleting …"}
            </button>
          </>
        )}
      </div>
      {onDeleted === undefined && (
        <p class="notice">
          A label of its namespace has a dot, which has no name in the server's API: it cannot be put or deleted from
          here.
        </p>
      )}
      {doing.problem !== undefined && <Problem>{doing.problem}</Problem>}
      {Object.keys(item.value).length === 0 ? (
        <Empty>The value is an empty object.</Empty>
      ) : isJson ? (
        <section class="card">
          <JsonTree value={item.value} label="Value" />
        </section>
      ) : (
        <Fields values={item.value} />
      )}
      {isDeleting && !readOnly.value && (
        <Confirm title="Delete this item?" action="Delete it" onConfirm={remove} onClose={() => setDeleting(false)}>
          <p>
            <code>{visible(namespace.join(" / "))}</code>
            <br />
            <code>{key === "" ? "an empty key" : visible(key)}</code>
          </p>
          <p>Nothing brings its value back. Runs that look for it find nothing.</p>
        </Confirm>
      )}
    </>
  );
}
