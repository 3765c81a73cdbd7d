import { X509Certificate } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { createAuthority, createClientCertificate } from "../../../../src/apiserver/http/tls/certificate.ts";
import { certificateSigner } from "../../../../src/kube/controllers/certificate-signer.ts";
import { ApiWorld } from "../../../support/api-world.ts";
import { definitionOf, fixturesOf } from "../passage.ts";

const REQUESTS = { group: "certificates.k8s.io", version: "v1", resource: "certificatesigningrequests" };
const FIXTURE = fixturesOf(definitionOf("certificates.k8s.io/CertificateSigningRequest"));
const SPEC = FIXTURE.find(({ name }) => name === "valid")?.body["spec"] as JsonObject;
const KEY = { namespace: "", name: "alice" };
const authority = createAuthority("ca", { fromMs: 0, untilMs: 4e12 });

let world: ApiWorld;
beforeEach(async () => {
  const create: typeof certificateSigner.create = (deps) =>
    certificateSigner.create({
      ...deps,
      signClient(of, { seconds, usages }) {
        const fromMs = deps.clock.now();
        const times = { fromMs, untilMs: fromMs + seconds * 1000 };
        return createClientCertificate({ ...authority, name: "ca" }, of, times, usages);
      },
    });
  world = await ApiWorld.open([{ ...certificateSigner, create }]);
});

async function answerTo(change: JsonObject, decision = "Approved"): Promise<JsonObject> {
  const made = await world.create(REQUESTS, { name: "alice" }, { spec: { ...SPEC, ...change } });
  const conditions = [{ type: decision, status: "True" }];
  await world.client.update(REQUESTS, { ...made, status: { conditions } }, "approval");
  await world.settled();
  return ((await world.get(REQUESTS, KEY))?.["status"] ?? {}) as JsonObject;
}

test("what is approved is signed for the one who has the key, for as long as he asks", async () => {
  const { certificate } = await answerTo({});
  const signed = new X509Certificate(Buffer.from(String(certificate), "base64"));
  expect(signed.subject).toBe("O=shop\nCN=alice");
  expect(signed.verify(new X509Certificate(authority.pem).publicKey)).toBe(true);
  expect(signed.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
  expect(Date.parse(signed.validTo) - Date.parse(signed.validFrom)).toBe(86_400_000);
});

test.each<[string, JsonObject, string | undefined]>([
  ["denied", {}, "Denied"],
  ["another signer's", { signerName: "example.com/s" }, undefined],
])("what is %s is not signed", async (_name, change, decision) => {
  const { certificate, conditions } = await answerTo(change, decision);
  expect(certificate).toBeUndefined();
  expect(conditions).toHaveLength(1);
});

test.each([
  [["client auth", "server auth"], "invalid usage for client certificate: server auth"],
  [["digital signature"], "missing required usage for client certificate: client auth"],
])("a request with the usages %j fails", async (usages, message) => {
  const { certificate, conditions } = await answerTo({ usages });
  expect(certificate).toBeUndefined();
  expect(conditions).toMatchObject([
    { type: "Approved" },
    { type: "Failed", reason: "SignerValidationFailure", message },
  ]);
});
