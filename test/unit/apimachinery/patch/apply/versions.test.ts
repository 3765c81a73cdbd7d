// Objects of one kind written at several versions: every managedFields entry is decoded with the schema of its own
// version.
import { expect, test } from "vitest";
import {
  apply,
  become,
  conflict,
  forceApply,
  kindOf,
  type Operation,
  type Outcome,
  play,
  update,
} from "./state.ts";

const text = { type: "string" };
const list = { type: "array", items: text };
const struct = { type: "object", properties: { a: text, b: text } };
const v1 = { a: text, list: { ...list, "x-kubernetes-list-type": "set" }, struct };
const kind = kindOf({
  v1,
  v2: { a: text, list, struct: { ...struct, "x-kubernetes-map-type": "atomic" } },
});
const V2 = { version: "v2" };
const withoutV2 = become(kindOf({ v1 }));

test.each<[string, Operation[], Outcome]>([
  [
    "who applies at another version is the same manager",
    [apply("ann", { spec: { a: "1" } }), apply("ann", { spec: { a: "1" } }, V2)],
    { object: { spec: { a: "1" } }, managers: { "ann Apply v2": ".spec.a" } },
  ],
  [
    "who updates at another version is another one",
    [update("ann", { spec: { a: "1" } }), update("ann", { spec: { a: "2" } }, V2)],
    { object: { spec: { a: "2" } }, managers: { "ann Update": ".spec", "ann Update v2": ".spec.a" } },
  ],
  [
    "conflicts go across versions",
    [update("ann", { spec: { a: "1" } }, V2), conflict(apply("bob", { spec: { a: "2" } }), "ann .spec.a")],
    { object: { spec: { a: "1" } }, managers: { "ann Update v2": ".spec .spec.a" } },
  ],
  [
    "what is a set here is a whole there: a new value takes the list",
    [apply("ann", { spec: { list: ["a"] } }, V2), update("bob", { spec: { list: ["a", "b"] } })],
    { object: { spec: { list: ["a", "b"] } }, managers: { "bob Update": '.spec.list[="b"]' } },
  ],
  [
    "what was applied at one version is released at another",
    [apply("ann", { spec: { list: ["a", "b"], a: "1" } }), apply("ann", { spec: { a: "1" } }, V2)],
    { object: { spec: { a: "1" } }, managers: { "ann Apply v2": ".spec.a" } },
  ],
  [
    "what others own at another version stays",
    [
      apply("ann", { spec: { list: ["a"], a: "1" } }),
      apply("bob", { spec: { list: ["a"] } }, V2),
      apply("ann", { spec: { a: "1" } }),
    ],
    {
      object: { spec: { list: ["a"], a: "1" } },
      managers: { "bob Apply v2": ".spec.list", "ann Apply": ".spec.a" },
    },
  ],
  [
    "who owned at a version that is gone is forgotten",
    [
      apply("ann", { spec: { a: "1" } }, V2),
      update("bob", { spec: { a: "1", list: ["a"] } }),
      withoutV2,
      apply("eve", { spec: { struct: { a: "1" } } }),
    ],
    {
      object: { spec: { a: "1", list: ["a"], struct: { a: "1" } } },
      managers: { "eve Apply": ".spec.struct.a", "bob Update": '.spec.list .spec.list[="a"]' },
    },
  ],
  [
    "even by a write that changes nothing",
    [update("ann", { spec: { a: "1" } }, V2), withoutV2, update("bob", { spec: { a: "1" } })],
    { object: { spec: { a: "1" } }, managers: {} },
  ],
  [
    "fields that nobody can own any more stay as they are",
    [
      apply("ann", { spec: { a: "1" } }, V2),
      withoutV2,
      forceApply("bob", { spec: { a: "2" } }),
      apply("bob", { spec: {} }),
    ],
    { object: { spec: null }, managers: { "bob Apply": ".spec" } },
  ],
])("%s", (_rule, operations, expected) => {
  expect(play(kind, operations)).toEqual(expected);
});

test("a part that has become atomic is owned as a whole by who owned something of it", () => {
  const atomic = { ...struct, "x-kubernetes-map-type": "atomic" };
  const operations = [
    apply("ann", { spec: { struct: { a: "1" } } }),
    become(kindOf({ v1: { a: text, struct: atomic } })),
    apply("bob", { spec: { a: "1" } }),
  ];
  expect(play(kind, operations).managers).toEqual({ "ann Apply": ".spec.struct", "bob Apply": ".spec.a" });
});
