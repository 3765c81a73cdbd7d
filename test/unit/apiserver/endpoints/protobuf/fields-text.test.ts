import { expect, test } from "vitest";
import { encodeJson } from "../../../../../src/apimachinery/json/json-encode.ts";
import { fieldsText } from "../../../../../src/apiserver/endpoints/protobuf/fields-text.ts";

const key = (value: unknown): string => `k:${encodeJson(value)}`;

test.each<[what: string, keys: readonly string[]]>([
  ["the set itself, names of members", [".", "f:a", "f:b", "f:c:d"]],
  [
    "keys of items by their numbers",
    [".", ...[80, 443, 8080].map((containerPort) => key({ containerPort, protocol: "TCP" }))],
  ],
  ["by their texts", [key({ ip: "10.0.0.1" }), key({ ip: "9.0.0.1" })]],
  [
    "by the member that comes first",
    [
      key({ port: 80, protocol: "TCP" }),
      key({ port: 80, protocol: "UDP" }),
      key({ port: 443, protocol: "TCP" }),
    ],
  ],
  ["by how many members they have", [key({ a: 1 }), key({ a: 1, b: 1 })]],
  [
    "by the types of their values",
    [key({ a: 9 }), key({ a: "1" }), key({ a: false }), key({ a: true }), key({ a: null })],
  ],
  [
    "values of sets and places behind them",
    ["f:z", key({ a: 1 }), "v:9", "v:10", 'v:"1"', "i:1", "i:2", "i:10"],
  ],
])("%s", (_what, keys) => {
  const fields = Object.fromEntries([...keys].sort().map((name) => [name, {}]));
  expect(fieldsText({ "f:x": fields })).toBe(
    `{"f:x":{${keys.map((name) => `${JSON.stringify(name)}:{}`).join(",")}}}`,
  );
});

test("what is no set is written as any JSON", () => {
  expect(fieldsText([1, { b: 1, a: "ä<" }])).toBe('[1,{"a":"ä<","b":1}]');
  expect(fieldsText("x")).toBe('"x"');
});
