// Requests and responses of webhook frameworks outside Go: kube-rs' example admission_controller and an operator with
// kopf's own webhook server.
import { once } from "node:events";
import { createServer as createHttpsServer, type Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import request from "supertest";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../../src/apimachinery/json/json.ts";
import { createServer, type Server } from "../../src/server/server.ts";
import { makeCertificate, USAGE } from "../support/certificates.ts";

const REGISTRATION = "/apis/admissionregistration.k8s.io/v1";
const MERGE = "application/merge-patch+json";

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly operation: string;
    readonly object: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } } | null;
  };
}

type Answer = (review: Review, path: string) => JsonObject;

let server: Server;
const webhooks: HttpsServer[] = [];
beforeAll(async () => {
  const quiet = { inMemory: true, kubeconfig: undefined, controllers: "", logLevel: "silent" };
  server = await createServer({ listen: "127.0.0.1:0", ...quiet });
});
afterAll(() => server?.close());
afterEach(async () => {
  for (const kind of ["mutating", "validating"])
    await request(server.url).delete(`${REGISTRATION}/${kind}webhookconfigurations`);
  for (const webhook of webhooks.splice(0)) {
    webhook.close();
    webhook.closeAllConnections();
  }
});

/** Both frameworks' guides use self-signed certificates. */
async function listen(answer: Answer): Promise<{ readonly url: string; readonly caBundle: string }> {
  const certificate = makeCertificate({ hosts: ["127.0.0.1"], ca: true, usages: [USAGE.server] });
  const webhook = createHttpsServer(
    { cert: certificate.pem, key: certificate.keyPem },
    async (asked, reply) => {
      const review = (await json(asked)) as Review; // of a server that is tested elsewhere
      reply.writeHead(200, { "content-type": "application/json" });
      reply.end(JSON.stringify(answer(review, (asked.url ?? "").split("?")[0] ?? "")));
    },
  );
  webhooks.push(webhook);
  webhook.listen(0, "127.0.0.1");
  await once(webhook, "listening");
  const { port } = webhook.address() as AddressInfo; // it listens
  return { url: `https://127.0.0.1:${port}`, caBundle: Buffer.from(certificate.pem).toString("base64") };
}

const send = (method: "post" | "put" | "patch", path: string, body: object) =>
  request(server.url)[method](path).send(body);

/** A CRD as kube-rs' and kopf's examples derive it. */
async function define(group: string, plural: string, kind: string): Promise<string> {
  const schema = {
    openAPIV3Schema: {
      type: "object",
      properties: { spec: { type: "object", properties: { name: { type: "string" } } } },
    },
  };
  await send("post", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope: "Namespaced", names: { plural, singular: kind.toLowerCase(), kind } },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  }).expect(201);
  await server.settled();
  return `/apis/${group}/v1/namespaces/default/${plural}`;
}

/** `Status::default()` of k8s-openapi is sent with every verdict; patches are bytes, which serde writes as an array. */
const kubeRsController: Answer = ({ apiVersion, kind, request: { uid, object } }) => {
  const labels = object?.metadata.labels;
  const result = { kind: "Status", apiVersion: "v1", metadata: {} };
  const response = { uid, allowed: true, status: result };
  if (labels?.["illegal"] !== undefined) {
    const message = "Resource contained 'illegal' label";
    return { apiVersion, kind, response: { ...response, allowed: false, status: { ...result, message } } };
  }
  if (labels?.["admission"] !== undefined) return { apiVersion, kind, response };
  const patch = [
    ...(labels === undefined ? [{ op: "add", path: "/metadata/labels", value: {} }] : []),
    { op: "add", path: "/metadata/labels/admission", value: "modified-by-admission-controller" },
  ];
  const bytes = [...Buffer.from(JSON.stringify(patch))];
  return { apiVersion, kind, response: { ...response, patch: bytes, patchType: "JSONPatch" } };
};

