// The documented control surface, used by a controller in JavaScript: @kubernetes/client-node for the Kubernetes API, and
// fetch for the surface itself.
import * as k8s from "@kubernetes/client-node";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type EgretProcess, startEgret } from "../../support/egret-process.ts";
import { eventually } from "../../support/eventually.ts";

const FLAGS = ["--in-memory", "--kubeconfig", "", "--controllers", "", "--retain", "all"];
const PATH = "/api/v1/namespaces/default/configmaps";
const IN_DEFAULT = { namespace: "default" };

let egret: EgretProcess;
let config: k8s.KubeConfig;
let core: k8s.CoreV1Api;
beforeAll(async () => {
  egret = await startEgret(FLAGS);
  config = configFor(egret);
  core = config.makeApiClient(k8s.CoreV1Api);
});
afterAll(() => egret?.stop());
beforeEach(async () => {
  await surface("DELETE", "/faults");
  await surface("POST", "/reset");
});

function configFor({ url }: EgretProcess): k8s.KubeConfig {
  const made = new k8s.KubeConfig();
  made.loadFromClusterAndUser({ name: "egret", server: url, skipTLSVerify: true }, { name: "egret" });
  return made;
}

async function surface(method: string, path: string, body?: unknown, url = egret.url): Promise<Answer> {
  const type = typeof body === "string" ? "application/yaml" : "application/json";
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const init = text === undefined ? { method } : { method, body: text, headers: { "content-type": type } };
  const answer = await fetch(`${url}/egret/v1${path}`, init);
  const content = await answer.text();
  const isJson = answer.headers.get("content-type")?.includes("json") === true && content !== "";
  return { status: answer.status, text: content, json: isJson ? JSON.parse(content) : undefined };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: JSON that the test looks into
  readonly json: any;
}

const fault = (parts: object) =>
  surface("POST", "/faults", { match: { resource: "configmaps" }, count: 1, ...parts });
const make = (name: string, data: Record<string, string> = {}, api = core) =>
  api.createNamespacedConfigMap({ ...IN_DEFAULT, body: { metadata: { name }, data } });
const list = async () => (await core.listNamespacedConfigMap(IN_DEFAULT)).items;
const names = async () => (await list()).map(({ metadata }) => metadata?.name);
const version = async () => (await core.listNamespacedConfigMap(IN_DEFAULT)).metadata?.resourceVersion ?? "";
const codeOf = (call: Promise<unknown>): Promise<number> =>
  call.then(
    () => 200,
    (error: unknown) => (error instanceof k8s.ApiException ? error.code : 0),
  );

interface Told {
  readonly type: string;
  readonly name: string;
  readonly code?: number;
}

