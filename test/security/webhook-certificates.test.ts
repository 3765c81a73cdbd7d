// Serving certificates of admission and conversion webhooks: accepted and rejected as in a kube-apiserver, and never by
// the common name. A rejected server receives no byte of a request.
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { makeCertificate, type TestCertificate, USAGE } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { type BuiltServer, startBuiltServer } from "./built-server.ts";

const HOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const HOST = "127.0.0.1";
const HOUR_MS = 3_600_000;

let server: BuiltServer;
beforeAll(async () => {
  server = await startBuiltServer();
}, 60_000);
afterAll(() => server?.[Symbol.asyncDispose]());

let webhook: Server | undefined;
let requests = 0;
afterEach(() => {
  webhook?.closeAllConnections();
  webhook?.close();
});

/** Allows and converts everything. Returns its port. */
async function serve(...chain: readonly TestCertificate[]): Promise<number> {
  requests = 0;
  const cert = chain.map(({ pem }) => pem).join("");
  webhook = createServer({ cert, key: chain[0]?.keyPem }, async (request, response) => {
    requests++;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { apiVersion, kind, request: asked } = JSON.parse(Buffer.concat(chunks).toString());
    const objects = (asked.objects ?? []).map((object: object) => ({
      ...object,
      apiVersion: asked.desiredAPIVersion,
    }));
    const result = {
      uid: asked.uid,
      allowed: true,
      convertedObjects: objects,
      result: { status: "Success" },
    };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ apiVersion, kind, response: result }));
  });
  await new Promise<void>((resolve) => webhook?.listen(0, HOST, resolve));
  return (webhook.address() as AddressInfo).port;
}

const bundleOf = (roots: readonly TestCertificate[]): string =>
  Buffer.from(roots.map(({ pem }) => pem).join("")).toString("base64");

let count = 0;

/** "201", or the error message without the port. */
async function create(url: string, roots: readonly TestCertificate[]): Promise<string> {
  const name = `h${++count}`;
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] };
  const clientConfig = { url, caBundle: bundleOf(roots) };
  const hook = {
    name: "t.example.com",
    clientConfig,
    rules: [rule],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  };
  const about = { apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration" };
  await server.send("POST", HOOKS, { ...about, metadata: { name }, webhooks: [hook] });
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "m" } };
  const { status, text } = await server.send("POST", "/api/v1/namespaces/default/configmaps", map);
  await server.send("DELETE", `${HOOKS}/${name}`);
  return status === 201 ? "201" : JSON.parse(text).message.replace(/:\d+\//, "/");
}

const ca = makeCertificate({ subject: "ca", ca: true });
const leaf = makeCertificate({ subject: "leaf", hosts: [HOST], issuer: ca });
const selfSigned = makeCertificate({ subject: "self", hosts: [HOST] });
const ofCa = makeCertificate({ subject: "ca of itself", hosts: [HOST], ca: true, keyUsage: 0b0000_0110 });
const verified = (host: string, why: string) =>
  `Internal error occurred: failed calling webhook "t.example.com": failed to call webhook: Post "https://${host}/x?timeout=10s": tls: failed to verify certificate: x509: ${why}`;
const legacy = "certificate relies on legacy Common Name field, use SANs instead";

describe("the certificate of an admission webhook", () => {
  test.each<[string, TestCertificate, readonly TestCertificate[]]>([
    ["of an authority in the bundle", leaf, [ca]],
    ["that is in the bundle itself", leaf, [leaf]],
    ["that has signed itself", selfSigned, [selfSigned]],
    ["that is its own authority, and for nothing but signing certificates", ofCa, [ofCa]],
  ])("%s is accepted", async (_what, own, roots) => {
    const port = await serve(own);
    expect(await create(`https://${HOST}:${port}/x`, roots)).toBe("201");
    expect(requests).toBe(1);
  });

  test.each<[string, string, TestCertificate, readonly TestCertificate[], string]>([
    [
      "with a common name alone",
      "localhost",
      makeCertificate({ subject: "localhost", issuer: ca }),
      [ca],
      legacy,
    ],
    [
      "with an address as its common name",
      HOST,
      makeCertificate({ subject: HOST, issuer: ca }),
      [ca],
      legacy,
    ],
    [
      "for another name",
      "localhost",
      makeCertificate({ subject: "localhost", issuer: ca, hosts: ["a", "*.b"] }),
      [ca],
      "certificate is valid for a, *.b, not localhost",
    ],
    ["of another authority", HOST, leaf, [selfSigned], "certificate signed by unknown authority"],
    [
      "for clients",
      HOST,
      makeCertificate({ subject: "leaf", hosts: [HOST], issuer: ca, usages: [USAGE.client] }),
      [ca],
      "certificate specifies an incompatible key usage",
    ],
  ])("%s is refused", async (_what, host, own, roots, why) => {
    const port = await serve(own);
    expect(await create(`https://${host}:${port}/x`, roots)).toBe(verified(host, why));
    expect(requests).toBe(0);
  });

  test("is refused once it has expired", async () => {
    const untilMs = Date.now() - HOUR_MS / 2;
    const port = await serve(makeCertificate({ subject: "leaf", hosts: [HOST], issuer: ca, untilMs }));
    expect(await create(`https://${HOST}:${port}/x`, [ca])).toContain(
      "tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time ",
    );
  });

  test("is not looked at with a bundle that has none", async () => {
    const key = { ...ca, pem: ca.keyPem };
    expect(await create("https://localhost:1/x", [key])).toBe(
      'Internal error occurred: failed calling webhook "t.example.com": could not get REST client: unable to load root certificates: no valid certificate authority data seen',
    );
  });
});

describe("the certificate of a conversion webhook", () => {
  const VERSION = { served: true, schema: { openAPIV3Schema: { type: "object" } } };
  async function define(url: string, roots: readonly TestCertificate[]): Promise<string> {
    const plural = `things${++count}`;
    const kind = `Thing${count}`;
    const clientConfig = { url, caBundle: bundleOf(roots) };
    const group = "example.com";
    await server.send("POST", DEFINITIONS, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: "Cluster",
        names: { plural, singular: kind.toLowerCase(), kind },
        versions: [
          { ...VERSION, name: "v1", storage: true },
          { ...VERSION, name: "v2", storage: false },
        ],
        conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } },
      },
    });
    const path = (version: string) => `/apis/${group}/${version}/${plural}`;
    const object = { apiVersion: `${group}/v1`, kind, metadata: { name: "a" } };
    await eventually(
      () => server.send("POST", path("v1"), object),
      ({ status }) => status === 201,
    );
    const { status, text } = await server.send("GET", `${path("v2")}/a`);
    return status === 200 ? "200" : JSON.parse(text).message.replace(/:\d+\//, "/");
  }

  test("that is in the bundle itself is accepted", async () => {
    const port = await serve(leaf);
    expect(await define(`https://${HOST}:${port}/x`, [leaf])).toBe("200");
  });

  test("with a common name alone is refused", async () => {
    const port = await serve(makeCertificate({ subject: "localhost", issuer: ca }));
    const why = `Post "https://localhost/x?timeout=30s": tls: failed to verify certificate: x509: ${legacy}`;
    expect(await define(`https://localhost:${port}/x`, [ca])).toContain(why);
    expect(requests).toBe(0);
  });
});
