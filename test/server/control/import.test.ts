// A dump of a cluster into a server, as it stood; and that nothing of it is lost when time passes.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { equalJson } from "../../../src/meta/json.ts";
import type { KubeObject } from "../../../src/meta/object-meta.ts";
import type { AnyObject } from "../../../src/testing/kinds.ts";
import { startEgret } from "../../../src/testing/start-egret.ts";
import { dumpedCluster } from "../../support/dump/cluster.ts";

const HOUR_MS = 3_600_000;

describe("an imported cluster", () => {
  test("stands as it stood, and so it does after an hour", async () => {
    await using server = await startEgret({ clock: "frozen", server: { clusterSubnets: "10.128.0.0/14" } });
    const objects = dumpedCluster();
    const report = await server.import(objects);
    expect(report).toMatchObject({ absentOwners: 3, kept: [], derived: [], redacted: 0 });
    expect(report.skipped.map(({ count }) => count)).toEqual([1]);
    expect(report.objects).toBe(objects.length - 1);
    const wanted = objects.filter(({ kind }) => kind !== "Secret");
    await server.clock.settle();
    expect(await otherThan(server, wanted)).toEqual([]);
    await server.clock.advance(HOUR_MS);
    expect(await otherThan(server, wanted)).toEqual([]);
  });
  test("loses no dependents of owners that did not come, and those of others as ever", async () => {
    const storage = { folder: await mkdtemp(join(tmpdir(), "egret-import-")) };
    const pods = async (server: Server, namespace: string) =>
      (await server.client.list("v1/Pod", { namespace })).items.map(({ metadata }) => metadata.name).sort();
    const before = await (async () => {
      await using server = await startEgret({ storage });
      await server.import(dumpedCluster());
      return pods(server, "monitoring");
    })();
    await using server = await startEgret({ storage, clock: "frozen" });
    await server.clock.settle();
    expect(before).toHaveLength(13);
    expect(await pods(server, "monitoring")).toEqual(before);
    await server.client.delete("apps/v1/DaemonSet", "node-exporter", { namespace: "monitoring" });
    await server.clock.advance(60_000);
    expect(await pods(server, "monitoring")).toEqual(before.filter((name) => name?.startsWith("prometheus")));
    expect(await pods(server, "billing")).toHaveLength(7);
    await rm(storage.folder, { recursive: true });
  });
});

type Server = Awaited<ReturnType<typeof startEgret>>;

const shown = (server: Server, objects: readonly KubeObject[]): Promise<KubeObject[]> =>
  Promise.all(
    objects.map(async ({ apiVersion = "", kind = "", metadata: { name = "", namespace } }) => {
      const place = namespace === undefined ? {} : { namespace };
      const found = await server.client.find<AnyObject>(`${apiVersion}/${kind}`, name, place);
      return found === undefined
        ? { metadata: { name: `no ${kind} ${name}` } }
        : withoutVersion(found as unknown as KubeObject);
    }),
  );

/** Pairs of what was and what is, where they differ. */
async function otherThan(server: Server, objects: readonly KubeObject[]): Promise<unknown[]> {
  const now = await shown(server, objects);
  const pairs = objects.map((object, index) => ({ was: withoutVersion(object), is: now[index] }));
  return pairs.filter(({ was, is }) => !equalJson(was, is)).slice(0, 2);
}

const withoutVersion = (object: KubeObject): KubeObject => {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  return { ...object, metadata };
};
