// Imports a dump of a cluster in its original state, and checks that no object is lost as time passes.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { equalJson } from "../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
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
      return await pods(server, "monitoring");
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
  test("goes out as a state, and into another server, byte by byte", async () => {
    const export1 = await (async () => {
      await using server = await startEgret({ clock: "frozen" });
      await server.import(dumpedCluster());
      await server.clock.settle();
      return await stateOf(server);
    })();
    await using server = await startEgret({ clock: "frozen" });
    const sent = await fetch(`${server.url}/egret/v1/import?progress=true`, {
      ...{ method: "POST", body: export1 },
      headers: { "content-type": "application/x-ndjson" },
    });
    expect(await sent.text()).toContain('"report":');
    await server.clock.settle();
    expect((await stateOf(server)).split("\n")).toEqual(export1.split("\n"));
    expect(export1.split("\n").length).toBeGreaterThan(90);
  });

  test("goes out with each of its Events once, which two groups serve", async () => {
    await using server = await startEgret({ clock: "frozen" });
    const involvedObject = { kind: "Node", name: "n" };
    const metadata = { name: "n.1", namespace: "default" };
    await server.import([
      { apiVersion: "v1", kind: "Event", metadata, involvedObject, reason: "A", type: "Normal" },
    ]);
    const lines = (await stateOf(server)).trim().split("\n");
    const events = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === "Event");
    expect(events).toMatchObject([{ apiVersion: "v1", involvedObject }]);
  });
  test("sets up the server that begins with it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "egret-import-"));
    const file = join(folder, "dump.json");
    await writeFile(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: dumpedCluster() }));
    await using server = await startEgret({ clock: "frozen", server: { import: [file] } });
    await server.clock.advance(HOUR_MS);
    const wanted = dumpedCluster().filter(({ kind }) => kind !== "Secret");
    expect(await otherThan(server, wanted)).toEqual([]);
    expect(await differenceOf(server)).toMatchObject({ differs: false, added: [], removed: [], changed: [] });
    expect(await differenceOf(server, "?recompute=true")).toMatchObject({
      ...{ differs: true, decisions: { moved: [] } },
      anew: {
        moved: expect.arrayContaining([expect.objectContaining({ egressIp: "odd", from: "worker-3" })]),
      },
    });
    const made = await server.client.create({
      ...{ apiVersion: "v1", kind: "Service", metadata: { name: "new" } },
      spec: { ports: [{ port: 80 }] },
    });
    expect(made.spec?.clusterIP).toMatch(/^172\.30\./);
    await rm(folder, { recursive: true });
  });
});

test("a line that no object can have is refused, and nothing of the body is stored", async () => {
  await using server = await startEgret();
  const line = (name: string, data: string) =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "default" },
      data: { data },
    });
  const answer = await fetch(`${server.url}/egret/v1/import`, {
    ...{ method: "POST", headers: { "content-type": "application/x-ndjson" } },
    body: `${line("small", "")}\n${line("large", "x".repeat(4_200_000))}\n`,
  });
  expect({ status: answer.status, body: await answer.json() }).toMatchObject({
    status: 413,
    body: {
      message: "Request entity too large: a line has more than 4194304 bytes; send a larger List as a file",
    },
  });
  expect(await server.client.find("v1/ConfigMap", "small", { namespace: "default" })).toBeUndefined();
});

const stateOf = async (server: Server): Promise<string> =>
  (await fetch(`${server.url}/egret/v1/state`)).text();

async function differenceOf(server: Server, query = ""): Promise<unknown> {
  const answer = await fetch(`${server.url}/egret/v1/diff${query}`, {
    ...{ method: "POST", headers: { "content-type": "application/x-ndjson" } },
    body: dumpedCluster()
      .map((object) => JSON.stringify(object))
      .join("\n"),
  });
  return answer.json();
}

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

/** Pairs of the imported and the stored object, where they differ. */
async function otherThan(server: Server, objects: readonly KubeObject[]): Promise<unknown[]> {
  const now = await shown(server, objects);
  const pairs = objects.map((object, index) => ({ was: withoutVersion(object), is: now[index] }));
  return pairs.filter(({ was, is }) => !equalJson(was, is)).slice(0, 2);
}

const withoutVersion = (object: KubeObject): KubeObject => {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  return { ...object, metadata };
};
