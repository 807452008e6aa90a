import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../api/types.ts";
import { type Field, fieldOf, initial, variantOf } from "./fields.ts";

/** A field of a kind, or the end of the test. */
function ofKind<K extends Field["kind"]>(found: Field, kind: K): Extract<Field, { kind: K }> {
  if (found.kind !== kind) throw new Error(`a ${found.kind}, and not a ${kind}`);
  return found as Extract<Field, { kind: K }>;
}

const field = (schema: JsonObject | boolean): Field => fieldOf(schema, schema);

test("each schema has its field", () => {
  const cases: [JsonObject | boolean, Field["kind"], boolean?][] = [
    [true, "raw", true],
    [{}, "raw", true],
    [{ type: "string" }, "text", false],
    [{ type: ["string", "null"] }, "text", true],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "text", true],
    [{ type: "integer", format: "uint64", minimum: 0 }, "number", false],
    [{ type: "boolean" }, "boolean", false],
    [{ enum: ["a", "b"] }, "choice", false],
    [{ type: ["string", "null"], enum: ["a", null] }, "choice", true],
    [{ const: "a" }, "choice", false],
    [{ oneOf: [{ const: "a", description: "A." }, { type: "string", enum: ["b", "c"] }] }, "choice", false],
    [{ type: "object", properties: {} }, "object", false],
    [{ properties: { a: true } }, "object", false],
    [{ type: "array" }, "array", false],
    [{ type: "null" }, "choice", true],
    [{ type: ["string", "object"] }, "variants", false],
    [{ anyOf: [{ type: "string" }, { type: "array", items: true }, { type: "null" }] }, "variants", true],
    [{ allOf: [{ type: "object", properties: { a: true } }, { properties: { b: true } }] }, "object", false],
    [{ patternProperties: { "^a": true } }, "raw"],
    [{ if: true, then: {} }, "raw"],
    [{ $ref: "elsewhere.json" }, "raw"],
    [{ allOf: [{ type: "string" }, { type: "number" }] }, "raw"],
    [false, "raw"],
  ];
  for (const [schema, kind, nullable] of cases) {
    const found = field(schema);
    assert.equal(found.kind, kind, JSON.stringify(schema));
    if (nullable !== undefined) assert.equal(found.nullable, nullable, JSON.stringify(schema));
  }
});

test("what has no field says why", () => {
  const reason = (schema: JsonObject) => {
    const found = field(schema);
    return found.kind === "raw" ? found.reason : undefined;
  };
  assert.match(reason({ patternProperties: {} }) ?? "", /patternProperties/);
  assert.match(reason({ $ref: "#/$defs/Missing" }) ?? "", /which is not in it/);
  assert.match(reason({ $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } }) ?? "", /circle/);
  assert.match(reason({ allOf: [{ minLength: 1 }, { minLength: 2 }] }) ?? "", /two rules/);
});

test("variants are named by title, tag, only value, only field, reference or type", () => {
  const schema: JsonObject = {
    anyOf: [
      { title: "By title", type: "string", minLength: 3 },
      { type: "object", properties: { kind: { const: "point" }, x: {} }, required: ["kind"] },
      { const: "all" },
      { type: "object", properties: { some: {} }, required: ["some"] },
      { $ref: "#/$defs/Named" },
      { type: "integer" },
      {},
    ],
    $defs: { Named: { type: "object", properties: { a: {}, b: {} } } },
  };
  const found = ofKind(field(schema), "variants");
  assert.deepEqual(
    found.variants.map((variant) => variant.label),
    ["By title", "kind: point", "all", "some", "Named", "whole number", "any value"],
  );
  const at = (value: Json) => variantOf(schema, found.variants.slice(0, 4), value);
  assert.equal(at({ kind: "point", x: 1 }), 1);
  assert.equal(at("all"), 0);
  assert.equal(at({ some: 1 }), 3);
});

test("rules around variants hold in each of them", () => {
  const variants = [{ required: ["a"] }, { required: ["b"] }];
  const schema = { properties: { id: { type: "string" } }, required: ["id"], oneOf: variants };
  const found = ofKind(field(schema), "variants");
  const first = ofKind(fieldOf({}, found.variants[0]?.schema ?? true), "object");
  assert.deepEqual(
    first.properties.map(({ name, required }) => [name, required]),
    [
      ["id", true],
      ["a", true],
    ],
  );
});

test("a reference keeps what is said beside it", () => {
  const root: JsonObject = {
    properties: { of: { $ref: "#/$defs/Of", description: "beside" } },
    $defs: { Of: { type: "integer", description: "named" } },
  };
  const found = fieldOf(root, { $ref: "#/$defs/Of", description: "beside" });
  assert.equal(found.kind, "number");
  assert.equal(found.description, "beside");
  assert.deepEqual(found.refs, ["#/$defs/Of"]);
});

test("a form begins with the least, and ends where a schema leads in a circle", () => {
  const tree: JsonObject = {
    $ref: "#/$defs/Node",
    $defs: {
      Node: {
        type: "object",
        properties: {
          name: { type: "string" },
          left: { $ref: "#/$defs/Node" },
          children: { type: "array", items: { $ref: "#/$defs/Node" } },
        },
        required: ["name", "left", "children"],
      },
    },
  };
  const cases: [JsonObject, Json | undefined][] = [
    [{ type: "object", properties: { a: { type: "string" }, b: { type: "integer", default: 3 } } }, {}],
    [
      { properties: { a: { type: "string" }, b: { type: "integer", default: 3 } }, required: ["a", "b"] },
      { a: "", b: 3 },
    ],
    [
      { type: "object", properties: { kind: { const: "x" }, n: { type: "number" } }, required: ["kind", "n"] },
      { kind: "x" },
    ],
    [{ type: "array", items: { type: "string" }, minItems: 2 }, ["", ""]],
    [{ type: "array", prefixItems: [{ type: "number" }, { type: "boolean" }], minItems: 2 }, [null, false]],
    [{ type: ["object", "null"] }, {}],
    [{ anyOf: [{ type: "null" }, { type: "string" }] }, null],
    [{ oneOf: [{ const: "approve" }, { type: "object" }] }, "approve"],
    [{ enum: ["a", "b"] }, undefined],
    [{ default: { a: 1 } }, { a: 1 }],
    [tree, { name: "", children: [] }],
  ];
  for (const [schema, expected] of cases) assert.deepEqual(initial(schema, schema), expected, JSON.stringify(schema));
});

test("limits are said in words", () => {
  assert.equal(field({ type: "integer", minimum: 1, maximum: 10 }).limits, "1 to 10");
  assert.equal(field({ type: "string", maxLength: 80 }).limits, "at most 80 characters");
  assert.equal(field({ type: "array", minItems: 1, uniqueItems: true }).limits, "1 item or more, none twice");
  assert.equal(field({ type: "integer", minimum: 0 }).limits, "0 or more");
  assert.equal(field({ type: "string" }).limits, undefined);
});
