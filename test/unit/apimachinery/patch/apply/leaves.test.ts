import { describe, expect, test } from "vitest";
import { apply, conflict, forceApply, kindOf, type Operation, type Outcome, play, update } from "./state.ts";

const text = { type: "string" };
const kind = kindOf({
  v1: { a: text, b: text, n: { type: "integer" }, maybe: { type: "string", nullable: true } },
});

test.each<[string, Operation[], Outcome]>([
  [
    "what is applied is owned",
    [apply("ann", { spec: { a: "1", n: 1 } })],
    { object: { spec: { a: "1", n: 1 } }, managers: { "ann Apply": ".spec.a .spec.n" } },
  ],
  [
    "what is created is owned with everything around it",
    [update("ann", { spec: { a: "1" } })],
    { object: { spec: { a: "1" } }, managers: { "ann Update": ".spec .spec.a" } },
  ],
  [
    "what is applied no more goes",
    [apply("ann", { spec: { a: "1", b: "2" } }), apply("ann", { spec: { a: "1" } })],
    { object: { spec: { a: "1" } }, managers: { "ann Apply": ".spec.a" } },
  ],
  [
    "two may apply the same value, and share it",
    [apply("ann", { spec: { a: "1" } }), apply("bob", { spec: { a: "1" } })],
    { object: { spec: { a: "1" } }, managers: { "ann Apply": ".spec.a", "bob Apply": ".spec.a" } },
  ],
  [
    "a shared field stays when one lets go",
    [
      apply("ann", { spec: { a: "1", b: "2" } }),
      apply("bob", { spec: { a: "1" } }),
      apply("ann", { spec: { b: "2" } }),
    ],
    { object: { spec: { a: "1", b: "2" } }, managers: { "bob Apply": ".spec.a", "ann Apply": ".spec.b" } },
  ],
  [
    "and goes with the last",
    [
      apply("ann", { spec: { a: "1" } }),
      apply("bob", { spec: { a: "1" } }),
      apply("ann", {}),
      apply("bob", {}),
    ],
    { object: {}, managers: {} },
  ],
  [
    "another value is a conflict, and nothing happens",
    [
      apply("ann", { spec: { a: "1", b: "2" } }),
      conflict(apply("bob", { spec: { a: "x", n: 1 } }), "ann .spec.a"),
    ],
    { object: { spec: { a: "1", b: "2" } }, managers: { "ann Apply": ".spec.a .spec.b" } },
  ],
  [
    "force takes the field away",
    [apply("ann", { spec: { a: "1", b: "2" } }), forceApply("bob", { spec: { a: "x" } })],
    { object: { spec: { a: "x", b: "2" } }, managers: { "ann Apply": ".spec.b", "bob Apply": ".spec.a" } },
  ],
  [
    "who loses all fields is forgotten",
    [apply("ann", { spec: { a: "1" } }), forceApply("bob", { spec: { a: "x" } })],
    { object: { spec: { a: "x" } }, managers: { "bob Apply": ".spec.a" } },
  ],
  [
    "a field that others own is not removed with one's own",
    [update("ann", { spec: { a: "1" } }), apply("bob", { spec: { a: "1", b: "2" } }), apply("bob", {})],
    { object: { spec: { a: "1" } }, managers: { "ann Update": ".spec .spec.a" } },
  ],
  [
    "what an update changes belongs to who updates",
    [apply("ann", { spec: { a: "1", b: "2" } }), update("bob", { spec: { a: "x", b: "2" } })],
    { object: { spec: { a: "x", b: "2" } }, managers: { "ann Apply": ".spec.b", "bob Update": ".spec.a" } },
  ],
  [
    "what an update takes away belongs to nobody",
    [apply("ann", { spec: { a: "1", b: "2" } }), update("bob", { spec: { b: "2" } })],
    { object: { spec: { b: "2" } }, managers: { "ann Apply": ".spec.b" } },
  ],
  [
    "who updates what is the same owns nothing",
    [apply("ann", { spec: { a: "1" } }), update("bob", { spec: { a: "1" } })],
    { object: { spec: { a: "1" } }, managers: { "ann Apply": ".spec.a" } },
  ],
  [
    "an apply over one's own update is a conflict, too",
    [
      update("ann", { spec: { a: "1" } }),
      conflict(apply("ann", { spec: { a: "2" } }), "ann .spec.a"),
      forceApply("ann", { spec: { a: "2" } }),
    ],
    { object: { spec: { a: "2" } }, managers: { "ann Apply": ".spec.a", "ann Update": ".spec" } },
  ],
  [
    "conflicts come by manager, then by field",
    [
      apply("bob", { spec: { a: "1", n: 1 } }),
      apply("ann", { spec: { b: "1" } }),
      conflict(apply("eve", { spec: { a: "2", b: "2", n: 2 } }), "ann .spec.b", "bob .spec.a", "bob .spec.n"),
    ],
    {
      object: { spec: { a: "1", b: "1", n: 1 } },
      managers: { "bob Apply": ".spec.a .spec.n", "ann Apply": ".spec.b" },
    },
  ],
  [
    "a null is a value that can be owned",
    [apply("ann", { spec: { maybe: null } })],
    { object: { spec: { maybe: null } }, managers: { "ann Apply": ".spec.maybe" } },
  ],
  [
    "numbers of one value are one value",
    [apply("ann", { spec: { n: 1 } }), apply("bob", { spec: { n: 1.0 } })],
    { object: { spec: { n: 1 } }, managers: { "ann Apply": ".spec.n", "bob Apply": ".spec.n" } },
  ],
  ["nothing applied, nothing owned", [apply("ann", {})], { object: {}, managers: {} }],
])("%s", (_rule, operations, expected) => {
  expect(play(kind, operations)).toEqual(expected);
});

describe("metadata", () => {
  test.each<[string, Operation[], Outcome]>([
    [
      "labels and annotations are owned one by one",
      [
        apply("ann", { metadata: { labels: { x: "1" } } }),
        apply("bob", { metadata: { labels: { y: "2" } } }),
      ],
      {
        object: { metadata: { labels: { x: "1", y: "2" } } },
        managers: { "ann Apply": ".metadata.labels.x", "bob Apply": ".metadata.labels.y" },
      },
    ],
    [
      "what the server sets belongs to nobody",
      [
        update("ann", {
          metadata: {
            namespace: "n",
            uid: "u",
            resourceVersion: "1",
            generation: 1,
            creationTimestamp: "2024-01-01T00:00:00Z",
          },
        }),
      ],
      {
        object: {
          metadata: {
            namespace: "n",
            uid: "u",
            resourceVersion: "1",
            generation: 1,
            creationTimestamp: "2024-01-01T00:00:00Z",
          },
        },
        managers: {},
      },
    ],
    [
      "finalizers are a set, owner references a list by uid",
      [
        update("ann", {
          metadata: {
            finalizers: ["f/1"],
            ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "1" }],
          },
        }),
      ],
      {
        object: {
          metadata: {
            finalizers: ["f/1"],
            ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "1" }],
          },
        },
        managers: {
          "ann Update":
            '.metadata.finalizers .metadata.ownerReferences .metadata.finalizers[="f/1"] .metadata.ownerReferences[uid="1"]',
        },
      },
    ],
  ])("%s", (_rule, operations, expected) => {
    expect(play(kind, operations)).toEqual(expected);
  });
});
