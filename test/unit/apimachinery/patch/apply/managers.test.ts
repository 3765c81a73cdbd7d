// Field managers: their identity, order, timestamps and number.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../../../../src/apimachinery/meta/object-meta.ts";
import {
  apply,
  conflict,
  entriesAfter,
  forceApply,
  kindOf,
  type Operation,
  play,
  State,
  update,
} from "./state.ts";

const kind = kindOf({ v1: { map: { type: "object", additionalProperties: { type: "string" } } } });
const map = (members: JsonObject) => ({ spec: { map: members } });

const STATUS = { subresource: "status", resetFields: [["spec"], ["metadata"]] };
const MAIN = { resetFields: [["status"]] };

describe("identity", () => {
  test("one name that applies and updates is two managers", () => {
    const { managers } = play(kind, [apply("ann", map({ a: "1" })), update("ann", map({ a: "1", b: "2" }))]);
    expect(managers).toEqual({ "ann Apply": ".spec.map.a", "ann Update": ".spec.map.b" });
  });

  test("so is one that uses several subresources", () => {
    const { managers } = play(kind, [
      apply("ann", map({ a: "1" }), MAIN),
      apply("ann", { status: { x: 1 } }, STATUS),
      update("ann", { ...map({ a: "2" }), status: { x: 2 } }, STATUS),
    ]);
    expect(managers).toEqual({ "ann Apply": ".spec.map.a", "ann Update /status": ".status.x" });
  });

  test("what an endpoint does not change is not owned through it", () => {
    const { managers } = play(kind, [
      update("ann", { ...map({ a: "1" }), status: { x: 1 } }, MAIN),
      apply("bob", { ...map({ z: "1" }), metadata: { labels: { l: "1" } }, status: { x: 1 } }, STATUS),
    ]);
    expect(managers).toEqual({
      "bob Apply /status": ".status.x",
      "ann Update": ".spec .spec.map .spec.map.a",
    });
  });

  test("conflicts name the subresource", () => {
    const state = new State(kind);
    state.run(update("ann", { status: { x: 1 } }, STATUS));
    expect(() => state.run(apply("bob", { status: { x: 2 } }, STATUS))).toThrow(
      'Apply failed with 1 conflict: conflict with "ann" with subresource "status" using example.org/v1: .status.x',
    );
  });

  test("without a name it is unknown", () => {
    expect(Object.keys(play(kind, [update("", map({ a: "1" }))]).managers)).toEqual(["unknown Update"]);
  });
});

test("several conflicts are told manager by manager", () => {
  const state = new State(kind);
  state.run(update("bob", map({ a: "1" })));
  state.run(apply("ann", map({ b: "1", c: "1" })));
  expect(() => state.run(apply("eve", map({ a: "2", b: "2", c: "2" })))).toThrow(
    [
      'Apply failed with 3 conflicts: conflicts with "ann":',
      "- .spec.map.b",
      "- .spec.map.c",
      'conflicts with "bob" using example.org/v1:',
      "- .spec.map.a",
    ].join("\n"),
  );
});

describe("entries", () => {
  test("look like this", () => {
    expect(
      entriesAfter(kind, [update("ann", map({ a: "1" })), apply("bob", { status: { x: 1 } }, STATUS)]),
    ).toEqual([
      {
        manager: "bob",
        operation: "Apply",
        apiVersion: "example.org/v1",
        time: "2024-01-01T00:00:01Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:status": { "f:x": {} } },
        subresource: "status",
      },
      {
        manager: "ann",
        operation: "Update",
        apiVersion: "example.org/v1",
        time: "2024-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:spec": { ".": {}, "f:map": { ".": {}, "f:a": {} } } },
      },
    ]);
  });

  test("stand by operation, then by time", () => {
    const operations = [
      update("u1", map({ a: "1" })),
      apply("a1", map({ b: "1" })),
      update("u2", map({ a: "1", b: "1", c: "1" })),
      apply("a2", map({ d: "1" })),
      update("u1", map({ a: "2", b: "1", c: "1", d: "1" })),
    ];
    expect(entriesAfter(kind, operations)?.map(({ manager }) => manager)).toEqual(["a1", "a2", "u2", "u1"]);
  });
});

describe("times", () => {
  const times = (...operations: Operation[]) =>
    Object.fromEntries(
      entriesAfter(kind, operations)?.map(({ manager = "", time }) => [manager, time?.slice(17)]) ?? [],
    );

  test("are those of the last write that changed something", () => {
    expect(
      times(update("ann", map({ a: "1" })), apply("bob", map({ b: "1" })), apply("bob", map({ b: "1" }))),
    ).toEqual({
      ann: "00Z",
      bob: "01Z",
    });
  });

  test("of who owns the same fields with new values, too", () => {
    expect(times(update("ann", map({ a: "1" })), update("ann", map({ a: "2" })))).toEqual({ ann: "01Z" });
  });

  test("of those who only lose something stay", () => {
    expect(times(update("ann", map({ a: "1", b: "1" })), update("bob", map({ a: "2", b: "1" })))).toEqual({
      ann: "00Z",
      bob: "01Z",
    });
  });

  test("a first apply that changes nothing leaves none", () => {
    expect(times(update("ann", map({ a: "1" })), apply("bob", map({ a: "1" })))).toEqual({
      bob: undefined,
      ann: "00Z",
    });
  });
});

