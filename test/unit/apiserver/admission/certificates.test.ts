import { expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { Authorizer } from "../../../../src/apiserver/registry/definition/request-context.ts";
import {
  createCertificateApproval,
  createCertificateSigning,
  createCertificateSubjectRestriction,
} from "../../../../src/kube/admission/certificates.ts";
import type { Store } from "../../../../src/storage/store.ts";
import { asked } from "./support.ts";

const SIGNER = "example.com/s";

/** Allows exactly one right: "approve example.com/*". */
const depsFor = (right: string) => ({
  store: {} as Store, // it is not asked
  authorizer: {
    authorize: (access) => ({
      allowed: access.type === "resource" && `${access.verb} ${access.name}` === right,
      reason: "",
    }),
    rulesFor: () => ({ rules: [], error: undefined }),
  } satisfies Authorizer,
});

const REQUESTS = "certificatesigningrequests";

function attributesOf(subresource: string, status: JsonObject = {}) {
  const oldObject = { metadata: { name: "a" }, spec: { signerName: SIGNER } };
  return asked(REQUESTS, { operation: "UPDATE", subresource, object: { ...oldObject, status }, oldObject });
}

test.each([
  ["approve example.com/s", true],
  ["approve example.com/*", true],
  ["sign example.com/s", false],
])("who may %s decides: %s", (right, may) => {
  const decide = () => createCertificateApproval(depsFor(right)).validate?.(attributesOf("approval"));
  if (may) expect(decide).not.toThrow();
  else expect(decide).toThrow('user not permitted to approve requests with signerName "example.com/s"');
});

test.each<[string, JsonObject, boolean]>([
  ["sign example.com/*", { certificate: "eA==" }, true],
  ["approve example.com/s", { certificate: "eA==" }, false],
  ["approve example.com/s", { conditions: [{ type: "A" }] }, false],
  ["nothing", {}, true],
])("who may %s answers with %j: %s", (right, status, may) => {
  const answer = () => createCertificateSigning(depsFor(right)).validate?.(attributesOf("status", status));
  if (may) expect(answer).not.toThrow();
  else expect(answer).toThrow('user not permitted to sign requests with signerName "example.com/s"');
});

/** CN=root, O=system:masters, with a key of P-256. */
const OF_ADMINISTRATOR = `-----BEGIN CERTIFICATE REQUEST-----
MIHjMIGKAgEAMCgxFzAVBgNVBAoMDnN5c3RlbTptYXN0ZXJzMQ0wCwYDVQQDDARy
b290MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEHvXxoiwnSelbdDK1QnEhTr+q
18YVCuh9U6+ZMoK0rw/BuKGiMqMW/wrmWTtd/VsxWMVa5XsEuF+aeBTPoPuG5aAA
MAoGCCqGSM49BAMCA0gAMEUCICx90+bBSpJzyucEU9RZ+F1jUhKCk+3Gm9FnJ/C7
FAgJAiEA+JhokOhLDmOLohlKVNFquacc1aYNsbEZDnIjAVHn5OI=
-----END CERTIFICATE REQUEST-----`;

test.each([
  ["kubernetes.io/kube-apiserver-client", false],
  ["example.com/s", true],
])("%s makes administrators: %s", (signerName, may) => {
  const request = Buffer.from(OF_ADMINISTRATOR).toString("base64");
  const object = { metadata: { name: "a" }, spec: { signerName, request } };
  const ask = () => createCertificateSubjectRestriction().validate(asked(REQUESTS, { object }));
  if (may) expect(ask).not.toThrow();
  else expect(ask).toThrow(`use of ${signerName} signer with system:masters group is not allowed`);
});
