// Reset, snapshots and branches of a server that is known only by its address: the events that open watches receive.
// Everything derived from the state (kinds, allocations, permissions) is up to date when the answer arrives.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type EgretProcess, startEgret } from "../support/egret-process.ts";

let folder: string;
let egret: EgretProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-control-"));
  const loaded = join(folder, "loaded.yaml");
  await writeFile(loaded, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: loaded}\n");
  egret = await startEgret(["--in-memory", "--kubeconfig", "", "--load", loaded]);
});
afterAll(async () => {
  await egret?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => void (await ask("POST", "/egret/v1/reset", {})));

/** What tests look for in answers, which are objects, lists and what the control surface says. */
interface Json {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
  };
  readonly data?: { readonly text?: string };
  readonly items: readonly Json[];
  readonly revision: number;
  readonly deleted: number;
  readonly paths: object;
}

interface WatchEvent {
  readonly type: string;
  readonly object: Json;
}

interface Answer {
  readonly status: number;
  readonly json: Json;
}

async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${egret.url}${path}`, { method, headers, ...init });
  const text = await answer.text();
  return { status: answer.status, json: text.startsWith("{") ? JSON.parse(text) : {} };
}

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const SERVICES = "/api/v1/namespaces/default/services";
const configMap = (name: string, text = "") => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { text },
});
const names = async (path: string) => (await ask("GET", path)).json.items.map((item) => item.metadata.name);

/** A watch that is being read; its events are taken one after the other. */
class Watching {
  readonly #aborting = new AbortController();
  #lines: AsyncGenerator<string> | undefined;

  static async open(path: string): Promise<Watching> {
    const watching = new Watching();
    const answer = await fetch(`${egret.url}${path}`, { signal: watching.#aborting.signal });
    watching.#lines = linesOf(answer.body as ReadableStream<Uint8Array>);
    return watching;
  }

  /** Undefined at the end. */
  async next(): Promise<WatchEvent | undefined> {
    const { value, done } = (await this.#lines?.next()) ?? { done: true };
    return done === true ? undefined : JSON.parse(value as string);
  }

  close(): void {
    this.#aborting.abort();
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

const watching: Watching[] = [];
const watch = async (path: string) => {
  const opened = await Watching.open(path);
  watching.push(opened);
  return opened;
};
afterEach(() => {
  for (const opened of watching.splice(0)) opened.close();
});

describe("reset", () => {
  test("brings back what was loaded, or what every server has", async () => {
    await ask("POST", CONFIG_MAPS, configMap("a"));
    const { status, json } = await ask("POST", "/egret/v1/reset", { to: "start" });
    expect([status, json.deleted]).toEqual([200, 1]);
    expect(await names(CONFIG_MAPS)).toEqual(["loaded"]);
    await ask("POST", "/egret/v1/reset", { to: "empty" });
    expect(await names(CONFIG_MAPS)).toEqual([]);
    expect(await names("/api/v1/namespaces")).toEqual([
      "default",
      "kube-node-lease",
      "kube-public",
      "kube-system",
    ]);
    expect((await ask("GET", "/apis/k8s.ovn.org/v1/egressips")).status).toBe(200);
    expect((await ask("GET", `${SERVICES}/kubernetes`)).status).toBe(200);
  });

  test("an open watch is told what happens to each object, all of it at one revision", async () => {
    const { json: before } = await ask("POST", CONFIG_MAPS, configMap("a", "1"));
    await ask("PUT", "/egret/v1/snapshots/before");
    const seen = await watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${before.metadata.resourceVersion}`);
    await ask("PUT", `${CONFIG_MAPS}/a`, configMap("a", "2"));
    await ask("DELETE", `${CONFIG_MAPS}/loaded`);
    await ask("POST", CONFIG_MAPS, configMap("b"));
    for (const type of ["MODIFIED", "DELETED", "ADDED"]) expect(await seen.next()).toMatchObject({ type });
    const { json: restored } = await ask("POST", "/egret/v1/snapshots/before/restore", {});
    const events = [await seen.next(), await seen.next(), await seen.next()];
    expect(
      events.map((event) => [event?.type, event?.object.metadata.name, event?.object.data?.text]),
    ).toEqual([
      ["DELETED", "b", ""],
      ["MODIFIED", "a", "1"],
      ["ADDED", "loaded", undefined],
    ]);
    const revision = String(restored.revision);
    expect(events.map((event) => event?.object.metadata.resourceVersion)).toEqual(Array(3).fill(revision));
    expect(events[1]?.object.metadata.uid).toBe(before.metadata.uid);
  });

  test("an object that was made anew is seen to go before the old one is seen to come", async () => {
    const { json: first } = await ask("POST", CONFIG_MAPS, configMap("a"));
    await ask("PUT", "/egret/v1/snapshots/before");
    await ask("DELETE", `${CONFIG_MAPS}/a`);
    const { json: second } = await ask("POST", CONFIG_MAPS, configMap("a"));
    const seen = await watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${second.metadata.resourceVersion}`);
    await ask("POST", "/egret/v1/snapshots/before/restore", {});
    const events = [await seen.next(), await seen.next()];
    expect(events.map((event) => [event?.type, event?.object.metadata.uid])).toEqual([
      ["DELETED", second.metadata.uid],
      ["ADDED", first.metadata.uid],
    ]);
  });

  test("expire ends an open watch with a 410, and what it knew cannot be watched any more", async () => {
    const { json: before } = await ask("POST", CONFIG_MAPS, configMap("a"));
    const version = before.metadata.resourceVersion;
    const seen = await watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${version}`);
    const { json: restored } = await ask("POST", "/egret/v1/reset", { watches: "expire" });
    expect(await seen.next()).toMatchObject({
      type: "ERROR",
      object: {
        kind: "Status",
        code: 410,
        reason: "Expired",
        message: `too old resource version: ${version} (${restored.revision})`,
      },
    });
    expect(await seen.next()).toBeUndefined();
    const again = await watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${version}`);
    expect(await again.next()).toMatchObject({ type: "ERROR", object: { code: 410 } });
    const past = `${CONFIG_MAPS}?resourceVersion=${version}&resourceVersionMatch=Exact`;
    expect((await ask("GET", past)).status).toBe(410);
    const now = await watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${restored.revision}`);
    await ask("POST", CONFIG_MAPS, configMap("b"));
    expect(await now.next()).toMatchObject({ type: "ADDED", object: { metadata: { name: "b" } } });
  });
});

