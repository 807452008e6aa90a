// A value of one of several kinds: the kind is chosen, and has its own fields.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Json } from "../../api/types.ts";
import { FormPart } from "./any.tsx";
import { fieldOf, initial, optionOf, variantOf } from "./fields.ts";
import { GroupFrame } from "./frame.tsx";
import { idOf, type PartOf, useWhole } from "./part.ts";
import { TakeAway } from "./take-away.tsx";

export function VariantsField(part: PartOf<"variants">): JSX.Element {
  const { field, place, value, onChange } = part;
  const whole = useWhole();
  const { variants } = field;
  // What a person chose holds as long as the value is what the form gave.
  const [chosen, setChosen] = useState<{ index: number; gave: Json | undefined }>();
  const isOurs = chosen !== undefined && chosen.gave === value;
  const isNothing = value === undefined || value === null;
  const index = isOurs ? chosen.index : isNothing ? 0 : variantOf(whole.root, variants, value);
  const variant = variants[index];
  // A kind of one value is said by its name.
  const inner = variant === undefined ? undefined : fieldOf(whole.root, variant.schema, field.refs);
  const isSaid = inner?.kind === "choice" && inner.options.length === 1 && optionOf(inner.options, value) === 0;
  const give = (to: number, next: Json | undefined) => {
    setChosen({ index: to, gave: next });
    onChange(next);
  };
  const id = idOf(whole, place, "variant");
  return (
    <GroupFrame part={part} field={field} isAround={!isSaid} actions={<TakeAway part={part} field={field} />}>
      <div class="form-fields">
        <div class="field">
          <label for={id}>{part.bare ? `${part.label}: kind` : "Kind"}</label>
          <select
            id={id}
            value={String(index)}
            onChange={(event) => {
              const to = Number(event.currentTarget.value);
              const next = variants[to];
              if (next !== undefined) give(to, initial(whole.root, next.schema));
            }}
          >
            {variants.map(({ label }, at) => (
              <option key={at} value={String(at)}>
                {label}
              </option>
            ))}
          </select>
        </div>
        {variant !== undefined && !isSaid && (
          <FormPart
            key={index}
            schema={variant.schema}
            refs={field.refs}
            place={place}
            label={variant.label}
            value={value}
            required
            bare
            onChange={(to) => give(index, to)}
          />
        )}
      </div>
    </GroupFrame>
  );
}
