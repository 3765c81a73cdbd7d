import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { encodeJson } from "../../../../../src/apimachinery/json/json-encode.ts";
import { schemaLibrary } from "../../../../../src/apimachinery/schema/go/schema-library.ts";
import { createOpenApi } from "../../../../../src/apiserver/endpoints/openapi/openapi.ts";
import {
  piecesOf,
  renderDocument,
} from "../../../../../src/apiserver/endpoints/openapi/rendered-document.ts";
import { BUILT_IN_RESOURCES } from "../../../../../src/kube/index.ts";
import { countTurns } from "../../../../support/count-turns.ts";

const VALUES = [
  {},
  { b: 1, a: { d: [{ z: 1, y: 2 }], c: {} }, '"': null },
  { a: undefined, b: { c: undefined }, d: { e: { f: { g: { h: 1n } } } } },
  { "": { "": { "": { "": "ü" } } }, z: [], y: "\n", x: true },
  [1, { b: 1, a: 2 }],
  "text",
];

describe("the pieces of a document", () => {
  test.each([0, 1, 2, 3, 9])("are its text, taken apart down to %d levels", (levels) => {
    for (const value of VALUES) expect([...piecesOf(value, levels)].join("")).toBe(encodeJson(value));
  });

  test("are the members of its members", () => {
    expect([...piecesOf({ b: { d: [1, 2], c: 1 }, a: {} }, 2)]).toEqual([
      '{"a":',
      "{}",
      ',"b":',
      '{"c":',
      "1",
      ',"d":',
      "[1,2]",
      "}",
      "}",
    ]);
  });
});

describe("a document", () => {
  test("has the bytes of its text and their hash, however long it is", async () => {
    const value = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key-${index}`, "ü"]));
    const { json, hash } = await renderDocument({ value });
    expect(json.toString()).toBe(encodeJson({ value }));
    expect(hash).toBe(createHash("sha512").update(json).digest("hex").toUpperCase());
  });

  test("of all built-in kinds is made in many turns, and once for all who ask", async () => {
    const openApi = createOpenApi(schemaLibrary().published);
    const { done, turns } = await countTurns(() =>
      Promise.all([openApi.swagger(BUILT_IN_RESOURCES), openApi.swagger(BUILT_IN_RESOURCES)]),
    );
    expect(turns).toBeGreaterThan(100);
    expect(done[0]).toBe(done[1]);
    const [{ protobuf }] = done;
    const made = await countTurns(() => Promise.all([protobuf?.(), protobuf?.()]));
    expect(made.turns).toBeGreaterThan(50);
    expect(made.done[0]).toBe(made.done[1]);
  });
});
