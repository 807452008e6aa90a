// An object by its fields, and rows of a name and a value for those that the schema does not name.

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { JsonObject } from "../../api/types.ts";
import { isObject } from "../json-values.ts";
import { FormPart } from "./any.tsx";
import { fieldOf, initial, optionOf, type Property } from "./fields.ts";
import { GroupFrame } from "./frame.tsx";
import { idOf, type PartOf, useWhole, withMember } from "./part.ts";
import { inside } from "./pointer.ts";
import type { Schema } from "./schema.ts";
import { TakeAway } from "./take-away.tsx";

export function ObjectField(part: PartOf<"object">): JSX.Element {
  const { field, place, onChange } = part;
  const whole = useWhole();
  const value: JsonObject = isObject(part.value) ? part.value : {};
  const group = useRef<HTMLDivElement>(null);
  const named = new Set(field.properties.map((property) => property.name));
  const others = Object.keys(value).filter((name) => !named.has(name));
  const more: Schema = field.more ?? true;
  const isSaid = ({ name, schema, required }: Property) => {
    // A tag has one value, which is there already: nobody is asked for it.
    const tag = required ? fieldOf(whole.root, schema, field.refs) : undefined;
    return tag?.kind === "choice" && tag.options.length === 1 && optionOf(tag.options, value[name]) === 0;
  };
  const add = () => {
    let name = "name";
    for (let count = 2; Object.hasOwn(value, name) || named.has(name); count += 1) name = `name ${count}`;
    onChange(withMember(value, name, initial(whole.root, more) ?? null));
    requestAnimationFrame(() => {
      const names = group.current?.querySelectorAll<HTMLInputElement>(":scope > .entry > input");
      names?.[names.length - 1]?.select();
    });
  };
  return (
    <GroupFrame part={part} field={field} actions={<TakeAway part={part} field={field} />}>
      <div ref={group} class="form-fields">
        {field.properties.map((property) =>
          isSaid(property) ? null : (
            <FormPart
              key={property.name}
              schema={property.schema}
              refs={field.refs}
              place={inside(place, property.name)}
              label={property.name}
              value={value[property.name]}
              required={property.required}
              onChange={(to) => onChange(withMember(value, property.name, to))}
            />
          ),
        )}
        {others.map((name, index) => (
          <div key={`entry ${index}`} class="entry">
            <EntryName
              id={idOf(whole, inside(place, name), "name")}
              name={name}
              isTaken={(to) => to !== name && (Object.hasOwn(value, to) || named.has(to))}
              onChange={(to) => onChange(renamed(value, name, to))}
            />
            <FormPart
              schema={more}
              refs={field.refs}
              place={inside(place, name)}
              label={`Value of ${name}`}
              value={value[name]}
              required
              bare
              onChange={(to) => onChange(withMember(value, name, to ?? null))}
            />
            <button
              type="button"
              aria-label={`Remove ${name}`}
              onClick={() => onChange(withMember(value, name, undefined))}
            >
              Remove
            </button>
          </div>
        ))}
        {field.properties.length === 0 && others.length === 0 && <p class="quiet">No entries.</p>}
        {field.more !== undefined && (
          <div>
            <button type="button" onClick={add}>
              Add an entry
            </button>
          </div>
        )}
      </div>
    </GroupFrame>
  );
}

function renamed(value: JsonObject, from: string, to: string): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name === from ? to : name, member]));
}

function EntryName({
  id,
  name,
  isTaken,
  onChange,
}: {
  id: string;
  name: string;
  isTaken: (name: string) => boolean;
  onChange: (name: string) => void;
}): JSX.Element {
  const [refused, setRefused] = useState<string>();
  return (
    <>
      <input
        type="text"
        autocomplete="off"
        aria-label="Name of the entry"
        aria-invalid={refused !== undefined}
        aria-describedby={refused === undefined ? undefined : id}
        value={name}
        onChange={(event) => {
          const to = event.currentTarget.value;
          if (isTaken(to)) {
            setRefused(`There is an entry \`${to}\` already.`);
            event.currentTarget.value = name;
          } else {
            setRefused(undefined);
            if (to !== name) onChange(to);
          }
        }}
      />
      {refused !== undefined && (
        <p id={id} class="field-problem">
          {refused}
        </p>
      )}
    </>
  );
}
