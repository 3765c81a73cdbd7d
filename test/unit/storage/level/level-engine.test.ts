import { Level } from "level";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { toRevision } from "../../../../src/meta/revision.ts";
import type { EngineBatch } from "../../../../src/storage/engine.ts";
import { openLevelEngine } from "../../../../src/storage/level/level-engine.ts";
import { removeFolder, temporaryFolder } from "../../../contract/store-harness.ts";

const [two, three] = [toRevision(2), toRevision(3)];
const kv = { key: "/a", value: Buffer.from("1"), createRevision: two, modRevision: two };
const batch: EngineBatch = {
  changes: [{ revision: two, events: [{ type: "put", kv, prev: undefined }] }],
  forget: [],
  compacted: undefined,
};

describe("the LevelDB engine", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => {
    vi.restoreAllMocks();
    return removeFolder(folder);
  });

  // Whether the disk was waited for cannot be seen without cutting the power, so this looks at what LevelDB is asked.
  test.each<[string, EngineBatch, boolean]>([
    ["that changes keys waits for the disk", batch, true],
    [
      "that moves the compacted revision waits for the disk",
      { ...batch, changes: [], compacted: three },
      true,
    ],
    ["that only forgets does not", { ...batch, changes: [], forget: [{ revision: two, key: "/a" }] }, false],
  ])("one batch %s", async (_, batch, sync) => {
    const engine = await openLevelEngine(folder);
    const write = vi.spyOn(Level.prototype, "batch");
    await engine.write(batch);
    expect(write).toHaveBeenCalledExactlyOnceWith(expect.anything(), { sync });
    await engine.close();
  });

  test("makes the folder, with those above it", async () => {
    const engine = await openLevelEngine(`${folder}/some/where`);
    await engine.write(batch);
    await engine.close();
    const again = await openLevelEngine(`${folder}/some/where`);
    const { compacted, records } = await again.load();
    const pages = [];
    for await (const page of records) pages.push(...page);
    expect(compacted).toBe(1);
    expect(pages).toEqual([
      { revision: 2, ordinal: 0, key: "/a", put: { createRevision: 2, value: kv.value } },
    ]);
    await again.close();
  });
});
