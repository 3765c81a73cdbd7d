// What a real etcd saves of what a real kube-apiserver has written is read as that server gave it.
import { copyFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { collect } from "../../../src/features/import/sources/collect.ts";
import { readFiles } from "../../../src/features/import/sources/files.ts";
import { Etcd, etcdProblem } from "../../support/etcd.ts";

const problem = etcdProblem();
if (problem !== undefined) console.warn(`not tested with a real etcd: ${problem}`);

interface Recorded {
  readonly key: string;
  readonly value: string;
  readonly object: { readonly metadata: object };
}

const PUTS_AT_ONCE = 8;

describe.skipIf(problem !== undefined)("a copy of a real etcd", () => {
  let etcd: Etcd;
  let recorded: readonly Recorded[];
  beforeAll(async () => {
    etcd = await Etcd.start();
    const facts = new URL("../../fixtures/facts/etcd/registry.json", import.meta.url);
    recorded = JSON.parse(await readFile(facts, "utf8")) as Recorded[];
    for (let at = 0; at < recorded.length; at += PUTS_AT_ONCE)
      await Promise.all(
        recorded
          .slice(at, at + PUTS_AT_ONCE)
          .map(({ key, value }) => etcd.put(key, Buffer.from(value, "base64"))),
      );
    const [first] = recorded;
    if (first === undefined) throw new Error("nothing was recorded");
    await etcd.put("/registry/example.com/notes/gone", Buffer.from('{"kind":"Note"}'));
    await etcd.delete("/registry/example.com/notes/gone");
    await etcd.put(first.key, Buffer.from(first.value, "base64"));
    await etcd.compact(50);
  });
  afterAll(() => etcd?.stop());

  const withoutVersion = ({ metadata, ...rest }: { readonly metadata: object }) => ({
    ...rest,
    metadata: { ...metadata, resourceVersion: "" },
  });

  async function expectAll(path: string) {
    const { objects, skipped, notes } = await collect(readFiles(path));
    expect(skipped.reasons).toEqual([]);
    const found = objects.map((object) => withoutVersion(JSON.parse(JSON.stringify(object))));
    expect(found).toHaveLength(recorded.length);
    for (const { object } of recorded) expect(found).toContainEqual(withoutVersion(object));
    const versions = objects.map(({ metadata }) => BigInt(metadata.resourceVersion ?? 0));
    expect(notes.revision).toBeGreaterThanOrEqual(versions.reduce((a, b) => (a > b ? a : b)));
  }

  test("that etcdctl has saved", () => expectAll(etcd.save("snapshot.db")));

  test("that is its file, copied, also found below a folder", async () => {
    const path = join(etcd.folder, "copied", "member", "snap");
    await mkdir(path, { recursive: true });
    await etcd.end();
    await copyFile(join(etcd.folder, "data", "member", "snap", "db"), join(path, "db"));
    await expectAll(join(path, "db"));
    await expectAll(join(etcd.folder, "copied"));
  });
});
