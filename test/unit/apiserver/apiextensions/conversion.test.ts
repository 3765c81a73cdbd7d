// A kind with two versions and a conversion webhook, from the API down to a call over TLS.
import { expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { eventually } from "../../../support/eventually.ts";
import { crdOf, MERGE_PATCH, TestApi, versionWith } from "../endpoints/support.ts";
import { converted, type Review, WebhookServer } from "./webhook-server.ts";

const TEXT = { type: "string" };
const V1 = "/apis/example.com/v1/namespaces/default/things";
const V2 = "/apis/example.com/v2/namespaces/default/things";

/** v1 has host and port, v2 both in one text. */
function convert({ request }: Review): { body: unknown } {
  const objects = request.objects.map((object) => {
    const spec = object["spec"] as Record<string, string>; // all objects of these tests have one
    const [host, port] = (spec["hostPort"] ?? "").split(":");
    const next = request.desiredAPIVersion.endsWith("v2")
      ? { hostPort: `${spec["host"]}:${spec["port"]}`, stray: "x" }
      : { host, port };
    return { ...object, apiVersion: request.desiredAPIVersion, spec: next };
  });
  return { body: converted(request.uid, objects) };
}

function crdFor(webhook: WebhookServer, more: JsonObject = {}): JsonObject {
  const crd = crdOf([
    versionWith({ type: "object", properties: { host: TEXT, port: TEXT } }),
    versionWith(
      { type: "object", properties: { hostPort: TEXT } },
      { name: "v2", storage: false, selectableFields: [{ jsonPath: ".spec.hostPort" }] },
    ),
  ]);
  const clientConfig = { url: webhook.url, caBundle: webhook.caBundle, ...more };
  const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
  return { ...crd, spec: { ...(crd["spec"] as JsonObject), conversion } };
}

const thing = (name: string, version: string, spec: JsonObject): JsonObject => ({
  apiVersion: `example.com/${version}`,
  kind: "Thing",
  metadata: { name },
  spec,
});

async function open(webhook: WebhookServer): Promise<TestApi> {
  webhook.answer = convert;
  const api = await TestApi.open();
  expect((await api.serve(crdFor(webhook))).status).toBe(201);
  return api;
}

test("objects are read in any version, and lists share one conversion of a revision", async () => {
  await using webhook = await WebhookServer.open();
  await using api = await open(webhook);
  await api.post(V1, thing("a", "v1", { host: "h", port: "1" }));
  await api.post(V1, thing("b", "v1", { host: "h", port: "2" }));
  expect(webhook.reviews).toHaveLength(0);
  for (const query of ["", "?limit=5", "?resourceVersion=0"]) {
    const list = await api.get(V2 + query);
    expect(list.body["items"]).toMatchObject([
      { apiVersion: "example.com/v2", spec: { hostPort: "h:1" } },
      { apiVersion: "example.com/v2", spec: { hostPort: "h:2" } },
    ]);
    expect(list.text).not.toContain("stray");
  }
  expect(webhook.reviews.map(({ request }) => request.objects.length)).toEqual([1, 1]);
});

test("a webhook is called for every GET, and one that was repaired is of use at once", async () => {
  await using webhook = await WebhookServer.open();
  await using api = await open(webhook);
  await api.post(V1, thing("a", "v1", { host: "h", port: "1" }));
  expect((await api.get(V2)).status).toBe(200);
  webhook.reviews.splice(0);
  webhook.answer = () => ({ status: 500, body: "broken" });
  expect((await api.get(`${V2}/a`)).body["message"]).toContain("conversion webhook for example.com/v1");
  // What is read from the watch cache was converted before.
  expect((await api.get(`${V2}/a?resourceVersion=0`)).body).toMatchObject({ spec: { hostPort: "h:1" } });
  expect((await api.get(V2)).body["items"]).toMatchObject([{ spec: { hostPort: "h:1" } }]);
  webhook.answer = convert;
  const read = await api.get(`${V2}/a`);
  expect(read.body).toMatchObject({ spec: { hostPort: "h:1" } });
  expect(webhook.reviews).toHaveLength(2);
});

const versionsOf = (webhook: WebhookServer) =>
  webhook.reviews.splice(0).map(({ request }) => request.desiredAPIVersion.replace(/.*\//, ""));

test("a dry run calls the webhook for each step that sees another version", async () => {
  await using webhook = await WebhookServer.open();
  await using api = await open(webhook);
  await api.post(V1, thing("a", "v1", { host: "h", port: "1" }));
  expect(versionsOf(webhook)).toEqual([]);
  // Stored as v1, managed at v1, written at v2: read; live twice and new at the manager's version; stored and shown.
  await api.patch(MERGE_PATCH, `${V2}/a?dryRun=All`, { spec: { hostPort: "h:2" } });
  expect(versionsOf(webhook)).toEqual(["v2", "v1", "v1", "v1", "v1", "v2"]);
  // Without a resourceVersion it is refused after that.
  const refused = await api.put(`${V2}/a?dryRun=All`, thing("a", "v2", { hostPort: "h:2" }));
  expect(refused.status).toBe(422);
  expect(versionsOf(webhook)).toEqual(["v2", "v1", "v1", "v1"]);
  await api.send("DELETE", `${V2}/a?dryRun=All`);
  expect(versionsOf(webhook)).toEqual(["v2", "v2"]);
  await api.patch(MERGE_PATCH, `${V1}/a?dryRun=All`, { spec: { port: "2" } });
  expect(versionsOf(webhook)).toEqual([]);
});

test("managers at another version lose the fields that a write changes there", async () => {
  await using webhook = await WebhookServer.open();
  await using api = await open(webhook);
  await api.post(`${V1}?fieldManager=one`, thing("a", "v1", { host: "h", port: "1" }));
  const { body } = await api.patch(MERGE_PATCH, `${V2}/a?fieldManager=two`, { spec: { hostPort: "h:2" } });
  expect(body["metadata"]).toMatchObject({
    managedFields: [
      { manager: "one", apiVersion: "example.com/v1", fieldsV1: { "f:spec": { ".": {}, "f:host": {} } } },
      { manager: "two", apiVersion: "example.com/v2", fieldsV1: { "f:spec": { "f:hostPort": {} } } },
    ],
  });
});

test("an apply meets the fields of managers at another version", async () => {
  await using webhook = await WebhookServer.open();
  await using api = await open(webhook);
  await api.post(`${V1}?fieldManager=one`, thing("a", "v1", { host: "h", port: "1" }));
  const apply = (more: string) => api.apply("two", `${V2}/a`, thing("a", "v2", { hostPort: "h:2" }), more);
  expect((await apply("")).body["message"]).toBe(
    'Apply failed with 1 conflict: conflict with "one" using example.com/v1: .spec.port',
  );
  expect((await apply("&force=true")).body["spec"]).toEqual({ hostPort: "h:2" });
});

test("objects are written in any version, and stored in one", async () => {
  await using webhook = await WebhookServer.open();
  await using api = await open(webhook);
  const made = await api.post(V2, thing("a", "v2", { hostPort: "h:1" }));
  expect(made.body).toMatchObject({ apiVersion: "example.com/v2", spec: { hostPort: "h:1" } });
  expect((await api.get(`${V1}/a`)).body["spec"]).toEqual({ host: "h", port: "1" });
  const patched = await api.patch(MERGE_PATCH, `${V2}/a`, { spec: { hostPort: "h:2" } });
  expect(patched.body["spec"]).toEqual({ hostPort: "h:2" });
  expect((await api.get(`${V1}/a`)).body["spec"]).toEqual({ host: "h", port: "2" });
  const dry = await api.patch(MERGE_PATCH, `${V2}/a?dryRun=All`, { spec: { hostPort: "h:3" } });
  expect(dry.body["spec"]).toEqual({ hostPort: "h:3" });
});

test("fields are selected in the version that is asked for", async () => {
  await using webhook = await WebhookServer.open();
  await using api = await open(webhook);
  await api.post(V1, thing("a", "v1", { host: "h", port: "1" }));
  await api.post(V1, thing("b", "v1", { host: "h", port: "2" }));
  const { body } = await api.get(`${V2}?fieldSelector=spec.hostPort=h:2&limit=1`);
  expect(body["items"]).toMatchObject([{ metadata: { name: "b" } }]);
});

test("a watch shows objects in its version", async () => {
  await using webhook = await WebhookServer.open();
  await using api = await open(webhook);
  await api.post(V1, thing("a", "v1", { host: "h", port: "1" }));
  const watch = await api.watch(`${V2}?watch=1&fieldSelector=spec.hostPort=h:1`);
  await api.post(V1, thing("b", "v1", { host: "h", port: "2" }));
  await api.patch(MERGE_PATCH, `${V1}/b`, { spec: { port: "1" } });
  await api.patch(MERGE_PATCH, `${V1}/b`, { spec: { port: "3" } });
  const seen: string[] = [];
  const look = async () => {
    const events = await watch.settled();
    seen.push(
      ...events.map(
        ({ type, object }) => `${type} ${object.metadata.name} ${JSON.stringify(object["spec"])}`,
      ),
    );
    return seen;
  };
  const shown = '{"hostPort":"h:1"}';
  expect(await eventually(look, ({ length }) => length === 3)).toEqual([
    `ADDED a ${shown}`,
    `ADDED b ${shown}`,
    `DELETED b ${shown}`,
  ]);
  await watch.close();
});

test("what keeps a webhook from answering is told, and the stored version works without it", async () => {
  const webhook = await WebhookServer.open();
  await using api = await open(webhook);
  const { url } = webhook;
  await api.post(V1, thing("a", "v1", { host: "h", port: "1" }));
  await webhook[Symbol.asyncDispose]();
  const failed = await api.get(`${V2}/a`);
  const { host } = new URL(url);
  expect([failed.status, failed.body["message"], failed.body["reason"]]).toEqual([
    500,
    `conversion webhook for example.com/v1, Kind=Thing failed: Post "${url}?timeout=30s": dial tcp ${host}: connect: connection refused`,
    undefined,
  ]);
  expect((await api.get(V2)).status).toBe(500);
  expect((await api.get(`${V1}/a`)).status).toBe(200);
  expect((await api.send("DELETE", `${V1}/a`)).status).toBe(200);
});

test.each<[string, (webhook: WebhookServer) => JsonObject, string]>([
  [
    "one that nobody has vouched for",
    () => ({ caBundle: "" }),
    "tls: failed to verify certificate: x509: certificate signed by unknown authority",
  ],
  [
    "one behind a Service that is not there",
    () => ({ url: undefined, service: { namespace: "default", name: "s" } }),
    'Post "https://s.default.svc:443/?timeout=30s": service "s" not found',
  ],
])("a webhook is not asked: %s", async (_which, more, message) => {
  await using webhook = await WebhookServer.open();
  await using api = await TestApi.open();
  await api.serve(crdFor(webhook, more(webhook)));
  await api.post(V1, thing("a", "v1", { host: "h", port: "1" }));
  const { body } = await api.get(`${V2}/a`);
  expect(body["message"]).toContain(message);
});

test.each<[number, string, string, string]>([
  [404, "text/plain", "no", "the server could not find the requested resource"],
  [500, "text/plain", "boom", 'an error on the server ("boom") has prevented the request from succeeding'],
  [
    500,
    "application/json",
    "{}",
    'an error on the server ("unknown") has prevented the request from succeeding',
  ],
  [
    418,
    "text/plain",
    "tea",
    "the server responded with the status code 418 but did not return more information",
  ],
])("a webhook that answers %i (%s)", async (status, contentType, body, message) => {
  await using webhook = await WebhookServer.open();
  await using api = await open(webhook);
  webhook.answer = () => ({ status, contentType, body });
  await api.post(V1, thing("a", "v1", { host: "h", port: "1" }));
  const answer = await api.get(`${V2}/a`);
  expect(answer.body["message"]).toBe(`conversion webhook for example.com/v1, Kind=Thing failed: ${message}`);
});
