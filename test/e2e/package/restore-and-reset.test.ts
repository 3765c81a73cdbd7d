// Restore and reset bring back the whole state: with the installed package, through its commands and from a script.
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { installedFolder } from "../../support/package/packed-package.ts";
import { Player, type Terminal } from "../../support/package/player.ts";

const MINUTES_MS = 240_000;
const EGRESS_IP = "/apis/k8s.ovn.org/v1/egressips/web";
const EGRESS_SERVICE = "/apis/k8s.ovn.org/v1/namespaces/team-web/egressservices/web";
const NODE = "/api/v1/nodes/node-a";
const IN_TEAM = "/api/v1/namespaces/team-web";

let player: Player;
let server: Terminal;
let manifests: string;
beforeAll(async () => {
  player = await Player.in("restore-and-reset");
  manifests = join(await installedFolder(), "test/e2e/manifests");
  server = await player.serve();
}, MINUTES_MS);
afterAll(() => server?.[Symbol.asyncDispose]());
beforeEach(async () => void (await player.shell("egret reset --to empty")));

async function ask(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status?: Record<string, unknown> }> {
  const headers = { "content-type": "application/merge-patch+json" };
  const init = body === undefined ? {} : { body: JSON.stringify(body), headers };
  const answer = await fetch(`${server.url}${path}`, { method, ...init });
  expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true);
  return (await answer.json()) as { status?: Record<string, unknown> };
}

const apply = (...names: string[]) =>
  player.shell(["egret apply", ...names.map((name) => `-f ${manifests}/${name}.yaml`)].join(" "));
const settle = () => player.shell("egret clock settle");

async function nodeOf(path: string): Promise<unknown> {
  await settle();
  const { items, host } = Object((await ask("GET", path)).status);
  return host ?? items?.[0]?.node;
}

/** Without the revisions, which go on. */
const everything = async () =>
  (await player.shell("egret export --full")).replaceAll(/^ *resourceVersion: .*\n/gm, "");

/** Comes back to the state before the change, and stays there. */
async function comesBack(path: string, change: () => Promise<unknown>, back: string): Promise<void> {
  const before = await everything();
  await change();
  expect(await nodeOf(path)).not.toBe("node-a");
  await player.shell(back);
  expect(await nodeOf(path)).toBe("node-a");
  expect((await everything()).split("\n")).toEqual(before.split("\n"));
}

describe("an EgressIP", () => {
  const unlabel = () =>
    ask("PATCH", NODE, { metadata: { labels: { "k8s.ovn.org/egress-assignable": null } } });
  beforeEach(async () => {
    await apply("nodes", "egress-ip");
    expect(await nodeOf(EGRESS_IP)).toBe("node-a");
    await player.shell("egret snapshot save s --replace");
  });

  test.each([1, 2, 3])(
    "is back on the node that had been deleted, time %i",
    { timeout: MINUTES_MS },
    async () => {
      await comesBack(EGRESS_IP, () => ask("DELETE", NODE), "egret snapshot restore s");
    },
  );

  test("is back on the node that had lost its label", { timeout: MINUTES_MS }, async () => {
    await comesBack(EGRESS_IP, unlabel, "egret snapshot restore s");
  });

  test("is back after a reset to the snapshot", { timeout: MINUTES_MS }, async () => {
    await comesBack(EGRESS_IP, () => ask("DELETE", NODE), "egret reset --to s");
  });
});

test("an EgressService has its host again", { timeout: MINUTES_MS }, async () => {
  await apply("nodes", "egress-service");
  const ingress = [{ ip: "192.0.2.10" }];
  await ask("PATCH", `${IN_TEAM}/services/web/status`, { status: { loadBalancer: { ingress } } });
  const podIP = "10.128.0.5";
  const conditions = [{ type: "Ready", status: "True" }];
  const status = { phase: "Running", podIP, podIPs: [{ ip: podIP }], conditions };
  await ask("PATCH", `${IN_TEAM}/pods/web-1/status`, { status });
  expect(await nodeOf(EGRESS_SERVICE)).toBe("node-a");
  await player.shell("egret snapshot save s --replace");
  await comesBack(EGRESS_SERVICE, () => ask("DELETE", NODE), "egret snapshot restore s");
});

test("marks and node ids begin again after server.reset()", { timeout: MINUTES_MS }, async () => {
  await player.write(
    "marks.mjs",
    `import { readFile } from "node:fs/promises";
import { startEgret } from "egret-apiserver/testing";

const read = async (name) => await readFile(\`${manifests}/\${name}.yaml\`, "utf8");
const server = await startEgret({ objects: await read("nodes") });
const seen = [];
for (let round = 0; round < 3; round++) {
  await server.apply(await read("egress-ip"));
  const eip = await server.waitFor({ kind: "k8s.ovn.org/v1/EgressIP", name: "web" }, "has(object.status) && object.status.items.size() == 1");
  const node = await server.client.get("v1/Node", "node-a");
  seen.push([eip.status.items[0].node, eip.metadata.annotations["k8s.ovn.org/egressip-mark"], node.metadata.annotations["k8s.ovn.org/node-id"]].join(" "));
  await server.client.delete("v1/Node", "node-a");
  await server.reset();
}
console.log(seen.join("\\n"));
await server.close();
`,
  );
  const seen = (await player.shell("node marks.mjs")).trim().split("\n");
  expect(seen).toHaveLength(3);
  expect(seen[0]).toMatch(/^node-a 50000 \d+$/);
  expect(new Set(seen).size).toBe(1);
});
