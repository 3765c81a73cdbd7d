import { expect, test } from "vitest";
import { isObject } from "../../../../src/apimachinery/json/json.ts";
import { decodeJsonInTurns } from "../../../../src/apimachinery/json/json-decode.ts";
import { keysAsRead } from "../../../../src/apimachinery/json/json-words.ts";

const MANY = 30_000;
const keys = Array.from({ length: MANY }, (_, index) => `key-${index}`);

async function read(text: string): Promise<Record<string, unknown>> {
  const { value } = await decodeJsonInTurns(Buffer.from(text));
  if (!isObject(value)) throw new Error("no object");
  return value;
}

test("the keys of a large object are those that it has, each once", async () => {
  const inner = `{${keys.map((key) => `"${key}":{"x":[1,{}]}`).join(",")},"key-7":2}`;
  const { a, b } = await read(`{"a":${inner},"b":{"c":1}}`);
  expect(keysAsRead(a as object)).toEqual(keys);
  expect(keysAsRead(a as object)).toEqual(Object.keys(a as object));
  expect(keysAsRead(b as object)).toEqual(["c"]);
});

test("they are known without asking for them again", async () => {
  const object = await read(`{${keys.map((key) => `"${key}":1`).join(",")}}`);
  expect(keysAsRead(object)).toBe(keysAsRead(object));
});