describe("right with the answer are", () => {
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      scope: "Cluster",
      names: { plural: "things", kind: "Thing" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
  };
  const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const THINGS = "/apis/example.com/v1/things";
  const API_SERVICE = "/apis/apiregistration.k8s.io/v1/apiservices/v1.example.com";

  test("the kinds that are served, and their objects", async () => {
    await ask("POST", "/egret/v1/import", crd);
    await ask("POST", "/egret/v1/import", {
      apiVersion: "example.com/v1",
      kind: "Thing",
      metadata: { name: "a" },
    });
    await ask("PUT", "/egret/v1/snapshots/with");
    await ask("POST", "/egret/v1/reset", {});
    expect((await ask("GET", THINGS)).status).toBe(404);
    expect((await ask("GET", API_SERVICE)).status).toBe(404);
    await ask("POST", "/egret/v1/snapshots/with/restore", {});
    expect(await names(THINGS)).toEqual(["a"]);
    expect((await ask("GET", API_SERVICE)).status).toBe(200);
  });

  test("a definition that was being deleted", async () => {
    await ask("POST", "/egret/v1/import", crd);
    const metadata = { name: "a", finalizers: ["example.com/held"] };
    const made = await ask("POST", THINGS, { apiVersion: "example.com/v1", kind: "Thing", metadata });
    expect(made.status).toBe(201); // the kind is served when the import has ended
    await ask("PUT", "/egret/v1/snapshots/whole");
    await ask("DELETE", `${CRDS}/things.example.com`);
    await ask("POST", "/egret/v1/snapshots/whole/restore", {});
    await ask("POST", THINGS, { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "b" } });
    const { json } = await ask("GET", THINGS);
    const deleted = json.items.map((item) => item.metadata.deletionTimestamp);
    expect(deleted).toEqual([undefined, undefined]);
  });

  test("the addresses and ports of Services", async () => {
    const service = (name: string) => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name },
      spec: { type: "NodePort", clusterIP: "10.96.7.7", ports: [{ port: 80, nodePort: 30_777 }] },
    });
    await ask("PUT", "/egret/v1/snapshots/free");
    expect((await ask("POST", SERVICES, service("a"))).status).toBe(201);
    await ask("PUT", "/egret/v1/snapshots/taken");
    expect((await ask("POST", SERVICES, service("b"))).status).toBe(422);
    await ask("POST", "/egret/v1/snapshots/free/restore", {});
    expect((await ask("POST", SERVICES, service("b"))).status).toBe(201);
    await ask("POST", "/egret/v1/snapshots/taken/restore", {});
    expect((await ask("POST", SERVICES, service("b"))).status).toBe(422);
    expect((await ask("DELETE", `${SERVICES}/a`)).status).toBe(200);
    expect((await ask("POST", SERVICES, service("b"))).status).toBe(201);
  });

  test("what admission goes by", async () => {
    const policies = "/apis/admissionregistration.k8s.io/v1";
    await ask("PUT", "/egret/v1/snapshots/open");
    await ask("POST", `${policies}/validatingadmissionpolicies`, {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name: "none" },
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] },
          ],
        },
        validations: [{ expression: "false" }],
      },
    });
    await ask("POST", `${policies}/validatingadmissionpolicybindings`, {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name: "none" },
      spec: { policyName: "none", validationActions: ["Deny"] },
    });
    expect((await ask("POST", CONFIG_MAPS, configMap("a"))).status).toBe(422);
    await ask("POST", "/egret/v1/snapshots/open/restore", {});
    expect((await ask("POST", CONFIG_MAPS, configMap("a"))).status).toBe(201);
  });
});

