import { describe, expect, test } from "vitest";
import { Normaliser } from "./runner/normalise.ts";

const UID_A = "0c0ffee0-1111-4222-8333-444455556666";
const UID_B = "0c0ffee0-1111-4222-8333-444455557777";
const now = () => new Date().toISOString();
const normaliser = () => new Normaliser("abcd1234");

describe("texts", () => {
  const table: [rule: string, text: string, expected: string][] = [
    ["the case's own word becomes <id>", "conf-abcd1234/x", "conf-<id>/x"],
    ["a time of this hour becomes <now>", `${now().slice(0, 19)}Z`, "<now>"],
    ["a time of this hour with fractions becomes <now-micro>", now(), "<now-micro>"],
    ["an old time stays", "2001-02-03T04:05:06Z", "2001-02-03T04:05:06Z"],
    ["a time inside a longer text stays", `at ${now()}`, expect.stringMatching(/^at 2/)],
    ["a uid becomes a symbol wherever it stands", `uid: ${UID_A}.`, "uid: <uid:1>."],
    [
      "the numbers of an old revision go",
      "too old resource version: 1 (7)",
      "too old resource version: <rv>",
    ],
    [
      "the numbers of a future revision go",
      "Too large resource version: 99, current: 7",
      "too large resource version: <rv>",
    ],
  ];
  test.each(table)("%s", (_rule, text, expected) => {
    expect(normaliser().text(text)).toEqual(expected);
  });
});

test("equal uids and revisions get equal symbols, new ones the next number", () => {
  const object = (uid: string, resourceVersion: string) => ({ metadata: { uid, resourceVersion } });
  const value = [object(UID_A, "7"), object(UID_B, "9"), object(UID_A, "9")];
  expect(normaliser().value(value)).toEqual([
    object("<uid:1>", "<rv:1>"),
    object("<uid:2>", "<rv:2>"),
    object("<uid:1>", "<rv:2>"),
  ]);
});

test("a resourceVersion that is no number and an empty one stay", () => {
  const value = { a: { resourceVersion: "" }, b: { resourceVersion: "x1" }, c: { resourceVersion: 5 } };
  expect(normaliser().value(value)).toEqual(value);
});

test("a list's own revision and continue token are only present, its items' revisions are counted", () => {
  const list = {
    kind: "PodList",
    metadata: { resourceVersion: "41", continue: "abc", remainingItemCount: 2 },
    items: [{ metadata: { resourceVersion: "41" } }],
  };
  expect(normaliser().value(list)).toEqual({
    kind: "PodList",
    metadata: { resourceVersion: "<rv:list>", continue: "<continue>", remainingItemCount: 2 },
    items: [{ metadata: { resourceVersion: "<rv:1>" } }],
  });
});

test("a bookmark's revision is only present", () => {
  const bookmark = { type: "BOOKMARK", object: { kind: "Pod", metadata: { resourceVersion: "41" } } };
  expect(normaliser().value(bookmark)).toEqual({
    type: "BOOKMARK",
    object: { kind: "Pod", metadata: { resourceVersion: "<rv:bookmark>" } },
  });
});

test("a table loses column descriptions and ages", () => {
  const table = {
    kind: "Table",
    metadata: { resourceVersion: "3" },
    columnDefinitions: [{ name: "Age", type: "date", description: "since when" }],
    rows: [{ cells: ["a", 3, null, "5d12h", "<unknown>", "120ms", "5 days"] }],
  };
  expect(normaliser().value(table)).toEqual({
    kind: "Table",
    metadata: { resourceVersion: "<rv:list>" },
    columnDefinitions: [{ name: "Age", type: "date" }],
    rows: [{ cells: ["a", 3, null, "<age>", "<age>", "<age>", "5 days"] }],
  });
});

test("names of members are texts too", () => {
  expect(normaliser().value({ "x.abcd1234.example.com": 1 })).toEqual({ "x.<id>.example.com": 1 });
});

test("the end of a generated name becomes a symbol once it is remembered", () => {
  const names = normaliser();
  names.rememberGeneratedName("web-x2lkq");
  names.rememberGeneratedName("not-generated");
  expect(names.text("pod web-x2lkq")).toBe("pod web-<generated:1>");
  expect(names.text("not-generated")).toBe("not-generated");
});

test("only the compared headers are kept", () => {
  const headers = { "content-type": "application/json", date: now(), warning: ["299 - a", "299 - abcd1234"] };
  expect(normaliser().headers(headers as Record<string, string | string[]>)).toEqual({
    "content-type": "application/json",
    warning: ["299 - a", "299 - <id>"],
  });
});