/** Returns the events of a watch until it has received `count` of them, or ends. */
async function watched(
  query: Record<string, string>,
  count: number,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<Told[]> {
  const told: Told[] = [];
  let end = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const onEvent = (type: string, object: k8s.V1ConfigMap & { code?: number }) => {
    told.push({ type, name: object.metadata?.name ?? "", ...(object.code ? { code: object.code } : {}) });
    if (told.length >= count) end();
  };
  const controller = await new k8s.Watch(config).watch(PATH, query, onEvent, () => end());
  await meanwhile();
  await over;
  controller.abort();
  return told;
}

describe("state", () => {
  test("a reset shows an informer what has gone", async () => {
    await make("gone");
    const informer = k8s.makeInformer(config, PATH, () => core.listNamespacedConfigMap(IN_DEFAULT));
    const gone: unknown[] = [];
    informer.on("delete", ({ metadata }: k8s.V1ConfigMap) => void gone.push(metadata?.name));
    await informer.start();
    await surface("POST", "/reset", { to: "start" });
    await eventually(
      () => gone,
      (seen) => seen.includes("gone"),
    );
    await informer.stop();
  });

  test("a reset that expires watches ends them with 410", async () => {
    const query = { resourceVersion: await version() };
    await make("lost");
    const expire = () => surface("POST", "/reset", { to: "empty", watches: "expire" });
    expect(await watched({ resourceVersion: await version() }, 1, expire)).toMatchObject([{ code: 410 }]);
    expect(await watched(query, 1)).toMatchObject([{ code: 410 }]);
  });

  test("snapshots and branches", async () => {
    await make("a");
    await surface("POST", "/snapshots", { name: "one" });
    await surface("POST", "/branches", { name: "try" });
    await surface("POST", "/branches/try/checkout", {});
    await make("b");
    await surface("POST", "/branches/main/checkout", {});
    expect(await names()).toEqual(["a"]);
    await make("c");
    await surface("POST", "/snapshots/one/restore", {});
    expect(await names()).toEqual(["a"]);
  });

  test("import and export", async () => {
    await surface("POST", "/import", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: imported}\n");
    const { text } = await surface("GET", "/export?kinds=configmaps&namespace=default");
    await core.deleteNamespacedConfigMap({ ...IN_DEFAULT, name: "imported" });
    await surface("POST", "/import", text);
    expect(await names()).toEqual(["imported"]);
  });
});

test("the request log knows the client", async () => {
  await surface("DELETE", "/requests");
  await list();
  const { json } = await surface("GET", "/requests?resource=configmaps");
  expect(json.items).toMatchObject([{ verb: "list", status: 200, userAgent: expect.stringMatching(/\S/) }]);
});

test("a wait is answered when the client has written", async () => {
  const query = { kind: "v1/ConfigMap", name: "awaited" };
  const waiting = surface("POST", "/wait", { query, condition: "object != null && object.data.a == '1'" });
  await make("awaited", { a: "1" });
  expect((await waiting).json.values.object.metadata.name).toBe("awaited");
  expect((await surface("POST", "/wait", { query, condition: "false", timeout: "20ms" })).status).toBe(504);
});

describe("faults", () => {
  test.each([409, 429, 500, 503, 504])("status %d", async (code) => {
    await fault({ error: { code } });
    expect(await codeOf(list())).toBe(code);
    expect(await codeOf(list())).toBe(200);
  });

  test("a write that is done although its answer is 504", async () => {
    await fault({ match: { verb: "create" }, error: { code: 504, when: "after" } });
    expect(await codeOf(make("done"))).toBe(504);
    expect(await names()).toEqual(["done"]);
  });

  test("latency", async () => {
    await fault({ delay: { milliseconds: 200 } });
    const started = performance.now();
    await list();
    expect(performance.now() - started).toBeGreaterThan(190);
  });

  test.each(["reset", "close", "halfClose"])("a connection that breaks: %s", async (how) => {
    await fault({ disconnect: { how } });
    expect(await codeOf(list())).toBe(0);
  });

  test("a watch that is too old, one with events twice, and one that is cut", async () => {
    const resourceVersion = await version();
    await make("seen");
    await fault({ match: { verb: "watch" }, watchEnd: { how: "expired", afterEvents: 1 } });
    expect(await watched({ resourceVersion }, 2)).toMatchObject([{ name: "seen" }, { code: 410 }]);
    await fault({ match: { verb: "watch" }, duplicateEvents: {} });
    expect(await watched({ resourceVersion }, 2)).toMatchObject([{ name: "seen" }, { name: "seen" }]);
    await fault({ match: { verb: "watch" }, count: 3, watchEnd: { how: "cut" } }); // also those that are closing
    expect(await watched({ resourceVersion }, 1)).toEqual([]);
  });

  test("a stale read at resourceVersion 0", async () => {
    await make("fresh");
    await fault({ match: { verb: "list" }, staleRead: { revisions: 1 } });
    const { items } = await core.listNamespacedConfigMap({ ...IN_DEFAULT, resourceVersion: "0" });
    expect(items).toEqual([]);
    expect(await names()).toEqual(["fresh"]);
  });
});

describe("time", () => {
  test("stands still and is advanced", async () => {
    const at = (text: string) => new Date(text);
    await surface("PUT", "/clock", { mode: "frozen", now: "2030-01-01T00:00:00Z" });
    try {
      expect((await make("timed")).metadata?.creationTimestamp).toEqual(at("2030-01-01T00:00:00Z"));
      await surface("POST", "/clock/advance", { duration: "1h" });
      expect((await make("later")).metadata?.creationTimestamp).toEqual(at("2030-01-01T01:00:00Z"));
    } finally {
      await surface("PUT", "/clock", { mode: "real" });
    }
  });

  test("two servers with a seed and a frozen clock are equal", async () => {
    const made = async () => {
      const flags = ["--seed", "7", "--clock", "2026-01-01T00:00:00Z"];
      await using twin = await startEgret([...FLAGS, ...flags]);
      const api = configFor(twin).makeApiClient(k8s.CoreV1Api);
      const body = { metadata: { generateName: "g-" } };
      return [
        await api.createNamespacedConfigMap({ ...IN_DEFAULT, body }),
        await api.listNamespacedConfigMap(IN_DEFAULT),
        (await surface("GET", "/export?full=true", undefined, twin.url)).text,
      ];
    };
    expect(await made()).toEqual(await made());
  });
});

test("the past is there until it is compacted", async () => {
  const { metadata } = await make("past", { a: "1" });
  const body = { metadata: { name: "past" }, data: { a: "2" } };
  await core.replaceNamespacedConfigMap({ ...IN_DEFAULT, name: "past", body });
  const resourceVersion = metadata?.resourceVersion ?? "";
  const past = () =>
    core.listNamespacedConfigMap({ ...IN_DEFAULT, resourceVersion, resourceVersionMatch: "Exact" });
  expect((await past()).items[0]?.data).toEqual({ a: "1" });
  const { json } = await surface("GET", "/history/configmaps/past");
  expect(json.revisions[1].changes).toEqual([{ path: "data.a", before: "1", after: "2" }]);
  await surface("POST", "/compact", { revision: Number(await version()) });
  expect(await codeOf(past())).toBe(410);
});
