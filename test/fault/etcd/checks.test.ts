// The checks of the robustness test detect their errors: a correct history, and variants with one error each.
import { describe, expect, test } from "vitest";
import { checkOrder } from "./check-order.ts";
import { checkWatches } from "./check-watches.ts";
import { checkWrites } from "./check-writes.ts";
import type { Operation } from "./clients.ts";
import type { TrueEvent } from "./observer.ts";
import { Truth } from "./truth.ts";
import type { Stretch } from "./watchers.ts";

const event = (revision: number, name: string, mark?: string): TrueEvent => ({
  ...{ revision, key: `/registry/configmaps/default/${name}`, atMs: 0 },
  value: mark === undefined ? undefined : Buffer.from(`k8s… ${mark} …`),
});
const truth = (...events: TrueEvent[]) => new Truth(events, () => true);
/** Created, changed, deleted, created again. */
const HAPPENED = [event(2, "r-1", "<1>"), event(3, "r-1", "<2>"), event(5, "r-1"), event(7, "r-1", "<4>")];

function operation(asked: Operation["asked"], changes: Partial<Operation>): Operation {
  return {
    ...{ asked, server: 0, name: "r-1", mark: "", bound: undefined, startMs: 0, endMs: 1, outcome: "done" },
    ...{ revision: undefined, seen: undefined, answer: "", ...changes },
  };
}
const sight = (revision: number, mark: string) => ({
  revision,
  objects: new Map([["r-1", { mark, revision }]]),
});

const WRITTEN: readonly Operation[] = [
  operation("create", { mark: "<1>", revision: 2, startMs: 0, endMs: 10 }),
  operation("update", { mark: "<2>", revision: 3, bound: 2, startMs: 20, endMs: 30 }),
  operation("delete", { mark: "<3>", bound: 3, startMs: 40, endMs: 50 }),
  operation("create", { mark: "<4>", revision: 7, startMs: 60, endMs: 70 }),
];
/** The writes of the history, with changes to the one at this place. */
const written = (place = -1, changes: Partial<Operation> = {}): Operation[] =>
  WRITTEN.map((one, index) => ({ ...one, ...(index === place ? changes : {}) }));

describe("writes", () => {
  test("are all right, also where nobody was told", () => {
    expect(checkWrites(written(), truth(...HAPPENED))).toEqual([]);
    const unknown = { outcome: "unknown", endMs: Number.POSITIVE_INFINITY, revision: undefined } as const;
    for (const place of WRITTEN.keys())
      expect(checkWrites(written(place, unknown), truth(...HAPPENED))).toEqual([]);
  });

  test.each([
    ["lost", written(), HAPPENED.slice(0, 3)],
    ["deletion lost", written(), HAPPENED.slice(0, 2)],
    ["done twice", written(), [...HAPPENED, event(9, "r-1", "<2>")]],
    ["done though refused", written(1, { outcome: "refused" }), HAPPENED],
    ["deleted though refused", written(2, { outcome: "refused" }), HAPPENED],
    ["bound to another revision", written(1, { bound: 1 }), HAPPENED],
    ["another revision told", written(0, { revision: 9 }), HAPPENED],
    ["written by nobody", written(), [...HAPPENED, event(9, "r-1", "<9>")]],
    ["done to another object", written(), [...HAPPENED.slice(0, 3), event(7, "r-2", "<4>")]],
  ])("are found: %s", (_, history, events) => {
    expect(checkWrites(history, truth(...events)).length).toBeGreaterThan(0);
  });
});

describe("order", () => {
  const readAt = (startMs: number, changes: Partial<Operation>) => {
    const history = [...written(), operation("read", { startMs, endMs: startMs + 2, ...changes })];
    checkWrites(history, truth(...HAPPENED)); // records the revisions of deletions
    return checkOrder(history, truth(...HAPPENED));
  };

  test("is right", () => {
    expect(readAt(12, { revision: 2, seen: sight(2, "<1>") })).toEqual([]);
    expect(readAt(25, { revision: 2, seen: sight(2, "<1>") })).toEqual([]); // the update is in flight
    expect(readAt(25, { revision: 3, seen: sight(3, "<2>") })).toEqual([]);
    expect(readAt(52, { outcome: "absent" })).toEqual([]);
    expect(readAt(72, { asked: "list", revision: 8, seen: { ...sight(7, "<4>"), revision: 8 } })).toEqual([]);
  });

  test.each([
    ["a read of what was replaced", readAt(32, { revision: 2, seen: sight(2, "<1>") })],
    ["a read of the future", readAt(12, { revision: 3, seen: sight(3, "<2>") })],
    ["a read of another value", readAt(12, { revision: 2, seen: sight(2, "<2>") })],
    ["not there though created", readAt(72, { outcome: "absent" })],
    ["an old list", readAt(72, { asked: "list", revision: 3, seen: sight(3, "<2>") })],
    ["a list of what was not there", readAt(72, { asked: "list", revision: 7, seen: sight(3, "<2>") })],
    [
      "a read older than another one before",
      [
        ...checkOrder(
          [
            ...written(1, { endMs: Number.POSITIVE_INFINITY, outcome: "unknown" }).slice(0, 2),
            operation("read", { startMs: 22, endMs: 23, revision: 3, seen: sight(3, "<2>") }),
            operation("read", { startMs: 24, endMs: 25, revision: 2, seen: sight(2, "<1>") }),
          ],
          truth(...HAPPENED),
        ),
      ],
    ],
  ])("finds %s", (_, findings) => {
    expect(findings.length).toBeGreaterThan(0);
  });
});

describe("watches", () => {
  const SEEN = [
    { type: "MODIFIED", name: "r-1", mark: "<2>", revision: 3 },
    { type: "DELETED", name: "r-1", mark: "<2>", revision: 5 },
    { type: "ADDED", name: "r-1", mark: "<4>", revision: 7 },
  ];
  const check = (events: Stretch["events"]) =>
    checkWatches([{ list: sight(2, "<1>"), events, upTo: 7, end: "" }], truth(...HAPPENED));

  test("are right", () => expect(check(SEEN)).toEqual([]));

  const [first, second, third] = SEEN as [Stretch["events"][0], Stretch["events"][0], Stretch["events"][0]];
  test.each([
    ["Ordered", [second, first, third]],
    ["Unique", [first, second, second, third]],
    ["Reliable", [first, third]],
    ["another type", [first, second, { ...third, type: "MODIFIED" }]],
    ["more than there was", [...SEEN, { ...third, revision: 8 }]],
  ])("are found: %s", (_, events) => expect(check(events).length).toBe(1));
});
