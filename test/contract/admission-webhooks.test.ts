// Admission webhooks as clients and webhooks see them, over real sockets on both sides.
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import request from "supertest";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/apimachinery/json/json.ts";
import { createServer, type Server } from "../../src/server/server.ts";
import { type WebhookAnswer, WebhookServer } from "../unit/apiserver/apiextensions/webhook-server.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const MAPS = "/api/v1/namespaces/default/configmaps";
const MERGE = "application/merge-patch+json";

let server: Server;
let webhook: WebhookServer;
beforeAll(async () => {
  server = await createServer({
    listen: "127.0.0.1:0",
    inMemory: true,
    kubeconfig: undefined,
    controllers: "",
  });
});
afterAll(() => server?.close());
beforeEach(async () => {
  webhook = await WebhookServer.open();
});
afterEach(async () => {
  await call("delete", `${GROUP}/mutatingwebhookconfigurations`);
  await call("delete", `${GROUP}/validatingwebhookconfigurations`);
  await call("delete", MAPS);
  await webhook[Symbol.asyncDispose]();
});

const call = (method: "get" | "post" | "put" | "patch" | "delete", path: string) =>
  request(server.url)[method](path);
const create = (name: string, more: JsonObject = {}, query = "") =>
  call("post", MAPS + query).send({ metadata: { name }, ...more });

/** Creates a configuration with one webhook. */
async function install(kind: "mutating" | "validating", change: JsonObject = {}, name = "asked") {
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] };
  await call("post", `${GROUP}/${kind}webhookconfigurations`)
    .send({
      metadata: { name },
      webhooks: [
        {
          name: `${name}.example.com`,
          clientConfig: { url: webhook.url, caBundle: webhook.caBundle },
          rules: [rule],
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
          ...change,
        },
      ],
    })
    .expect(201);
}

/** Answers all reviews with this response. */
function respond(response: JsonObject, answer: Partial<WebhookAnswer> = {}): void {
  webhook.answer = (review) => ({
    body: {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid: review.request.uid, ...response },
    },
    ...answer,
  });
}

const patch = (...operations: JsonObject[]) => ({
  allowed: true,
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
});

describe("what a webhook is asked", () => {
  test("the whole request, and both objects", async () => {
    await create("a", { data: { x: "1" } }).expect(201);
    await install("validating");
    respond({ allowed: true });
    await call("patch", `${MAPS}/a?fieldManager=me&dryRun=All`)
      .set("content-type", MERGE)
      .send({ data: { x: "2" } })
      .expect(200);
    expect(webhook.reviews).toMatchObject([
      {
        kind: "AdmissionReview",
        apiVersion: "admission.k8s.io/v1",
        request: {
          uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
          kind: { group: "", version: "v1", kind: "ConfigMap" },
          resource: { group: "", version: "v1", resource: "configmaps" },
          requestKind: { group: "", version: "v1", kind: "ConfigMap" },
          requestResource: { group: "", version: "v1", resource: "configmaps" },
          name: "a",
          namespace: "default",
          operation: "UPDATE",
          userInfo: { username: "system:admin", groups: expect.arrayContaining(["system:masters"]) },
          object: { kind: "ConfigMap", apiVersion: "v1", data: { x: "2" } },
          oldObject: { kind: "ConfigMap", apiVersion: "v1", data: { x: "1" } },
          dryRun: true,
          options: {
            kind: "UpdateOptions",
            apiVersion: "meta.k8s.io/v1",
            dryRun: ["All"],
            fieldManager: "me",
          },
        },
      },
    ]);
  });

  test("about a deletion, without a new object", async () => {
    await create("a").expect(201);
    await install("validating");
    respond({ allowed: true });
    await call("delete", `${MAPS}/a`).send({ propagationPolicy: "Background" }).expect(200);
    expect(webhook.reviews[0]?.request).toMatchObject({
      operation: "DELETE",
      object: null,
      oldObject: { metadata: { name: "a" } },
      options: { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1", propagationPolicy: "Background" },
    });
  });

  test.each([
    [
      "by its rules",
      { rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }] },
    ],
    ["by a condition", { matchConditions: [{ name: "named", expression: "object.metadata.name != 'a'" }] }],
    ["by the labels of the object", { objectSelector: { matchLabels: { watched: "yes" } } }],
    ["by the labels of the namespace", { namespaceSelector: { matchLabels: { watched: "yes" } } }],
  ])("nothing when it is not meant %s", async (_how, change) => {
    await install("validating", change);
    respond({ allowed: false });
    await create("a").expect(201);
    expect(webhook.reviews).toEqual([]);
  });
});

describe("a refusal", () => {
  test.each([
    [
      "with a message and a code",
      { status: { code: 403, reason: "Forbidden", message: "not like that" } },
      { code: 403, reason: "Forbidden", message: "denied the request: not like that" },
    ],
    [
      "with a reason only",
      { status: { reason: "TooWide" } },
      { code: 400, message: "denied the request: TooWide" },
    ],
    ["without a word", {}, { code: 400, message: "denied the request without explanation" }],
  ])("%s", async (_how, response, expected) => {
    await install("validating");
    respond({ allowed: false, ...response });
    const { status, body } = await create("a");
    expect({ status, body }).toMatchObject({
      status: expected.code,
      body: {
        ...expected,
        status: "Failure",
        message: `admission webhook "asked.example.com" ${expected.message}`,
      },
    });
    await call("get", `${MAPS}/a`).expect(404);
  });

  test("comes with the webhook's warnings", async () => {
    await install("validating");
    respond({ allowed: false, warnings: ["think again"] });
    await create("a").expect(400).expect("warning", '299 - "think again"');
  });
});

