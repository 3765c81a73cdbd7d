import { expect, test } from "vitest";
import {
  cloneJson,
  equalJson,
  freezeJson,
  isObject,
  type JsonObject,
} from "../../../../src/apimachinery/json/json.ts";
import { encodeJson } from "../../../../src/apimachinery/json/json-encode.ts";
import { lateObject, lateText } from "../../../../src/apimachinery/json/json-in-turns.ts";

const VALUE = { a: { b: 1 } };

function late(): { object: JsonObject; made: () => number } {
  let made = 0;
  const make = () => {
    made++;
    return cloneJson(VALUE);
  };
  return { object: lateObject({ make, text: () => encodeJson(VALUE) }), made: () => made };
}

test("its text is known without making it", () => {
  const { object, made } = late();
  expect(lateText({ other: object })).toBeUndefined();
  expect(lateText(object)).toBe('{"a":{"b":1}}');
  expect(isObject(object)).toBe(true);
  expect(made()).toBe(0);
});

test.each<[string, (object: JsonObject) => unknown, unknown]>([
  ["a member", (object) => object["a"], { b: 1 }],
  ["its keys", (object) => Object.keys(object), ["a"]],
  ["whether it has a key", (object) => ["a" in object, Object.hasOwn(object, "x")], [true, false]],
  ["its JSON", (object) => encodeJson(object), '{"a":{"b":1}}'],
  ["a copy", (object) => cloneJson(object), { a: { b: 1 } }],
  ["whether it is equal", (object) => equalJson(object, { a: { b: 1 } }), true],
])("who asks for %s finds it made", (_rule, look, expected) => {
  const { object, made } = late();
  expect(look(object)).toEqual(expected);
  expect(look(object)).toEqual(expected);
  expect(made()).toBe(1);
  expect(lateText(object)).toBeUndefined();
});

test("it is changed and frozen as any other object", () => {
  const { object } = late();
  object["a"] = 2;
  Object.defineProperty(object, "d", { value: 3, enumerable: true });
  delete object["x"];
  expect(encodeJson(object)).toBe('{"a":2,"d":3}');
  const frozen = freezeJson(late().object);
  expect(frozen).toEqual({ a: { b: 1 } });
  expect(() => Object.assign(frozen, { a: 2 })).toThrow(TypeError);
});