test("a store that was used before can be emptied, and what stays keeps its identity", async () => {
  const flags = ["--data-dir", join(folder, "data"), "--kubeconfig", ""];
  const first = await startEgret(flags);
  const uidOf = async ({ url }: EgretProcess) =>
    (await (await fetch(`${url}/api/v1/namespaces/default`)).json()) as Json;
  const before = await uidOf(first);
  const body = JSON.stringify(configMap("kept"));
  const headers = { "content-type": "application/json" };
  await fetch(`${first.url}${CONFIG_MAPS}`, { method: "POST", headers, body });
  await first.stop();
  await using second = await startEgret(flags);
  const items = async () => ((await (await fetch(`${second.url}${CONFIG_MAPS}`)).json()) as Json).items;
  await fetch(`${second.url}/egret/v1/reset`, { method: "POST" });
  expect(await items()).toHaveLength(1);
  const empty = await fetch(`${second.url}/egret/v1/reset`, { method: "POST", body: '{"to": "empty"}' });
  expect(await empty.json()).toMatchObject({ created: 0, deleted: 1 });
  expect(await items()).toHaveLength(0);
  expect((await uidOf(second)).metadata.uid).toBe(before.metadata.uid);
});

test("the surface describes itself", async () => {
  const { json } = await ask("GET", "/egret/v1/openapi.json");
  expect(Object.keys(json.paths)).toEqual(
    expect.arrayContaining(["/egret/v1/reset", "/egret/v1/snapshots/{name}/restore", "/egret/v1/export"]),
  );
});
