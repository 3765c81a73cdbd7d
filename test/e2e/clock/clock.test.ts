// Behavior that depends on the server's clock, over HTTP: the clock is frozen, and time passes only when the test advances
// it.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createServer, type Server } from "../../../src/server/server.ts";

const START = "2030-01-02T03:04:05Z";

let server: Server;
beforeEach(async () => {
  server = await createServer({
    inMemory: true,
    kubeconfig: undefined,
    listen: "127.0.0.1:0",
    logLevel: "silent",
    clock: START,
  });
});
afterEach(() => server.close());

const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const answer = await fetch(new URL(path, server.url), {
    method,
    headers: { "content-type": type, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = JSON.parse(await answer.text());
  return { status: answer.status, date: answer.headers.get("date"), json };
};

const clock = (method: string, path: string, body?: unknown) => send(method, `/egret/v1/clock${path}`, body);
const advance = (duration: string) => clock("POST", "/advance", { duration });

const addNode = (name: string, host: number) =>
  send("POST", "/api/v1/nodes", {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: { "k8s.ovn.org/egress-assignable": "" },
      annotations: {
        "k8s.ovn.org/node-primary-ifaddr": `{"ipv4":"10.0.0.${host}/24"}`,
        "k8s.ovn.org/host-cidrs": `["10.0.0.${host}/24"]`,
      },
    },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  });

describe("by a clock that stands", () => {
  test("objects, who has written them, answers and tables are dated", async () => {
    const { date, json } = await addNode("one", 11);
    expect(date).toBe("Wed, 02 Jan 2030 03:04:05 GMT");
    expect(json.metadata.creationTimestamp).toBe(START);
    expect(json.metadata.managedFields[0].time).toBe(START);
    await advance("49h");
    const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
    const { json: shown } = await send("GET", "/api/v1/nodes/one", undefined, table);
    expect(shown.rows[0].cells).toContain("2d1h");
  });

  test("watches last as long as they were asked for", async () => {
    const path = "/api/v1/nodes?watch=true&resourceVersion=1&timeoutSeconds=3600";
    const watch = await fetch(new URL(path, server.url));
    const ended = watch.text().then(() => "ended");
    await advance("59m59s");
    await clock("POST", "/settle");
    expect(await Promise.race([ended, clock("GET", "").then(() => "open")])).toBe("open");
    await advance("1s");
    expect(await ended).toBe("ended");
  });

  test("an address leaves a node that does not answer when that is looked at", async () => {
    await addNode("one", 11);
    await addNode("two", 12);
    await send("POST", "/apis/k8s.ovn.org/v1/egressips", {
      apiVersion: "k8s.ovn.org/v1",
      kind: "EgressIP",
      metadata: { name: "ip" },
      spec: { egressIPs: ["10.0.0.100"], namespaceSelector: {} },
    });
    const where = async () => {
      await clock("POST", "/settle");
      const { json } = await send("GET", "/apis/k8s.ovn.org/v1/egressips/ip");
      return json.status?.items?.[0]?.node;
    };
    const first = await where();
    expect(["one", "two"]).toContain(first);
    await send("PATCH", `/api/v1/nodes/${first}`, {
      metadata: { annotations: { "egret.dev/reachable": "false" } },
    });
    expect(await where()).toBe(first);
    await advance("6s");
    expect(await where()).toBe(first === "one" ? "two" : "one");
  });

  test("a deleted namespace is gone after a moment", async () => {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
    await send("POST", "/api/v1/namespaces", namespace);
    await send("DELETE", "/api/v1/namespaces/shop");
    expect((await send("GET", "/api/v1/namespaces/shop")).json.status.phase).toBe("Terminating");
    await advance("1s");
    expect((await send("GET", "/api/v1/namespaces/shop")).status).toBe(404);
  });

  test("a token holds until its hour is over", async () => {
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await send("POST", accounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "bot" } });
    const { json } = await send("POST", `${accounts}/bot/token`, {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: 3600 },
    });
    expect(json.status.expirationTimestamp).toBe("2030-01-02T04:04:05Z");
    const isGood = async () => {
      const review = await send("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenReview",
        spec: { token: json.status.token },
      });
      return review.json.status.authenticated === true;
    };
    await advance("59m");
    expect(await isGood()).toBe(true);
    await advance("3m");
    expect(await isGood()).toBe(false);
  });

  test("the rest of a list can be had as long as the past is kept", async () => {
    const { json } = await send("GET", "/api/v1/namespaces?limit=1");
    const rest = `/api/v1/namespaces?limit=1&continue=${json.metadata.continue}`;
    await addNode("one", 11); // so that there is something to forget
    await advance("4m");
    expect((await send("GET", rest)).status).toBe(200);
    await advance("3m");
    expect(await send("GET", rest)).toMatchObject({ status: 410, json: { reason: "Expired" } });
  });
});

test("a definition goes with the last of its objects, without time passing", async () => {
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await send("POST", crds, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Cluster",
      names: { kind: "Widget", plural: "widgets" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
  });
  await clock("POST", "/settle");
  const held = { name: "a", finalizers: ["example.com/held"] };
  const body = { apiVersion: "example.com/v1", kind: "Widget", metadata: held };
  await send("POST", "/apis/example.com/v1/widgets", body);
  await send("DELETE", `${crds}/widgets.example.com`);
  await clock("POST", "/settle");
  const isThere = async () => (await send("GET", `${crds}/widgets.example.com`)).status;
  expect(await isThere()).toBe(200);
  await send("PATCH", "/apis/example.com/v1/widgets/a", { metadata: { finalizers: null } });
  await clock("POST", "/settle");
  expect(await isThere()).toBe(404);
});

test("the clock is stopped and let go while the server runs, and stops no server", async () => {
  await clock("PUT", "", { mode: "real" });
  const { json } = await addNode("one", 11);
  expect(Date.parse(json.metadata.creationTimestamp)).toBeGreaterThan(Date.parse("2024-01-01"));
  await clock("PUT", "", { mode: "frozen", now: "2031-01-01T00:00:00Z" });
  expect((await addNode("two", 12)).json.metadata.creationTimestamp).toBe("2031-01-01T00:00:00Z");
  const watch = await fetch(new URL("/api/v1/nodes?watch=true&resourceVersion=1", server.url));
  const [end] = await Promise.all([watch.text(), server.close()]);
  expect(end).toContain('"one"');
});
