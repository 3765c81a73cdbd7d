// The small demo becomes idle, shows its scenario, and survives a node failure.
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { hints } from "../../../src/cli/demo/demo.ts";
import { failAndRecover, layObjects, readiness } from "../../../src/cli/demo/lay.ts";
import { countsOf } from "../../../src/cli/demo/objects.ts";
import { DEFAULT_SETTINGS } from "../../../src/controller/settings.ts";
import { createServer, type Server } from "../../../src/server/server.ts";

const MINUTE_MS = 60_000;
const options = {
  ...{ inMemory: true, listen: "127.0.0.1:0", kubeconfig: undefined, cluster: true, logLevel: "silent" },
  ...{ clock: "2030-01-01T12:00:00Z", seed: "demo" },
};

/** Of pods that are not being deleted: on a failed node no kubelet ends them. */
const nodesOf = async (server: Server): Promise<Set<unknown>> => {
  const { items } = await server.clientFor("test").list({ group: "", version: "v1", resource: "pods" });
  const living = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return new Set(living.map((pod: KubeObject) => (pod["spec"] as { nodeName?: string }).nodeName));
};

const told = ({ control: { verdicts } }: Server, kind: string, name: string, namespace = ""): string =>
  verdicts.explain(kind, namespace, name).summary;

test("a shop on six nodes; one of them fails, is left, and comes back", async () => {
  await using server = await createServer(options);
  expect(await layObjects(server, "small", DEFAULT_SETTINGS)).toBe(true);
  await server.control.clock.advance(MINUTE_MS);
  expect(await readiness(server)).toEqual({ ready: 19, wanted: countsOf("small").pods });
  expect((await nodesOf(server)).size).toBe(6);
  expect(told(server, "egressip", "payments")).toContain("each of its addresses has a node");
  expect(told(server, "egressip", "partner")).toContain("no network of an assignable node contains it");
  expect(told(server, "egressservice", "web", "shop")).toContain("has its host on");
  const many = await server.control.verdicts.traceMany({
    ...{ from: ["ns/payments"], to: ["203.0.113.9:443", "8.8.8.8:443"] },
    ...{ protocol: "tcp", by: "namespace" },
  });
  expect(many.ways.map(({ verdict }) => verdict).sort()).toEqual(["allowed", "denied"]);

  // The demo waits by the server's clock, which runs while it waits.
  const stop = new AbortController();
  const texts: string[] = [];
  const addresses = () => told(server, "node", "worker-1");
  const sleep = async (ms: number): Promise<void> => {
    if (texts.length === 0) expect(addresses()).toContain("carries 1 egress address");
    await server.control.clock.advance(ms);
    if (texts.length === 1) {
      expect(await readiness(server)).toEqual({ ready: 19, wanted: 19 });
      expect(await nodesOf(server)).not.toContain("worker-1");
      expect(addresses()).toMatch(/^Node worker-1 carries (no|0) /);
      expect(told(server, "egressip", "payments")).toContain("each of its addresses has a node");
    }
    if (texts.length < 2) return;
    expect(addresses()).toContain("carries 0 egress addresses");
    stop.abort();
  };
  await failAndRecover(server, { clock: { sleep }, signal: stop.signal, tell: (text) => texts.push(text) });
  expect(texts.map((text) => text.split(/:|;/)[0])).toEqual(["worker-1 has failed", "worker-1 is back"]);
  expect(await layObjects(server, "small", DEFAULT_SETTINGS)).toBe(false);
});

test("the README shows what it prints", async () => {
  const readme = await readFile(new URL("../../../README.md", import.meta.url), "utf8");
  const [, shown] = /^Try:\n( {2}export KUBECONFIG[\s\S]*?)```/m.exec(readme) ?? [];
  expect(shown).toBeDefined();
  expect(hints({ kubeconfigFile: { path: ".egret/kubeconfig" } as never })).toContain(`Try:\n${shown}`);
});
