import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import {
  apply,
  conflict,
  forceApply,
  kindOf,
  type Operation,
  type Outcome,
  play,
  State,
  update,
} from "./state.ts";

const text = { type: "string" };
const listMap = (keys: string[], properties: JsonObject) => ({
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
  items: { type: "object", properties },
});
const kind = kindOf({
  v1: {
    plain: { type: "array", items: text },
    set: { type: "array", "x-kubernetes-list-type": "set", items: text },
    numbers: { type: "array", "x-kubernetes-list-type": "set", items: { type: "integer" } },
    named: listMap(["name"], { name: text, a: text, b: text }),
    ports: listMap(["port", "protocol"], {
      port: { type: "integer" },
      protocol: { type: "string", default: "TCP" },
      a: text,
    }),
  },
});

const named = (...items: (string | JsonObject)[]) => ({
  spec: { named: items.map((item) => (typeof item === "string" ? { name: item } : item)) },
});

describe("lists as a whole", () => {
  test.each<[string, Operation[], Outcome]>([
    [
      "a list without a type has one owner",
      [
        apply("ann", { spec: { plain: ["a"] } }),
        conflict(apply("bob", { spec: { plain: ["a", "b"] } }), "ann .spec.plain"),
        apply("bob", { spec: { plain: ["a"] } }),
      ],
      {
        object: { spec: { plain: ["a"] } },
        managers: { "ann Apply": ".spec.plain", "bob Apply": ".spec.plain" },
      },
    ],
    [
      "its order counts",
      [apply("ann", { spec: { plain: ["a", "b"] } }), update("bob", { spec: { plain: ["b", "a"] } })],
      { object: { spec: { plain: ["b", "a"] } }, managers: { "bob Update": ".spec.plain" } },
    ],
  ])("%s", (_rule, operations, expected) => {
    expect(play(kind, operations)).toEqual(expected);
  });
});

describe("sets", () => {
  test.each<[string, Operation[], Outcome]>([
    [
      "every value has its owners",
      [apply("ann", { spec: { set: ["a", "b"] } }), apply("bob", { spec: { set: ["b", "c"] } })],
      {
        object: { spec: { set: ["a", "b", "c"] } },
        managers: {
          "ann Apply": '.spec.set[="a"] .spec.set[="b"]',
          "bob Apply": '.spec.set[="b"] .spec.set[="c"]',
        },
      },
    ],
    [
      "the order is nobody's",
      [apply("ann", { spec: { set: ["a", "b"] } }), update("bob", { spec: { set: ["b", "a"] } })],
      { object: { spec: { set: ["b", "a"] } }, managers: { "ann Apply": '.spec.set[="a"] .spec.set[="b"]' } },
    ],
    [
      "a value goes with its last owner, the set with its last value",
      [
        apply("ann", { spec: { set: ["a"], plain: [] } }),
        apply("bob", { spec: { set: ["a"] } }),
        apply("ann", { spec: { plain: [] } }),
        apply("bob", {}),
      ],
      { object: { spec: { plain: [] } }, managers: { "ann Apply": ".spec.plain" } },
    ],
    [
      "numbers are sorted by size",
      [apply("ann", { spec: { numbers: [10, 9, -1] } })],
      {
        object: { spec: { numbers: [10, 9, -1] } },
        managers: { "ann Apply": ".spec.numbers[=-1] .spec.numbers[=9] .spec.numbers[=10]" },
      },
    ],
    [
      "a value that is there twice is one field",
      [update("ann", { spec: { set: ["a", "a"] } }), apply("bob", { spec: { set: ["b"] } })],
      {
        object: { spec: { set: ["a", "a", "b"] } },
        managers: { "bob Apply": '.spec.set[="b"]', "ann Update": '.spec .spec.set .spec.set[="a"]' },
      },
    ],
  ])("%s", (_rule, operations, expected) => {
    expect(play(kind, operations)).toEqual(expected);
  });
});

