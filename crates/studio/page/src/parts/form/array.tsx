// A list: its items can be added, removed and moved.

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { Json } from "../../api/types.ts";
import { FormPart } from "./any.tsx";
import { initial } from "./fields.ts";
import { GroupFrame } from "./frame.tsx";
import { type PartOf, useWhole } from "./part.ts";
import { inside } from "./pointer.ts";
import { TakeAway } from "./take-away.tsx";

const CONTROLS = "input, select, textarea, button.add";

export function ArrayField(part: PartOf<"array">): JSX.Element {
  const { field, place, onChange } = part;
  const whole = useWhole();
  const items = Array.isArray(part.value) ? part.value : [];
  const list = useRef<HTMLOListElement>(null);
  const schemaAt = (index: number) => field.first[index] ?? field.items;
  const focus = (index: number) =>
    requestAnimationFrame(() => list.current?.children[index]?.querySelector<HTMLElement>(CONTROLS)?.focus());
  const put = (index: number, to: Json | undefined) => {
    onChange(items.map((item, at) => (at === index ? (to ?? null) : item)));
  };
  const add = () => {
    onChange([...items, initial(whole.root, schemaAt(items.length)) ?? null]);
    focus(items.length);
  };
  const remove = (index: number) => {
    onChange(items.toSpliced(index, 1));
    focus(Math.max(0, index - 1));
  };
  const move = (index: number, by: number) => {
    const moved = items.toSpliced(index, 1);
    moved.splice(index + by, 0, items[index] ?? null);
    onChange(moved);
    focus(index + by);
  };
  const actions = (
    <>
      <button type="button" class="add" disabled={items.length >= field.most} onClick={add}>
        Add an item
      </button>
      <TakeAway part={part} field={field} />
    </>
  );
  return (
    <GroupFrame part={part} field={field} actions={actions}>
      {items.length === 0 && <p class="quiet">No items.</p>}
      <ol ref={list} class="form-items" aria-label={part.label} hidden={items.length === 0}>
        {items.map((item, index) => (
          <li key={index}>
            <FormPart
              schema={schemaAt(index)}
              refs={field.refs}
              place={inside(place, index)}
              label={`Item ${index + 1}`}
              value={item}
              required
              bare
              onChange={(to) => put(index, to)}
            />
            <div class="row item-actions">
              <button
                type="button"
                class="plain"
                aria-label={`Move item ${index + 1} up`}
                disabled={index === 0}
                onClick={() => move(index, -1)}
              >
                ↑
              </button>
              <button
                type="button"
                class="plain"
                aria-label={`Move item ${index + 1} down`}
                disabled={index === items.length - 1}
                onClick={() => move(index, 1)}
              >
                ↓
              </button>
              <button type="button" class="plain" aria-label={`Remove item ${index + 1}`} onClick={() => remove(index)}>
                ✕
              </button>
            </div>
          </li>
        ))}
      </ol>
    </GroupFrame>
  );
}
