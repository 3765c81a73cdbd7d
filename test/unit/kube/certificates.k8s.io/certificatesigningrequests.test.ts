import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { createAuthority } from "../../../../src/apiserver/http/tls/certificate.ts";
import type { Strategy } from "../../../../src/apiserver/registry/definition/resource-definition.ts";
import { CONTEXT, create, definitionOf, fixturesOf, lines, rowOf, update } from "../passage.ts";

const REQUEST = definitionOf("certificates.k8s.io/CertificateSigningRequest");
const approval: Strategy = REQUEST.subresources?.[0]?.strategy ?? {};
const VALID = fixturesOf(REQUEST).find(({ name }) => name === "valid")?.body ?? {};
const PEM = createAuthority("ca", { fromMs: 0, untilMs: 1e12 }).pem;
const CERTIFICATE = Buffer.from(PEM).toString("base64");
const APPROVED = { type: "Approved", status: "True" };
const DENIED = { type: "Denied", status: "True" };

let before: KubeObject;
beforeAll(() => {
  before = create(REQUEST, VALID).object;
});

const written = (old: KubeObject, status: JsonObject) =>
  update(REQUEST, { before: old, body: { ...VALID, status } }, "status");

function approve(old: KubeObject, conditions: JsonObject[]) {
  const object = structuredClone({ ...old, spec: {}, status: { conditions, certificate: CERTIFICATE } });
  approval.prepareForUpdate?.(object, old, CONTEXT);
  return { object, errors: lines(approval.validateUpdate?.(object, old, CONTEXT) ?? []) };
}

describe("a CertificateSigningRequest", () => {
  it("says who asks, whatever was sent, and is not decided", () => {
    const spec = { ...(VALID["spec"] as JsonObject), username: "root", groups: ["a"], extra: { b: ["c"] } };
    const { object } = create(REQUEST, { ...VALID, spec, status: { conditions: [APPROVED] } });
    expect(object["spec"]).toMatchObject({ username: CONTEXT.user.name });
    expect(object["spec"]).not.toMatchObject({ extra: {} });
    expect(object["status"]).toEqual({});
  });

  it("stays as it is, but for its metadata", () => {
    const body = { ...VALID, spec: { signerName: "a.b/c" }, status: { conditions: [APPROVED] } };
    const { object, errors } = update(REQUEST, { before, body });
    expect(lines(errors)).toEqual([]);
    expect([object["spec"], object["status"]]).toEqual([before["spec"], {}]);
  });

  it("is decided at /approval, once, and gets no certificate there", () => {
    const { object, errors } = approve(before, [APPROVED]);
    expect(errors).toEqual([]);
    expect(object["spec"]).toEqual(before["spec"]);
    expect(object["status"]).toEqual({
      conditions: [
        { ...APPROVED, lastUpdateTime: expect.any(String), lastTransitionTime: expect.any(String) },
      ],
    });
    expect(approve(object, []).errors).toEqual([
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ]);
    expect(approve(object, [DENIED, APPROVED]).errors).toEqual([
      'status.conditions[1].type: Invalid value: "Approved": Approved and Denied conditions are mutually exclusive',
    ]);
  });

  it.each<[string, JsonObject[], string[]]>([
    ["no type", [{ status: "True" }], ["[0].type: Required value"]],
    ["no status", [{ type: "A" }], ["[0].status: Required value"]],
    [
      "a decision that does not hold",
      [{ type: "Denied", status: "Unknown" }],
      ['[0].status: Unsupported value: "Unknown": supported values: "True"'],
    ],
    [
      "another status",
      [{ type: "A", status: "Yes" }],
      ['[0].status: Unsupported value: "Yes": supported values: "False", "True", "Unknown"'],
    ],
    ["a type twice", [APPROVED, APPROVED], ['[1].type: Duplicate value: "Approved"']],
  ])("is not decided with %s", (_name, conditions, expected) => {
    expect(approve(before, conditions).errors).toEqual(expected.map((line) => `status.conditions${line}`));
  });

  it("is answered at /status, which decides nothing", () => {
    const decided = approve(before, [APPROVED]).object;
    const failed = { type: "Failed", status: "True" };
    const both = written(decided, {
      certificate: CERTIFICATE,
      conditions: [{ ...APPROVED, reason: "x" }, failed],
    });
    expect(lines(both.errors)).toEqual([]);
    expect(both.object["status"]).toMatchObject({
      certificate: CERTIFICATE,
      conditions: [{ type: "Approved" }, { type: "Failed" }],
    });
    expect(JSON.stringify(both.object)).not.toContain('"reason":"x"');
    expect(written(before, { conditions: [APPROVED] }).object["status"]).toEqual({});
    expect(lines(written(both.object, { certificate: CERTIFICATE }).errors)).toEqual([]);
    expect(lines(written(both.object, { conditions: [APPROVED] }).errors)).toEqual([
      'status.conditions: Forbidden: updates may not remove a condition of type "Failed"',
      "status.certificate: Forbidden: updates may not change existing certificate content",
    ]);
  });

  it.each([
    ["nothing in PEM", "x", "must contain one or more CERTIFICATE PEM blocks"],
    [
      "a key",
      "-----BEGIN PRIVATE KEY-----\neA==\n-----END PRIVATE KEY-----",
      'only CERTIFICATE PEM blocks are allowed, found "PRIVATE KEY"',
    ],
    ["headers", PEM.replace("\n", "\na: b\n\n"), "no PEM block headers are permitted"],
    [
      "what is no certificate",
      "-----BEGIN CERTIFICATE-----\neA==\n-----END CERTIFICATE-----",
      "x509: malformed certificate",
    ],
  ])("is not answered with %s", (_name, text, why) => {
    const certificate = Buffer.from(text).toString("base64");
    expect(lines(written(before, { certificate }).errors)).toEqual([
      `status.certificate: Invalid value: "<certificate data>": ${why}`,
    ]);
  });

  it.each<[JsonObject, string]>([
    [{}, "Pending"],
    [{ conditions: [APPROVED] }, "Approved"],
    [{ conditions: [DENIED, { type: "Failed" }] }, "Denied,Failed"],
    [{ conditions: [APPROVED], certificate: CERTIFICATE }, "Approved,Issued"],
  ])("%# is shown with what became of it", (status, Condition) => {
    expect(rowOf(REQUEST, { ...before, status })).toMatchObject({
      SignerName: "kubernetes.io/kube-apiserver-client",
      RequestedDuration: "24h",
      Condition,
    });
  });

  it.each([
    ["a.b", ["must be a fully qualified domain and path of the form 'example.com/signer-name'"]],
    ["a/b", ["should be a domain with at least two segments separated by dots"]],
    ["a.b/c", []],
  ])("asks the signer %s", (signerName, expected) => {
    const { errors } = create(REQUEST, { ...VALID, spec: { ...(VALID["spec"] as JsonObject), signerName } });
    expect(errors.map(({ message }) => message)).toEqual(
      expected.map((line) => expect.stringContaining(line)),
    );
  });
});