test("kube-rs: the example admission_controller labels Foos and denies illegal ones", async () => {
  const foos = await define("clux.dev", "foos", "Foo");
  const { url, caBundle } = await listen(kubeRsController);
  await send("post", `${REGISTRATION}/mutatingwebhookconfigurations`, {
    metadata: { name: "foo-admission-controller" },
    webhooks: [
      {
        name: "foo-admission-controller.default.svc",
        clientConfig: { url: `${url}/mutate`, caBundle },
        rules: [
          {
            operations: ["CREATE", "UPDATE"],
            apiGroups: ["clux.dev"],
            apiVersions: ["v1"],
            resources: ["foos"],
          },
        ],
        ...{ failurePolicy: "Fail", admissionReviewVersions: ["v1", "v1beta1"], sideEffects: "None" },
        timeoutSeconds: 5,
      },
    ],
  }).expect(201);
  const create = (name: string, labels?: object) =>
    send("post", foos, {
      ...{ apiVersion: "clux.dev/v1", kind: "Foo", metadata: { name, ...(labels && { labels }) } },
      spec: { name },
    });
  const marked = { admission: "modified-by-admission-controller" };
  expect((await create("bad", { illegal: "true" }).expect(400)).body.message).toBe(
    `admission webhook "foo-admission-controller.default.svc" denied the request: Resource contained 'illegal' label`,
  );
  expect((await create("plain").expect(201)).body.metadata.labels).toEqual(marked);
  expect((await create("labeled", { own: "yes" }).expect(201)).body.metadata.labels).toEqual({
    own: "yes",
    ...marked,
  });
  const changed = await send("patch", `${foos}/plain`, { metadata: { labels: { illegal: "true" } } }).set(
    "content-type",
    MERGE,
  );
  expect(changed.status).toBe(400);
  const verdicts = server.control.webhookCalls
    .entries()
    .map(({ verdict, changes }) => [verdict, changes.length]);
  expect(verdicts).toEqual([
    ["denied", 0],
    ["allowed", 1],
    ["allowed", 1],
    ["denied", 0],
  ]);
});

/** One path for each handler, as kopf maps them; an AdmissionError has its own code. */
const kopfOperator: Answer = ({ apiVersion, kind, request: { uid, object } }, path) => {
  if (path === "/mutate_flex") {
    const patch = [{ op: "add", path: "/spec", value: { name: "given" } }];
    const encoded = Buffer.from(JSON.stringify(patch)).toString("base64");
    return { apiVersion, kind, response: { uid, allowed: true, patch: encoded, patchType: "JSONPatch" } };
  }
  const refused = object?.metadata.labels?.["flex"] === "no";
  const warnings = ["This is a demo warning."];
  const status = { message: "Flexing is required.", code: 499 };
  return { apiVersion, kind, response: { uid, allowed: !refused, warnings, ...(refused ? { status } : {}) } };
};

test("kopf: an operator fills the configurations that it has made, with a path for each handler", async () => {
  const path = await define("kopf.dev", "kopfexamples", "KopfExample");
  const { url, caBundle } = await listen(kopfOperator);
  const install = async (kind: "mutating" | "validating", handler: string) => {
    const configurations = `${REGISTRATION}/${kind}webhookconfigurations`;
    await send("post", configurations, { metadata: { name: "auto.kopf.dev" } }).expect(201);
    const webhook = {
      name: `${handler.replaceAll("_", "-")}.auto.kopf.dev`,
      ...{
        sideEffects: "NoneOnDryRun",
        failurePolicy: "Fail",
        matchPolicy: "Equivalent",
        timeoutSeconds: 30,
      },
      rules: [
        {
          apiGroups: ["kopf.dev"],
          apiVersions: ["v1"],
          resources: ["kopfexamples"],
          operations: ["*"],
          scope: "*",
        },
      ],
      clientConfig: { url: `${url}/${handler}`, caBundle },
      ...{ objectSelector: {}, admissionReviewVersions: ["v1", "v1beta1"] },
    };
    await send("patch", `${configurations}/auto.kopf.dev`, { webhooks: [webhook] })
      .set("content-type", MERGE)
      .expect(200);
  };
  await install("mutating", "mutate_flex");
  await install("validating", "validate_flex");
  const create = (name: string, flex: string) =>
    send("post", path, {
      ...{ apiVersion: "kopf.dev/v1", kind: "KopfExample", metadata: { name, labels: { flex } } },
    });
  const made = await create("yes", "yes").expect(201);
  expect(made.body.spec).toEqual({ name: "given" });
  expect(made.headers["warning"]).toBe('299 - "This is a demo warning."');
  const denied = await create("no", "no").expect(499);
  expect(denied.body).toMatchObject({
    message: 'admission webhook "validate-flex.auto.kopf.dev" denied the request: Flexing is required.',
    code: 499,
  });
  await request(server.url).delete(`${path}/yes`).expect(500); // the mutating handler patches a deletion, too
});
