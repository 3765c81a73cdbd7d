import { chmod, mkdir, stat, writeFile } from "node:fs/promises";
import { Level } from "level";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { toRevision } from "../../../../src/apimachinery/meta/revision.ts";
import type { EngineBatch } from "../../../../src/storage/engine.ts";
import { keepToOwner, openLevelEngine } from "../../../../src/storage/level/level-engine.ts";
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

  // Only a power cut would show whether a write waits for the disk, so this checks the options passed to LevelDB.
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
    const made = vi.spyOn(Level.prototype, "batch");
    const writing = engine.write(batch);
    const asked = vi.spyOn(made.mock.results[0]?.value, "write");
    await writing;
    expect(made).toHaveBeenCalledOnce();
    expect(asked).toHaveBeenCalledExactlyOnceWith({ sync });
    await engine.close();
  });

  test("the format is on the disk before anything else", async () => {
    const put = vi.spyOn(Level.prototype, "put");
    await (await openLevelEngine(folder)).close();
    expect(put).toHaveBeenCalledExactlyOnceWith(Buffer.from("m:format"), Buffer.from("1"), { sync: true });
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

  const keepIn = async (key: string, value: string) => {
    const db = new Level<string, string>(folder);
    await db.put(key, value);
    await db.close();
  };

  test("does not open what is of another program", async () => {
    await keepIn("somebody's", "1");
    await expect(openLevelEngine(folder)).rejects.toThrow("of another program");
  });

  test("opens what it has written itself, and no other format", async () => {
    await (await openLevelEngine(folder)).close();
    await (await openLevelEngine(folder)).close();
    const db = new Level<string, string>(folder);
    const [format = ""] = await db.keys().all();
    await db.put(format, "999");
    await db.close();
    await expect(openLevelEngine(folder)).rejects.toThrow("in format 999, this version reads");
  });

  const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

  test("takes its files and its folder from others, and leaves what the owner may not do", async () => {
    await (await openLevelEngine(folder)).close();
    await chmod(folder, 0o755);
    await chmod(`${folder}/CURRENT`, 0o464);
    await keepToOwner(folder);
    expect(await modeOf(folder)).toBe(0o700);
    expect(await modeOf(`${folder}/CURRENT`)).toBe(0o400);
  });

  test("leaves a folder that holds other things, and these, as they are", async () => {
    await (await openLevelEngine(folder)).close();
    await writeFile(`${folder}/notes.txt`, "");
    await chmod(`${folder}/notes.txt`, 0o644);
    await chmod(`${folder}/CURRENT`, 0o644);
    await chmod(folder, 0o755);
    await keepToOwner(folder);
    expect(await modeOf(folder)).toBe(0o755);
    expect(await modeOf(`${folder}/notes.txt`)).toBe(0o644);
    expect(await modeOf(`${folder}/CURRENT`)).toBe(0o600);
  });

  test("the keys of a server do not make a folder a foreign one", async () => {
    await mkdir(`${folder}/pki`);
    await chmod(folder, 0o755);
    await keepToOwner(folder);
    expect(await modeOf(folder)).toBe(0o700);
  });
});
