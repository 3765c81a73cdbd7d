// CertificateSigningRequest: requests a certificate from a signer. It is approved or denied at /approval, and the signer
// writes the certificate to the status.
import { decodeCertificateRequest } from "../../apimachinery/go/x509/certificate-request.ts";
import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import { type FieldError, forbidden, invalid } from "../../apimachinery/meta/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { schemaRef } from "../../apimachinery/schema/go/schema-library.ts";
import type { RequestContext } from "../../apiserver/registry/definition/request-context.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { AGE, column, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { ensureObject, specOf } from "../../apiserver/registry/strategy/fields.ts";
import { type CodeRules, type Place, schemaErrors } from "../../apiserver/registry/strategy/schema-rules.ts";
import { humanDuration } from "../../apiserver/registry/table/columns.ts";
import { certificateComplaint, validateSignerName } from "./signer-names.ts";

export const CERTIFICATES_GROUP = "certificates.k8s.io";
const TYPE = "io.k8s.api.certificates.v1.CertificateSigningRequest";
const DECISIONS = ["Approved", "Denied"];
/** These conditions cannot be removed. */
const FINAL = [...DECISIONS, "Failed"];

const conditionsOf = (object: Readonly<JsonObject>): JsonObject[] =>
  objectsAt(objectAt(object, "status"), "conditions");
const certificateOf = (object: Readonly<JsonObject>): string =>
  textAt(objectAt(object, "status"), "certificate");
const ofType = (object: Readonly<JsonObject>, type: string): JsonObject[] =>
  conditionsOf(object).filter((condition) => condition["type"] === type);

const decoded = (base64: string): string => Buffer.from(base64, "base64").toString("latin1");

const rules: CodeRules = {
  request: ({ field, owner }) => {
    const request = decodeCertificateRequest(textAt(owner, "request"));
    const complaint = typeof request === "string" ? request : request.signatureComplaint;
    return complaint === undefined ? [] : [invalid(`${field}.request`, owner["request"], complaint)];
  },
  signerName: ({ field, value }) => validateSignerName(field, String(value)),
  exclusive: validateExclusive,
  certificate({ field, value, old }) {
    const certificate = typeof value === "string" ? value : "";
    if (old !== undefined && textAt(old, "certificate") === certificate) return [];
    const complaint = certificate === "" ? undefined : certificateComplaint(decoded(certificate));
    return complaint === undefined ? [] : [invalid(field, "<certificate data>", complaint)];
  },
};

/** The second of two exclusive decisions is rejected. */
function validateExclusive({ field, value, owner, root }: Place): FieldError[] {
  if (!DECISIONS.includes(String(value))) return [];
  const conditions = conditionsOf(root);
  const before = conditions.slice(0, conditions.indexOf(owner));
  const isSecond = before.some(({ type }) => type !== value && DECISIONS.includes(String(type)));
  return isSecond ? [invalid(field, value, "Approved and Denied conditions are mutually exclusive")] : [];
}

function validateUpdate(object: Readonly<JsonObject>, old: Readonly<JsonObject>): FieldError[] {
  const errors = schemaErrors(TYPE, object, { code: rules, old });
  for (const type of FINAL) {
    if (ofType(object, type).length >= ofType(old, type).length) continue;
    errors.push(forbidden("status.conditions", `updates may not remove a condition of type "${type}"`));
  }
  const before = certificateOf(old);
  if (before !== "" && before !== certificateOf(object))
    errors.push(forbidden("status.certificate", "updates may not change existing certificate content"));
  return errors;
}

/** The user info of the spec is that of the caller, whatever the request has. */
function prepareForCreate(object: KubeObject, { user }: RequestContext): void {
  const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...spec } = specOf(object);
  object["spec"] = {
    ...spec,
    ...(user.name === "" ? {} : { username: user.name }),
    ...(user.uid ? { uid: user.uid } : {}),
    ...(user.groups.length > 0 ? { groups: user.groups } : {}),
    ...(user.extra && Object.keys(user.extra).length > 0 ? { extra: user.extra } : {}),
  };
  object["status"] = {};
}

