import { expect, test } from "vitest";
import { apply, conflict, forceApply, kindOf, type Operation, type Outcome, play, update } from "./state.ts";

const text = { type: "string" };
const kind = kindOf({
  v1: {
    struct: { type: "object", properties: { a: text, b: text } },
    atomic: { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: text, b: text } },
    map: { type: "object", additionalProperties: text },
    deep: { type: "object", additionalProperties: { type: "object", properties: { a: text, b: text } } },
    any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    either: { "x-kubernetes-int-or-string": true },
  },
});

test.each<[string, Operation[], Outcome]>([
  [
    "the members of an object have their owners",
    [apply("ann", { spec: { struct: { a: "1" } } }), apply("bob", { spec: { struct: { b: "2" } } })],
    {
      object: { spec: { struct: { a: "1", b: "2" } } },
      managers: { "ann Apply": ".spec.struct.a", "bob Apply": ".spec.struct.b" },
    },
  ],
  [
    "an object goes with its last member",
    [apply("ann", { spec: { struct: { a: "1" }, either: 1 } }), apply("ann", { spec: { either: 1 } })],
    { object: { spec: { either: 1 } }, managers: { "ann Apply": ".spec.either" } },
  ],
  [
    "one that others own stays, as null",
    [
      update("bob", { spec: { struct: {} } }),
      apply("ann", { spec: { struct: { a: "1" } } }),
      apply("ann", { spec: {} }),
    ],
    {
      object: { spec: { struct: null } },
      managers: { "ann Apply": ".spec", "bob Update": ".spec .spec.struct" },
    },
  ],
  [
    "an empty object is owned as such",
    [apply("ann", { spec: { struct: {} } })],
    { object: { spec: { struct: {} } }, managers: { "ann Apply": ".spec.struct" } },
  ],
  [
    "empty over full changes nothing",
    [apply("ann", { spec: { struct: { a: "1" } } }), apply("bob", { spec: { struct: {} } })],
    {
      object: { spec: { struct: { a: "1" } } },
      managers: { "ann Apply": ".spec.struct.a", "bob Apply": ".spec.struct" },
    },
  ],
  [
    "a null over an object takes nothing away",
    [apply("ann", { spec: { struct: { a: "1" } } }), apply("bob", { spec: { struct: null } })],
    {
      object: { spec: { struct: { a: "1" } } },
      managers: { "ann Apply": ".spec.struct.a", "bob Apply": ".spec.struct" },
    },
  ],
  [
    "an atomic object has one owner",
    [
      apply("ann", { spec: { atomic: { a: "1" } } }),
      conflict(apply("bob", { spec: { atomic: { b: "2" } } }), "ann .spec.atomic"),
      forceApply("bob", { spec: { atomic: { b: "2" } } }),
    ],
    { object: { spec: { atomic: { b: "2" } } }, managers: { "bob Apply": ".spec.atomic" } },
  ],
  [
    "the keys of a map have their owners",
    [
      apply("ann", { spec: { map: { a: "1", b: "1" } } }),
      update("bob", { spec: { map: { a: "2", b: "1", c: "1" } } }),
      apply("ann", { spec: { map: { a: "2" } } }),
    ],
    {
      object: { spec: { map: { a: "2", c: "1" } } },
      managers: { "ann Apply": ".spec.map.a", "bob Update": ".spec.map.a .spec.map.c" },
    },
  ],
  [
    "objects in a map: the key and every member",
    [
      apply("ann", { spec: { deep: { x: { a: "1" } } } }),
      apply("bob", { spec: { deep: { x: { b: "2" }, y: {} } } }),
    ],
    {
      object: { spec: { deep: { x: { a: "1", b: "2" }, y: {} } } },
      managers: {
        "ann Apply": ".spec.deep.x .spec.deep.x.a",
        "bob Apply": ".spec.deep.x .spec.deep.y .spec.deep.x.b",
      },
    },
  ],
  [
    "what no schema describes: objects by key at every depth, lists as a whole",
    [
      apply("ann", { spec: { any: { a: { b: [1, { c: 2 }], d: "x" } } } }),
      conflict(apply("bob", { spec: { any: { a: { b: [1] } } } }), "ann .spec.any.a.b"),
      apply("bob", { spec: { any: { a: { e: true } } } }),
    ],
    {
      object: { spec: { any: { a: { b: [1, { c: 2 }], d: "x", e: true } } } },
      managers: {
        "ann Apply": ".spec.any.a .spec.any.a.b .spec.any.a.d",
        "bob Apply": ".spec.any.a .spec.any.a.e",
      },
    },
  ],
  [
    "what changes its form is written as a whole",
    [update("ann", { spec: { any: { a: { b: 1 } } } }), update("bob", { spec: { any: { a: "text" } } })],
    {
      object: { spec: { any: { a: "text" } } },
      managers: { "ann Update": ".spec .spec.any", "bob Update": ".spec.any.a" },
    },
  ],
  [
    "a value that may have two types",
    [
      apply("ann", { spec: { either: 1 } }),
      conflict(apply("bob", { spec: { either: "1" } }), "ann .spec.either"),
    ],
    { object: { spec: { either: 1 } }, managers: { "ann Apply": ".spec.either" } },
  ],
  [
    "__proto__ is a key like any other",
    [
      apply("ann", JSON.parse('{"spec": {"map": {"__proto__": "1"}}}')),
      apply("ann", { spec: { map: { a: "1" } } }),
    ],
    { object: { spec: { map: { a: "1" } } }, managers: { "ann Apply": ".spec.map.a" } },
  ],
])("%s", (_rule, operations, expected) => {
  expect(play(kind, operations)).toEqual(expected);
});