describe("a failure to get an answer", () => {
  const failed = (why: string | RegExp) => {
    const text = typeof why === "string" ? why : why.source;
    return new RegExp(`^Internal error occurred: failed calling webhook "asked\\.example\\.com": ${text}$`);
  };

  test.each([
    [
      "of the wrong uid",
      { uid: "other" },
      {},
      /received invalid webhook response: expected response\.uid=".*", got "other"/,
    ],
    [
      "that patches where it may not",
      patch(),
      {},
      /received invalid .*: validating webhook may not return response\.patch/,
    ],
    [
      "that is an error",
      {},
      { status: 500, contentType: "text/plain", body: "boom" },
      /failed to call webhook: an error on the server \("boom"\) has prevented the request from succeeding/,
    ],
  ])("an answer %s", async (_how, response, answer, why) => {
    await install("validating");
    respond({ allowed: true, ...response }, answer);
    const { status, body } = await create("a");
    expect(status).toBe(500);
    expect(body.message).toMatch(failed(why));
  });

  test("nobody listens, or is trusted, or can be reached", async () => {
    const { url } = webhook;
    const client = (clientConfig: JsonObject) => install("validating", { clientConfig });
    const ask = async () => {
      const { body } = await create("a");
      await call("delete", `${GROUP}/validatingwebhookconfigurations/asked`).expect(200);
      return body.message as string;
    };
    await client({ url });
    expect(await ask()).toMatch(/Post "https:.*\/convert\?timeout=10s": tls: failed to verify certificate/);
    await client({ service: { namespace: "default", name: "none", path: "/ask" } });
    expect(await ask()).toMatch(
      /Post "https:\/\/none.default.svc:443\/ask\?timeout=10s": service "none" not found$/,
    );
    await client({ url: "https://127.0.0.1:1/" });
    expect(await ask()).toMatch(/dial tcp 127.0.0.1:1: connect: connection refused$/);
  });

  test("is passed over when the webhook says so", async () => {
    await install("validating", { failurePolicy: "Ignore", clientConfig: { url: "https://127.0.0.1:1/" } });
    await create("a").expect(201);
  });

  test("takes no longer than its time", async () => {
    const silent = createTcpServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo; // it listens
    await install("validating", { timeoutSeconds: 1, clientConfig: { url: `https://127.0.0.1:${port}/` } });
    const { body } = await create("a");
    silent.close();
    expect(body.message).toMatch(/timeout=1s": context deadline exceeded$/);
  });
});

describe("a change", () => {
  test("is validated, tracked and stored like what the client sent", async () => {
    await install("mutating");
    respond(patch({ op: "add", path: "/data", value: { added: "yes" } }));
    const { body } = await create("a").expect(201);
    expect(body.data).toEqual({ added: "yes" });
    respond(patch({ op: "add", path: "/data", value: { "bad key": "yes" } }));
    await create("b").expect(422);
  });

  test("that cannot be made fails the request", async () => {
    await install("mutating");
    respond(patch({ op: "remove", path: "/spec" }));
    await create("a").expect(500);
    respond({ allowed: true, patch: "W10=" });
    const { body } = await create("a").expect(500);
    expect(body.message).toContain("webhook returned response.patch but not response.patchType");
  });

  test("has its numbers as they are spelled", async () => {
    await install("mutating");
    const raw = (text: string) => ({ ...patch(), patch: Buffer.from(text).toString("base64") });
    respond(raw('[{"op":"add","path":"/binaryData","value":{"b":[1,2.0]}}]'));
    const { body } = await create("a").expect(500);
    expect(body.message).toBe(
      "Internal error occurred: json: cannot unmarshal number 2.0 into Go struct field ConfigMap.binaryData of type uint8",
    );
    respond(raw('[{"op":"add","path":"/data","value":{"b":"c"}},{"op":"add","path":"/foo","value":1.0}]'));
    expect((await create("b").expect(201)).body.data).toEqual({ b: "c" });
  });

  test("is shown to those who were asked before, if they want to know", async () => {
    await install("mutating", { reinvocationPolicy: "IfNeeded" }, "first");
    await install("mutating", {}, "second");
    let asked = 0;
    webhook.answer = (review) => {
      asked += 1;
      const change = asked === 2 ? patch({ op: "add", path: "/data", value: { a: "b" } }) : { allowed: true };
      const response = { uid: review.request.uid, ...change };
      return { body: { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response } };
    };
    await create("a").expect(201);
    expect(webhook.reviews.map(({ request }) => (request as JsonObject)["object"])).toMatchObject([
      {},
      {},
      { data: { a: "b" } },
    ]);
  });
});

test("a dry run does not ask whoever it would change something with", async () => {
  await install("validating");
  await call("patch", `${GROUP}/validatingwebhookconfigurations/asked`)
    .set("content-type", "application/json-patch+json")
    .send([{ op: "replace", path: "/webhooks/0/sideEffects", value: "Some" }])
    .expect(422); // a webhook with side effects is invalid in v1
  respond({ allowed: true });
  await create("a", {}, "?dryRun=All").expect(201);
  expect(webhook.reviews).toHaveLength(1);
});

test("a webhook is not asked about webhooks, so that it can be taken back", async () => {
  const everything = { apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] };
  await install("validating", { rules: [everything] });
  respond({ allowed: false });
  await call("delete", `${GROUP}/validatingwebhookconfigurations/asked`).expect(200);
  await create("a").expect(201);
});