/** Conditions without timestamps get the current time, or keep their last transition time while the status is unchanged. */
function dateConditions(object: KubeObject, old: Readonly<KubeObject>, { clock }: RequestContext): void {
  const now = formatTime(clock.now());
  const conditions = conditionsOf(object).map((condition) => {
    const { type, status } = condition;
    const before = ofType(old, String(type)).find((other) => other["status"] === status);
    return {
      ...condition,
      lastUpdateTime: condition["lastUpdateTime"] ?? now,
      lastTransitionTime: condition["lastTransitionTime"] ?? before?.["lastTransitionTime"] ?? now,
    };
  });
  setConditions(object, conditions);
}

function setConditions(object: KubeObject, conditions: readonly JsonObject[]): void {
  const status = ensureObject(object, "status");
  if (conditions.length > 0) status["conditions"] = conditions;
  else delete status["conditions"];
}

const checked = {
  metadataChecksOnUpdate: ["new", "changed"],
  allowUnconditionalUpdate: true,
  validateName: () => [],
  validateUpdate,
} satisfies Strategy;

const strategy: Strategy = {
  ...checked,
  resetFields: [["spec"], ["status"]],
  prepareForCreate,
  prepareForUpdate(object, old) {
    for (const part of ["spec", "status"]) object[part] = old[part] ?? {};
  },
};

/** Status endpoint of the signer: certificate and conditions, except the decision. */
const status: Strategy = {
  ...checked,
  resetFields: [["spec"], ["status", "conditions"]],
  prepareForUpdate(object, old, context) {
    object["spec"] = old["spec"];
    setConditions(object, withDecisionsOf(old, conditionsOf(object)));
    dateConditions(object, old, context);
  },
};

/** Decisions are preserved; a change of their number reverts all conditions. */
function withDecisionsOf(old: Readonly<KubeObject>, conditions: readonly JsonObject[]): JsonObject[] {
  const before = conditionsOf(old);
  const count = (list: readonly JsonObject[], type: string): number =>
    list.filter((condition) => condition["type"] === type).length;
  if (DECISIONS.some((type) => count(before, type) !== count(conditions, type))) return before;
  return conditions.map((condition) => {
    const { type } = condition;
    const kept = before.find((other) => other["type"] === type);
    return kept !== undefined && DECISIONS.includes(String(type)) ? kept : condition;
  });
}

/** Approval endpoint: changes conditions only. */
const approval: Strategy = {
  ...checked,
  resetFields: [["spec"], ["status", "certificate"]],
  prepareForUpdate(object, old, context) {
    dateConditions(object, old, context);
    const { conditions: _before, ...kept } = objectAt(old, "status") ?? {};
    const conditions = conditionsOf(object);
    object["spec"] = old["spec"];
    object["status"] = conditions.length > 0 ? { ...kept, conditions } : kept;
  },
};

function conditionCell(object: Readonly<JsonObject>): string {
  const has = (type: string): boolean => ofType(object, type).length > 0;
  return [
    has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending",
    ...(has("Failed") ? ["Failed"] : []),
    ...(certificateOf(object) === "" ? [] : ["Issued"]),
  ].join(",");
}

function durationCell(object: Readonly<JsonObject>): string {
  const seconds = numberAt(specOf(object), "expirationSeconds");
  return seconds === undefined ? "<none>" : humanDuration(seconds * 1000);
}

export const certificateSigningRequests = builtIn(`${CERTIFICATES_GROUP}/v1`, "CertificateSigningRequest", {
  shortNames: ["csr"],
  namespaceScoped: false,
  columns: [
    NAME,
    AGE,
    column("SignerName", "Who is asked.", (object) => textAt(specOf(object), "signerName") || "<none>"),
    column("Requestor", "Who asks.", "spec.username"),
    column("RequestedDuration", "How long it should be good.", durationCell),
    column("Condition", "What became of it.", conditionCell),
  ],
  selectableFields: ["spec.signerName"],
  strategy,
  status,
  subresources: [
    {
      name: "approval",
      verbs: ["get", "patch", "update"],
      schema: schemaRef(TYPE),
      strategy: approval,
    },
  ],
  rules,
});
