// What a test asks of the verdicts of its server.
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type EgretServer,
  expectTrace,
  startEgret,
  TraceMismatchError,
} from "../../../src/testing/start-egret.ts";

const manifest = (name: string) =>
  readFile(new URL(`../../e2e/manifests/${name}.yaml`, import.meta.url), "utf8");
const PACKET = { namespace: "shop", pod: "web" };

let server: EgretServer;
beforeAll(async () => {
  server = await startEgret({ objects: [await manifest("nodes"), await manifest("shop")].join("---\n") });
  const status = { phase: "Running", podIP: "10.128.0.7", podIPs: [{ ip: "10.128.0.7" }] };
  await server.client.patch("v1/Pod", "web", { status }, { namespace: "shop", subresource: "status" });
  await server.waitFor({ kind: "k8s.ovn.org/v1/EgressIP", name: "shop" }, "has(object.status)");
});
afterAll(() => server?.close());

test("an object is explained", () => {
  const { kind, summary, advice } = server.explain("egressip", "shop");
  expect(kind).toBe("EgressIP");
  expect(summary).toBe("10.9.9.9 has no node: no network of an assignable node contains it");
  expect(advice).toHaveLength(1);
  expect(server.explain("pod", "web", "shop").namespace).toBe("shop");
  expect(() => server.explain("egressip", "nobody")).toThrow(/not found/);
});

describe("claims about a trace", () => {
  test("that hold say nothing", () => {
    const allowed = server.trace({ ...PACKET, to: "8.8.8.8:443" });
    expectTrace(allowed).toBeAllowed();
    expectTrace(allowed).toLeaveBy("192.168.126.101");
    expectTrace(allowed).toLeaveFrom("node-a");
    expectTrace(allowed).toBeMarked(undefined);
    const denied = server.trace({ ...PACKET, to: "9.9.9.9" });
    expectTrace(denied).toBeDenied();
    expectTrace(denied).toBeDenied("EgressFirewall shop/default rule 1");
  });

  test("that do not hold tell the whole way", () => {
    const allowed = () => expectTrace(server.trace({ ...PACKET, to: "8.8.8.8:443" }));
    const denied = () => expectTrace(server.trace({ ...PACKET, to: "9.9.9.9" }));
    expect(() => allowed().toLeaveBy("192.168.126.11")).toThrow(TraceMismatchError);
    expect(() => allowed().toLeaveBy("192.168.126.101", "192.168.126.102")).toThrow(
      /^expected the packet to leave by 192\.168\.126\.101 or 192\.168\.126\.102, but:\n\npod shop\/web to 8\.8\.8\.8:443/,
    );
    expect(() => allowed().toLeaveFrom("node-b")).toThrow(/leave from node-b/);
    expect(() => allowed().toBeDenied()).toThrow(/to be denied, but/);
    expect(() => allowed().toBeMarked(46)).toThrow(/the DSCP 46, but/);
    expect(() => denied().toBeAllowed()).toThrow(/EgressFirewall shop\/default rule 1 denies/);
    expect(() => denied().toBeDenied("rule 0")).toThrow(/denied by rule 0, but/);
    expect(() => denied().toLeaveBy("192.168.126.101")).toThrow(TraceMismatchError);
  });

  test("what no object tells can be given", () => {
    const names = { "www.example.com": ["8.8.8.8"] };
    expectTrace(server.trace({ ...PACKET, to: "www.example.com:443", facts: { names } })).toBeAllowed();
    const { warnings } = server.trace({ ...PACKET, to: "www.example.com:443" });
    expect(warnings.join("\n")).toContain("--resolve www.example.com=ADDRESS");
  });
});

test("a plan says what would be, and changes nothing", async () => {
  const { moved } = await server.plan([{ delete: "node/node-a" }]);
  expect(moved).toEqual([{ egressIp: "shop", address: "192.168.126.101", from: "node-a", to: "node-b" }]);
  expectTrace(server.trace({ ...PACKET, to: "8.8.8.8" })).toLeaveFrom("node-a");
});

test("the loss of each node in turn is what a plan of that loss alone says", async () => {
  const answer = await fetch(`${server.url}/egret/v1/plan/nodes`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  const { items } = (await answer.json()) as { items: { node: string; nodes: unknown[] }[] };
  expect(items.length).toBeGreaterThan(1);
  for (const { node, ...loss } of items) {
    expect(loss, node).toEqual(await server.plan([{ delete: `node/${node}` }]));
    expect(loss.nodes, node).toContainEqual(expect.objectContaining({ node, after: 0 }));
  }
});
