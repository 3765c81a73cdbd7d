// Restored state stays as saved: controllers that have seen another state since do not write what they remember over it.
// Checked from outside, through the command and over HTTP.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { type EgretProcess, runEgret, startEgret } from "../../support/egret-process.ts";
import { eventually } from "../../support/eventually.ts";

interface Thing {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    resourceVersion?: string;
  };
  readonly status?: { readonly items?: readonly { readonly node: string }[]; readonly host?: string };
  readonly items: readonly Thing[];
}

const ASSIGNABLE = "k8s.ovn.org/egress-assignable";
const MARK = "k8s.ovn.org/egressip-mark";
const NODE_ID = "k8s.ovn.org/node-id";
const EGRESS_IPS = "/apis/k8s.ovn.org/v1/egressips";
const IN_TEAM = "namespaces/team-web";
const EGRESS_SERVICE = `/apis/k8s.ovn.org/v1/${IN_TEAM}/egressservices/web`;

let folder: string;
let server: EgretProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-anew-"));
  server = await startEgret(["--in-memory", "--kubeconfig", join(folder, "kubeconfig")]);
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => void (await ask("POST", "/egret/v1/reset")));

async function egret(...words: string[]): Promise<void> {
  const env = { EGRET_KUBECONFIG: join(folder, "kubeconfig") };
  expect(await runEgret(words, { env })).toMatchObject({ code: 0 });
}

async function ask(method: string, path: string, body?: unknown, type = "application/json"): Promise<Thing> {
  const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": type } };
  const answer = await fetch(`${server.url}${path}`, { method, ...init });
  const json = (await answer.json()) as Thing;
  expect([answer.ok, json]).toEqual([true, json]);
  return json;
}

const patch = (path: string, body: unknown) => ask("PATCH", path, body, "application/merge-patch+json");

/** Creates the objects of a manifest, each with its status. */
async function create(name: string): Promise<void> {
  const text = await readFile(join(import.meta.dirname, "../manifests", name), "utf8");
  for (const document of parseAllDocuments(text)) {
    const object = document.toJS() as Thing;
    const { apiVersion, kind, metadata } = object;
    const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const within = metadata.namespace ? `/namespaces/${metadata.namespace}` : "";
    await ask("POST", `${root}${within}/${kind.toLowerCase()}s`, object);
  }
}

const nodeOf = async () => (await ask("GET", `${EGRESS_IPS}/web`)).status?.items?.[0]?.node;
const hostOf = async () => (await ask("GET", EGRESS_SERVICE)).status?.host;
const placedOn = (node: string) => eventually(nodeOf, (seen) => seen === node);
const hostedBy = (node: string) => eventually(hostOf, (seen) => seen === node);

/** All that the server holds, but for resource versions. */
async function everything(): Promise<readonly Thing[]> {
  const { items } = await ask("GET", "/egret/v1/export?full=true&format=json");
  for (const { metadata } of items) delete metadata.resourceVersion;
  return items;
}

/** Once nothing is written any more. */
async function settled(): Promise<readonly Thing[]> {
  await ask("POST", "/egret/v1/clock/settle");
  return everything();
}

/** Restores again and again: what follows never differs from what was saved. */
async function staysAsSaved(leave: () => Promise<unknown>, restore: () => Promise<unknown>): Promise<void> {
  const saved = await settled();
  await egret("snapshot", "save", "s");
  for (let round = 0; round < 3; round++) {
    await leave();
    await restore();
    expect(await everything()).toEqual(saved);
    expect(await settled()).toEqual(saved);
  }
  await egret("snapshot", "delete", "s");
}

const restore = () => egret("snapshot", "restore", "s");
const resetToSnapshot = () => ask("POST", "/egret/v1/reset", { to: { snapshot: "s" } });

async function checkout(): Promise<void> {
  await ask("POST", "/egret/v1/branches", { name: "saved", from: "s" });
  await ask("POST", "/egret/v1/branches/saved/checkout");
  await ask("POST", "/egret/v1/branches", { name: "again", from: "saved" });
  await ask("POST", "/egret/v1/branches/again/checkout");
  await ask("POST", "/egret/v1/branches/main/checkout");
  await ask("POST", "/egret/v1/snapshots/s/restore");
  for (const name of ["saved", "again"])
    await fetch(`${server.url}/egret/v1/branches/${name}`, { method: "DELETE" });
}

describe("an EgressIP is on the node on which it was", () => {
  beforeEach(async () => {
    await create("nodes.yaml");
    await create("egress-ip.yaml");
    await placedOn("node-a");
  });

  test.each([
    ["a snapshot is restored", restore],
    ["the server is reset to a snapshot", resetToSnapshot],
    ["branches are checked out", checkout],
  ])("after its node was deleted and %s", async (_what, back) => {
    const leave = async () => {
      await ask("DELETE", "/api/v1/nodes/node-a");
      await placedOn("node-b");
    };
    await staysAsSaved(leave, back);
  });

  test("after its node has lost the label", async () => {
    const leave = async () => {
      await patch("/api/v1/nodes/node-a", { metadata: { labels: { [ASSIGNABLE]: null } } });
      await placedOn("node-b");
    };
    await staysAsSaved(leave, restore);
  });
});

test("an EgressService has the host that it had", async () => {
  await create("nodes.yaml");
  await create("egress-service.yaml");
  const loadBalancer = { ingress: [{ ip: "192.0.2.10" }] };
  await patch(`/api/v1/${IN_TEAM}/services/web/status`, { status: { loadBalancer } });
  const conditions = [{ type: "Ready", status: "True" }];
  const podIP = "10.128.0.5";
  await patch(`/api/v1/${IN_TEAM}/pods/web-1/status`, {
    status: { phase: "Running", podIP, podIPs: [{ ip: podIP }], conditions },
  });
  await hostedBy("node-a");
  const label = "egress-service.k8s.ovn.org/team-web-web";
  await eventually(
    () => ask("GET", "/api/v1/nodes/node-a"),
    ({ metadata }) => metadata.labels?.[label] === "",
  );
  const leave = async () => {
    const unready = [{ type: "Ready", status: "False" }];
    await patch("/api/v1/nodes/node-a/status", { status: { conditions: unready } });
    await hostedBy("node-b");
  };
  await staysAsSaved(leave, restore);
});

test("marks and numbers of nodes are given as by a new server after each reset", async () => {
  for (let round = 0; round < 3; round++) {
    await create("nodes.yaml");
    await create("egress-ip.yaml");
    await placedOn("node-a");
    const { items } = await ask("GET", "/api/v1/nodes");
    expect(items.map(({ metadata }) => metadata.annotations?.[NODE_ID])).toEqual(["2", "3"]);
    const { metadata } = await ask("GET", `${EGRESS_IPS}/web`);
    expect(metadata.annotations?.[MARK]).toBe("50000");
    // The controllers forget deleted objects at a reset as they forget stored ones.
    if (round === 1) await ask("DELETE", `${EGRESS_IPS}/web`);
    if (round === 1) for (const name of ["node-a", "node-b"]) await ask("DELETE", `/api/v1/nodes/${name}`);
    await ask("POST", "/egret/v1/reset");
  }
});