describe("objects that nobody has been tracked for", () => {
  const live = (): KubeObject => ({
    apiVersion: "example.org/v1",
    kind: "Thing",
    metadata: { name: "x" },
    spec: { map: { a: "1" } },
  });

  test("stay so through updates", () => {
    const state = new State(kind, live());
    state.run(update("ann", map({ a: "2" })));
    expect(state.outcome().managers).toEqual({});
  });

  test("until the first apply, which finds what was there before", () => {
    const state = new State(kind, live());
    state.run(conflict(apply("ann", map({ a: "2" })), "before-first-apply .spec.map.a"));
    state.run(forceApply("ann", map({ a: "2" })));
    expect(state.outcome().managers).toEqual({
      "ann Apply": ".spec.map.a",
      "before-first-apply Update": ".spec .spec.map",
    });
  });
});

describe("managedFields sent by a client", () => {
  const sent = (managedFields: unknown) => ({
    ...map({ a: "2" }),
    metadata: { managedFields } as JsonObject,
  });
  const entry = (more: JsonObject): JsonObject => ({
    manager: "eve",
    operation: "Update",
    apiVersion: "example.org/v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": { "f:map": { "f:z": {} } } },
    ...more,
  });
  const after = (managedFields: unknown) =>
    play(kind, [update("ann", map({ a: "1" })), update("bob", sent(managedFields))]).managers;
  const IGNORED = { "ann Update": ".spec .spec.map", "bob Update": ".spec.map.a" };

  test.each<[string, unknown, JsonObject]>([
    ["an empty list forgets everybody", [], {}],
    ["so does an empty entry", [{}], {}],
    ["null counts for nothing", null, IGNORED],
    [
      "others take the place of what was there",
      [entry({})],
      { "eve Update": ".spec.map.z", "bob Update": ".spec.map.a" },
    ],
    ["unless one makes no sense: an operation", [entry({ operation: "Patch" })], IGNORED],
    ["a type of fields", [entry({ fieldsType: "FieldsV2" })], IGNORED],
    ["no version", [entry({ apiVersion: "" })], IGNORED],
    ["fields", [entry({ fieldsV1: { "f:spec": { bad: {} } } })], IGNORED],
    [
      "steps of a kind to come are passed over",
      [entry({ fieldsV1: { "x:new": {}, "f:spec": {} } })],
      {
        "eve Update": ".spec",
        "bob Update": ".spec.map.a",
      },
    ],
    [
      "entries at versions that do not exist are dropped",
      [entry({ apiVersion: "example.org/v9" })],
      { "bob Update": ".spec.map.a" },
    ],
  ])("%s", (_rule, managedFields, expected) => {
    expect(after(managedFields)).toEqual(expected);
  });

  test("through a subresource they are not looked at", () => {
    const operations = [update("ann", map({ a: "1" })), update("bob", sent([]), { subresource: "status" })];
    expect(play(kind, operations).managers).toEqual({
      "ann Update": ".spec .spec.map",
      "bob Update /status": ".spec.map.a",
    });
  });

  test("are refused in what is applied", () => {
    expect(() => play(kind, [apply("ann", sent([]))])).toThrow("metadata.managedFields must be nil");
  });
});

describe("the limit", () => {
  /** Every manager adds a field of its own. */
  const crowd = (size: number): Operation[] =>
    Array.from({ length: size }, (_, last) =>
      update(
        `m${last}`,
        map(Object.fromEntries(Array.from({ length: last + 1 }, (_item, index) => [`k${index}`, "1"]))),
      ),
    );
  const names = (size: number) => entriesAfter(kind, crowd(size))?.map(({ manager }) => manager);

  test("ten managers that update", () => {
    expect(names(10)).toHaveLength(10);
  });

  test("beyond it the oldest are put together", () => {
    expect(names(12)).toEqual(["ancient-changes", "m3", "m4", "m5", "m6", "m7", "m8", "m9", "m10", "m11"]);
    const [oldest] = entriesAfter(kind, crowd(12)) ?? [];
    expect(oldest?.fieldsV1).toEqual({
      "f:spec": { ".": {}, "f:map": { ".": {}, "f:k0": {}, "f:k1": {}, "f:k2": {} } },
    });
    expect(oldest?.time).toBe("2024-01-01T00:00:02Z");
  });

  test("managers that apply are not counted", () => {
    const appliers = Array.from({ length: 12 }, (_, index) =>
      apply(`a${index}`, map({ [`k${index}`]: "1" })),
    );
    expect(entriesAfter(kind, appliers)).toHaveLength(12);
  });
});

test("a write that changes nothing leaves the entries as they are", () => {
  const state = new State(kind);
  state.run(update("ann", map({ a: "1" })));
  const entries: readonly ManagedFieldsEntry[] | undefined = state.live?.metadata.managedFields;
  state.run(update("bob", map({ a: "1" })));
  expect(state.live?.metadata.managedFields).toBe(entries);
});
