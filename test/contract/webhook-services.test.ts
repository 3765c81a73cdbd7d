// Webhooks behind Services: resolved through their EndpointSlices, and verified by the name of the Service.
import { createServer as createHttps, type Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import request from "supertest";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../../src/apimachinery/json/json.ts";
import { createServer, type Server } from "../../src/server/server.ts";
import { makeCertificate } from "../support/certificates.ts";

const HOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
const HOST = "127.0.0.1";
/** EndpointSlices accept no loopback address. */
const OWN_ADDRESS = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === "IPv4" && !each.internal)?.address;
const ca = makeCertificate({ subject: "ca", ca: true });
const own = makeCertificate({ subject: "webhook", hosts: ["hook.default.svc"], issuer: ca });

let server: Server;
let webhook: HttpsServer;
let port: number;
const seen: (string | undefined)[] = [];
beforeAll(async () => {
  webhook = createHttps({ cert: own.pem, key: own.keyPem }, async (asked, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk as Buffer);
    const review = JSON.parse(Buffer.concat(chunks).toString());
    seen.push(`${asked.headers.host}${asked.url}`);
    review.response = { uid: review.request.uid, allowed: false, status: { message: "called" } };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(review));
  });
  await new Promise<void>((resolve) => webhook.listen(0, OWN_ADDRESS ?? HOST, resolve));
  port = (webhook.address() as AddressInfo).port;
  server = await createServer({
    listen: `${HOST}:0`,
    inMemory: true,
    kubeconfig: undefined,
    controllers: "",
  });
});
afterAll(async () => {
  await server?.close();
  webhook.closeAllConnections();
  webhook.close();
});
afterEach(async () => {
  await request(server.url).delete(HOOKS);
  await request(server.url).delete("/api/v1/namespaces/default/services/hook");
  await request(server.url).delete(SLICES);
  seen.length = 0;
});

const post = (path: string, body: JsonObject) => request(server.url).post(path).send(body).expect(201);
const service = (spec: JsonObject) =>
  post("/api/v1/namespaces/default/services", { metadata: { name: "hook" }, spec });
const slice = (endpoints: readonly JsonObject[], more: JsonObject = {}) =>
  post(SLICES, {
    metadata: { generateName: "hook-", labels: { "kubernetes.io/service-name": "hook" } },
    ...{ addressType: "IPv4", ports: [{ name: "", port }], endpoints, ...more },
  });

/** The error of a create, without the prefix that all failures share. */
async function outcome(client: JsonObject = {}): Promise<string> {
  const clientConfig = {
    service: { namespace: "default", name: "hook", ...client },
    caBundle: Buffer.from(ca.pem).toString("base64"),
  };
  const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }];
  const hook = {
    name: "a.example.com",
    clientConfig,
    rules,
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  };
  await post(HOOKS, { metadata: { name: "h" }, webhooks: [hook] });
  const { body } = await request(server.url)
    .post("/api/v1/namespaces/default/configmaps")
    .send({ metadata: { generateName: "m-" } });
  return String(body.message).replace(/^Internal error .*?failed to call webhook: /, "");
}

const POST = 'Post "https://hook.default.svc:443/?timeout=10s"';

test.skipIf(OWN_ADDRESS === undefined)(
  "a Service without a selector is reached at its EndpointSlice, by its own name",
  async () => {
    await service({ ports: [{ port: 8443 }] });
    await slice([{ addresses: ["192.0.2.1"], conditions: { ready: false } }, { addresses: [OWN_ADDRESS] }]);
    expect(await outcome({ port: 8443, path: "/validate" })).toBe(
      'admission webhook "a.example.com" denied the request: called',
    );
    expect(seen).toEqual(["hook.default.svc:8443/validate?timeout=10s"]);
  },
);

test.skipIf(OWN_ADDRESS === undefined)("the port of the slice is found by its name", async () => {
  await service({
    ports: [
      { name: "other", port: 80 },
      { name: "hooks", port: 443 },
    ],
  });
  await slice([{ addresses: [OWN_ADDRESS] }], {
    ports: [
      { name: "other", port: 1 },
      { name: "hooks", port },
    ],
  });
  expect(await outcome()).toContain("denied the request: called");
});

test.skipIf(OWN_ADDRESS === undefined)("a certificate for another name is refused", async () => {
  await service({ ports: [{ port: 443 }] });
  await slice([{ addresses: [OWN_ADDRESS] }]);
  await request(server.url).delete("/api/v1/namespaces/default/services/other");
  await post("/api/v1/namespaces/default/services", {
    metadata: { name: "other" },
    spec: { ports: [{ port: 443 }] },
  });
  await slice([{ addresses: [OWN_ADDRESS] }], {
    metadata: { generateName: "o-", labels: { "kubernetes.io/service-name": "other" } },
  });
  expect(await outcome({ name: "other" })).toContain(
    "x509: certificate is valid for hook.default.svc, not other.default.svc",
  );
});

test.each<[what: string, spec: JsonObject, why: string]>([
  ["without endpoints", { ports: [{ port: 443 }] }, 'no endpoints available for service "hook"'],
  ["without the port", { ports: [{ port: 80 }] }, 'no service port 443 found for service "hook"'],
  [
    "for a name",
    { type: "ExternalName", externalName: "a.example" },
    'unsupported service type "ExternalName"',
  ],
])("a Service %s cannot be reached", async (_what, spec, why) => {
  await service(spec);
  expect(await outcome()).toBe(`${POST}: ${why}`);
});

test("a simulated pod is named as such", async () => {
  await service({ ports: [{ port: 443 }] });
  const container = { name: "c", image: "c" };
  await post("/api/v1/namespaces/default/pods", {
    metadata: { name: "p" },
    spec: { containers: [container] },
  });
  await slice([{ addresses: ["10.1.2.3"], targetRef: { kind: "Pod", namespace: "default", name: "p" } }]);
  expect(await outcome()).toBe(
    `${POST}: dial tcp 10.1.2.3:${port}: pod "default/p" is a simulated pod: nothing listens there`,
  );
});
