import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../api/types.ts";
import { placeOfPath, spoken } from "./pointer.ts";
import { validate } from "./validate.ts";

/** A schema, values that fit, and values that do not with the places where. */
type Case = [schema: JsonObject | boolean, fit: Json[], unfit: [value: Json, ...places: string[]][]];

const VERDICT: JsonObject = {
  oneOf: [
    { const: "approve", description: "All of it." },
    {
      type: "object",
      properties: {
        some: {
          type: "object",
          properties: { ids: { type: "array", items: { type: "string" } } },
          required: ["ids"],
        },
      },
      required: ["some"],
      additionalProperties: false,
    },
    {
      type: "object",
      properties: { reject: { $ref: "#/$defs/Reject" } },
      required: ["reject"],
      additionalProperties: false,
    },
  ],
  $defs: { Reject: { type: "object", properties: { reason: { type: ["string", "null"] } }, required: ["reason"] } },
};

const TREE: JsonObject = {
  $ref: "#/$defs/Node",
  $defs: {
    Node: {
      type: "object",
      properties: {
        name: { type: "string", minLength: 1 },
        children: { type: "array", items: { $ref: "#/$defs/Node" } },
      },
      required: ["name"],
    },
  },
};

const TAGGED: JsonObject = {
  oneOf: [
    { type: "object", properties: { kind: { const: "point" }, x: { type: "number" } }, required: ["kind", "x"] },
    { type: "object", properties: { kind: { const: "text" }, text: { type: "string" } }, required: ["kind", "text"] },
  ],
};

const CASES: Case[] = [
  [true, [null, 1, {}], []],
  [{}, [null, "a", []], []],
  [false, [], [[1, ""]]],
  [{ type: "string", minLength: 2, maxLength: 3 }, ["ab", "äöü", "😀😀"], [["a", ""], ["abcd", ""], [1, ""], [null, ""]]],
  [{ type: ["string", "null"] }, ["", null], [[1, ""]]],
  [{ type: "string", pattern: "^a+$" }, ["aa"], [["ab", ""]]],
  [{ type: "string", pattern: "(" }, ["anything"], []],
  [{ type: "string", format: "date" }, ["2025-01-31"], [["31.1.2025", ""], ["2025-13-01", ""]]],
  [{ type: "string", format: "unknown" }, ["anything"], []],
  [{ type: "integer", minimum: 0, format: "uint64" }, [0, 3, 2.0], [[-1, ""], [1.5, ""], ["1", ""], [1e300, ""]]],
  [{ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }, [0.5], [[0, ""], [1, ""]]],
  [{ type: "number", multipleOf: 0.1 }, [0.3], [[0.35, ""]]],
  [{ enum: ["a", 1, null] }, ["a", 1, null], [["b", ""]]],
  [{ const: { a: [1] } }, [{ a: [1] }], [[{ a: [2] }, ""], [{ a: [1], b: 1 }, ""]]],
  [
    { type: "array", items: { type: "integer" }, minItems: 1, maxItems: 3, uniqueItems: true },
    [[1], [1, 2, 3]],
    [[[], ""], [[1, 2, 3, 4], ""], [[1, "a"], "/1"], [[1, 2, 1], "/2"]],
  ],
  [
    { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false },
    [["a", 1], ["a"]],
    [[[1], "/0"], [["a", 1, 2], "/2"]],
  ],
  [{ type: "array", contains: { const: 1 }, maxContains: 1 }, [[1, 2]], [[[2], ""], [[1, 1], ""]]],
  [
    { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
    [{ a: "" }],
    [[{}, "/a"], [{ a: 1 }, "/a"], [{ a: "", b: 1 }, "/b"], [[], ""]],
  ],
  [{ type: "object", additionalProperties: { type: "integer" } }, [{}, { x: 1 }], [[{ "a/b": "y" }, "/a~1b"]]],
  [{ patternProperties: { "^n": { type: "number" } } }, [{ n: 1, a: "b" }], [[{ n: "x" }, "/n"]]],
  [{ propertyNames: { minLength: 2 }, minProperties: 1, maxProperties: 2 }, [{ aa: 1 }], [[{}, ""], [{ a: 1 }, "/a"]]],
  [{ dependentRequired: { a: ["b"] } }, [{ b: 1 }, { a: 1, b: 2 }], [[{ a: 1 }, "/b"]]],
  [
    { allOf: [{ required: ["a"] }, { properties: { a: { type: "string" } } }] },
    [{ a: "x" }],
    [[{}, "/a"], [{ a: 1 }, "/a"]],
  ],
  [{ not: { type: "string" } }, [1], [["a", ""]]],
  [
    { if: { required: ["a"] }, then: { required: ["b"] }, else: { required: ["c"] } },
    [{ a: 1, b: 1 }, { c: 1 }],
    [[{ a: 1 }, "/b"], [{}, "/c"]],
  ],
  [{ oneOf: [{ type: "number" }, { type: "integer" }] }, [1.5], [[1, ""], ["a", ""]]],
  [{ anyOf: [{ type: "string" }, { type: "null" }] }, ["a", null], [[1, ""]]],
  [
    VERDICT,
    ["approve", { some: { ids: ["1"] } }, { reject: { reason: null } }],
    [["approv", ""], [{ some: { ids: [1] } }, "/some/ids/0"], [{ reject: {} }, "/reject/reason"]],
  ],
  [TAGGED, [{ kind: "text", text: "a" }], [[{ kind: "text", text: 1 }, "/text"], [{ kind: "point" }, "/x"]]],
  [
    TREE,
    [{ name: "a" }, { name: "a", children: [{ name: "b", children: [] }] }],
    [[{ name: "a", children: [{ name: "b" }, { children: [] }] }, "/children/1/name"], [{ name: "" }, "/name"]],
  ],
  [{ $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } }, [1], []],
  [{ $ref: "https://example.org/schema" }, [1, "a"], []],
  [{ properties: { "a~b": { type: "string" } } }, [{ "a~b": "" }], [[{ "a~b": 1 }, "/a~0b"]]],
];

test("values fit their schemas, or are wrong where they are wrong", () => {
  for (const [schema, fit, unfit] of CASES) {
    for (const value of fit) {
      assert.deepEqual([...validate(schema, value)], [], `${JSON.stringify(schema)} takes ${JSON.stringify(value)}`);
    }
    for (const [value, ...places] of unfit) {
      const told = `${JSON.stringify(schema)} refuses ${JSON.stringify(value)}`;
      assert.deepEqual([...validate(schema, value).keys()], places, told);
    }
  }
});

test("nothing is a value where one is needed", () => {
  assert.deepEqual([...validate({ type: "string" }, undefined)], [["", "A value is needed."]]);
});

test("places are spoken as programs write them, and read as servers do", () => {
  assert.equal(spoken("/items/0/a~1b"), "items[0].a/b");
  assert.equal(placeOfPath("items[0].name"), "/items/0/name");
  assert.equal(placeOfPath("."), "");
});