describe("lists by keys", () => {
  test.each<[string, Operation[], Outcome]>([
    [
      "items are found by their key and merged",
      [apply("ann", named({ name: "x", a: "1" })), apply("bob", named({ name: "x", b: "2" }, "y"))],
      {
        object: named({ name: "x", a: "1", b: "2" }, "y"),
        managers: {
          "ann Apply": '.spec.named[name="x"] .spec.named[name="x"].a .spec.named[name="x"].name',
          "bob Apply":
            '.spec.named[name="x"] .spec.named[name="y"] .spec.named[name="x"].b .spec.named[name="x"].name .spec.named[name="y"].name',
        },
      },
    ],
    [
      "a member of an item can be in conflict",
      [
        apply("ann", named({ name: "x", a: "1" })),
        conflict(apply("bob", named({ name: "x", a: "2" })), 'ann .spec.named[name="x"].a'),
      ],
      {
        object: named({ name: "x", a: "1" }),
        managers: { "ann Apply": '.spec.named[name="x"] .spec.named[name="x"].a .spec.named[name="x"].name' },
      },
    ],
    [
      "an item goes when nobody wants it any more",
      [apply("ann", named("x", "y")), apply("bob", named("y")), apply("ann", named("z"))],
      {
        object: named("y", "z"),
        managers: {
          "bob Apply": '.spec.named[name="y"] .spec.named[name="y"].name',
          "ann Apply": '.spec.named[name="z"] .spec.named[name="z"].name',
        },
      },
    ],
    [
      "a key left out has its default",
      [
        update("ann", { spec: { ports: [{ port: 80, protocol: "TCP" }] } }),
        apply("bob", {
          spec: {
            ports: [
              { port: 80, a: "1" },
              { port: 80, protocol: "UDP" },
            ],
          },
        }),
      ],
      {
        object: {
          spec: {
            ports: [
              { port: 80, protocol: "TCP", a: "1" },
              { port: 80, protocol: "UDP" },
            ],
          },
        },
        managers: {
          "bob Apply":
            '.spec.ports[port=80,protocol="TCP"] .spec.ports[port=80,protocol="UDP"] .spec.ports[port=80,protocol="TCP"].a .spec.ports[port=80,protocol="TCP"].port .spec.ports[port=80,protocol="UDP"].port .spec.ports[port=80,protocol="UDP"].protocol',
          "ann Update":
            '.spec .spec.ports .spec.ports[port=80,protocol="TCP"] .spec.ports[port=80,protocol="TCP"].port .spec.ports[port=80,protocol="TCP"].protocol',
        },
      },
    ],
  ])("%s", (_rule, operations, expected) => {
    expect(play(kind, operations)).toEqual(expected);
  });
});

describe("order after an apply", () => {
  const order = (live: string[], applied: string[]): unknown => {
    const { object } = play(kind, [update("ann", named(...live)), forceApply("bob", named(...applied))]);
    return (object["spec"] as { named: { name: string }[] }).named.map(({ name }) => name).join(" "); // as named makes it
  };

  test.each([
    ["new items come last", "a b", "c", "a b c"],
    ["the applied order wins", "a b c", "c a", "b c a"],
    ["others stay where they are", "a b c d", "d x b", "a c d x b"],
    ["new ones follow what they follow when applied", "a b", "a x b", "a x b"],
    ["in front, too", "a b", "x a b", "x a b"],
  ])("%s", (_rule, live, applied, expected) => {
    expect(order(live.split(" "), applied.split(" "))).toBe(expected);
  });
});

describe("items with one key", () => {
  const twice = named({ name: "x", a: "1" }, { name: "x", a: "2" });

  test("are owned together, and an apply puts one in their place", () => {
    const operations = [update("ann", twice), forceApply("bob", named({ name: "x", b: "3" }))];
    expect(play(kind, operations.slice(0, 1)).managers).toEqual({
      "ann Update": '.spec .spec.named .spec.named[name="x"]',
    });
    expect(play(kind, operations).object).toEqual(named({ name: "x", b: "3" }));
  });

  test("stay when an apply is about something else", () => {
    const { object, managers } = play(kind, [update("ann", twice), apply("bob", { spec: { set: ["a"] } })]);
    expect(object["spec"]).toEqual({ ...twice.spec, set: ["a"] });
    expect(managers["bob Apply"]).toBe('.spec.set[="a"]');
  });
});

test("a list whose items cannot be told apart is not followed, and cannot be applied to", () => {
  const state = new State(kind);
  state.run(update("ann", named("x")));
  state.run(update("bob", { spec: { named: [{ a: "1" }] } }));
  expect(state.live?.metadata.managedFields).toBeUndefined();
  expect(() => state.run(apply("eve", named("x")))).toThrow(
    'failed to create manager for existing fields: failed to convert new object (/x; example.org/v1, Kind=Thing) to smd typed: .spec.named: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
  );
});

test("what is not of its type is owned by nobody", () => {
  const state = new State(kind);
  state.run(update("ann", named("x")));
  state.run(update("bob", { spec: "text" }));
  expect(state.live?.metadata.managedFields).toBeUndefined();
});
