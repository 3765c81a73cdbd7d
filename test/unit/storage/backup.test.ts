import { crc32 } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { toRevision } from "../../../src/apimachinery/meta/revision.ts";
import { backupLines, restoreLines } from "../../../src/storage/backup.ts";
import { createMemoryEngine } from "../../../src/storage/engine.ts";
import { openMvccStore } from "../../../src/storage/mvcc/mvcc-store.ts";
import type { Store } from "../../../src/storage/store.ts";
import { create, remove, update } from "../../contract/store-harness.ts";
import { ManualClock } from "./manual-clock.ts";

const open = (engine = createMemoryEngine()): Promise<Store> =>
  openMvccStore(engine, { clock: new ManualClock() });

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  for (const line of lines) yield line.replace(/\n$/, "");
}

/** /a at 2, 3 and 5, /b at 2, gone at 4; what was before 3 is forgotten. */
async function someStore(): Promise<Store> {
  const store = await open();
  await store.commit([create("/a", "1"), create("/b", "ä")]);
  await store.commit([update("/a", "2", 2)]);
  await store.compact(toRevision(3));
  await store.commit([remove("/b", 2)]);
  await store.commit([update("/a", "3", 3)]);
  return store;
}

async function linesOf(store: Store): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of backupLines(store)) lines.push(line);
  return lines;
}

async function restored(lines: readonly string[]): Promise<Store> {
  const engine = createMemoryEngine();
  await restoreLines(each(lines), engine, "the file");
  return open(engine);
}

const ALL = { from: "", to: "\uffff" };

test("a restored store is the same one, at every revision that can be read", async () => {
  await using store = await someStore();
  await using copy = await restored(await linesOf(store));
  expect([copy.revision, copy.compactedRevision]).toEqual([5, 3]);
  for (const at of [3, 4, 5].map(toRevision)) {
    expect(copy.list(ALL, { at }).items.map(plain)).toEqual(store.list(ALL, { at }).items.map(plain));
  }
  expect(await copy.commit([update("/a", "4", 5)])).toBe(6);
});

const plain = ({
  key,
  value,
  createRevision,
  modRevision,
}: {
  key: string;
  value: Uint8Array;
  createRevision: number;
  modRevision: number;
}) => ({
  key,
  value: Buffer.from(value).toString("hex"),
  createRevision,
  modRevision,
});

test("a backup is text, a line for each revision that is left or kept", async () => {
  await using store = await open();
  await store.commit([create("/b", "1"), create("/z", "1")]);
  await store.commit([create("/d", "1"), create("/a", "1"), remove("/z", 2)]);
  await store.commit([create("/c", "1")]);
  await store.compact(toRevision(4));
  await store.commit([remove("/b", 2), update("/a", "2", 3)]);
  const lines = [
    '{"egretBackup":1,"compacted":4,"revision":5}',
    '{"revision":2,"ops":[{"key":"/b","createRevision":2,"value":"MQ=="}]}',
    '{"revision":3,"ops":[{"key":"/a","createRevision":3,"value":"MQ=="},{"key":"/d","createRevision":3,"value":"MQ=="}]}',
    '{"revision":4,"ops":[{"key":"/c","createRevision":4,"value":"MQ=="}]}',
    '{"revision":5,"ops":[{"key":"/b"},{"key":"/a","createRevision":3,"value":"Mg=="}]}',
  ].map((line) => `${line}\n`);
  const end = `{"end":true,"changes":4,"crc32":${crc32(lines.join(""))}}\n`;
  expect(await linesOf(store)).toEqual([...lines, end]);
});

test("a long history is restored in batches, and its revision is told", async () => {
  await using store = await open();
  await store.transform(() => Array.from({ length: 1200 }, (_, index) => [create(`/${index}`)]));
  const engine = createMemoryEngine();
  const write = vi.spyOn(engine, "write");
  expect(await restoreLines(each(await linesOf(store)), engine, "the file")).toBe(1201);
  expect(write.mock.calls.map(([{ changes }]) => changes.length)).toEqual([500, 500, 200]);
  await using copy = await open(engine);
  expect([copy.count(ALL), copy.revision]).toEqual([1200, 1201]);
});

test("values are bytes of any kind", async () => {
  await using store = await open();
  const value = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  await store.commit([{ type: "create", key: "/a", value }]);
  await using copy = await restored(await linesOf(store));
  expect([...(copy.get("/a")?.value ?? [])]).toEqual([...value]);
});

test("an empty store has a backup too", async () => {
  await using store = await open();
  await using copy = await restored(await linesOf(store));
  expect(copy.revision).toBe(1);
});

test("writes after the beginning of a backup are not in it", async () => {
  await using store = await someStore();
  const lines = backupLines(store);
  const first = await lines.next();
  await store.commit([create("/c", "1")]);
  const rest: string[] = [String(first.value)];
  for await (const line of lines) rest.push(line);
  await using copy = await restored(rest);
  expect(copy.revision).toBe(5);
  expect(copy.get("/c")).toBeUndefined();
});

describe("is refused", () => {
  const [end, other, more] = [
    "its end is missing",
    "it is not what was written",
    "something follows its end",
  ];
  test.each<[string, (lines: string[]) => string[], string]>([
    ["without its end", (lines) => lines.slice(0, -1), end],
    ["with a line missing", (lines) => lines.toSpliced(1, 1), other],
    ["with a line twice", (lines) => lines.toSpliced(1, 0, lines[1] ?? ""), "line 3 cannot be read"],
    [
      "with a letter changed",
      (lines) => lines.map((line) => line.replace('"value":"Mg=="', '"value":"Nw=="')),
      other,
    ],
    [
      "whose end counts wrong",
      (lines) => lines.map((line) => line.replace('"changes":4', '"changes":5')),
      other,
    ],
    [
      "cut in a line",
      (lines) => [...lines.slice(0, -1), (lines.at(-1) ?? "").slice(0, 9)],
      "line 6 cannot be read",
    ],
    ["with more behind its end", (lines) => [...lines, ...lines], more],
    ["of another format", (lines) => ['{"egretBackup":2}', ...lines.slice(1)], "it does not begin like one"],
    ["that is something else", () => ["hello"], "line 1 cannot be read"],
    ["that is a list", () => ["[]"], "line 1 cannot be read"],
    ["that is empty", () => [], end],
  ])("a backup %s", async (_what, spoil, why) => {
    await using store = await someStore();
    const spoilt = spoil(await linesOf(store));
    await expect(restored(spoilt)).rejects.toMatchObject({
      code: "UNREADABLE",
      message: `the file is no whole backup: ${why}`,
    });
  });
});
