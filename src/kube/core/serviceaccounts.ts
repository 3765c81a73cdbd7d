// ServiceAccount: an identity for pods; stored as given, except that secrets keep only their names.

import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import { type FieldError, invalid } from "../../apimachinery/meta/field-error.ts";
import { type KubeObject, partsOfApiVersion } from "../../apimachinery/meta/object-meta.ts";
import { badRequest, conflict, invalidObject, notFound } from "../../apimachinery/meta/status.ts";
import { decodeInVersion } from "../../apiserver/registry/codec/versions.ts";
import type { AccountClaims, NamedObject } from "../../apiserver/registry/definition/request-context.ts";
import {
  type ActionContext,
  type ActionResources,
  actionSubresource,
  type ObjectAddress,
} from "../../apiserver/registry/definition/resource-definition.ts";
import { AGE, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";

/** Secrets are in the account's namespace, so a name is enough. */
function keepSecretNames(object: JsonObject): void {
  if (!Array.isArray(object["secrets"])) return;
  object["secrets"] = objectsAt(object, "secrets").map((secret) => {
    const name = textAt(secret, "name");
    return name === "" ? {} : { name };
  });
}

// TokenRequest, posted below a ServiceAccount (kubectl create token): issues a token that authenticates the account. It
// is valid for the requested time, and while the object that it is bound to exists.

const GROUP = "authentication.k8s.io";
const KIND = "TokenRequest";
const SECONDS_DEFAULT = 3600;
const SECONDS_MIN = 600;
const SECONDS_MAX = 2 ** 32;

const tokenRequests = builtIn(`${GROUP}/v1`, KIND, {
  verbs: ["create"],
  strategy: {},
});

export const TOKEN_SUBRESOURCE = actionSubresource("token", {
  posted: tokenRequests,
  /** The uid is that of the account. */
  keepsSystemFields: true,
  check: completeRequest,
  run: issueToken,
});

/** Defaults the ServiceAccount and the audience. */
function completeRequest(request: KubeObject, target: ObjectAddress, context: ActionContext): void {
  const { namespace, name } = target;
  checkNames(request, target);
  const account = identityOf(decodeInVersion(target.view, context.resources.get(target)));
  checkUid(request, account);
  const spec: JsonObject = objectAt(request, "spec") ?? {};
  const audiences = textsAt(spec, "audiences");
  spec["audiences"] = audiences.length > 0 ? audiences : [...context.tokenIssuer.audiences];
  request["spec"] = spec;
  const creationTimestamp = formatTime(context.clock.now());
  Object.assign(request.metadata, { name, namespace, uid: account.uid, creationTimestamp });
  refuse("", durationErrors(secondsOf(spec["expirationSeconds"])));
}

function issueToken(request: KubeObject, target: ObjectAddress, context: ActionContext): KubeObject {
  const { namespace } = target;
  const { resources, clock, ids } = context;
  const account = identityOf(decodeInVersion(target.view, resources.get(target)));
  const spec: JsonObject = objectAt(request, "spec") ?? {};
  const fromMs = Math.floor(clock.now() / 1000) * 1000;
  const untilMs = fromMs + Number(secondsOf(spec["expirationSeconds"])) * 1000;
  const claims: AccountClaims = {
    namespace,
    account,
    ...boundObject(resources, objectAt(spec, "boundObjectRef"), target),
    audiences: textsAt(spec, "audiences"),
    fromMs,
    untilMs,
    id: ids.uid(),
  };
  request["status"] = { token: context.tokenIssuer.issue(claims), expirationTimestamp: formatTime(untilMs) };
  return request;
}

/** The body need not name the ServiceAccount, but must not name another one. */
function checkNames({ metadata }: KubeObject, account: Pick<ObjectAddress, "name" | "namespace">): void {
  for (const member of ["name", "namespace"] as const) {
    if (!metadata[member] || metadata[member] === account[member]) continue;
    const rule = `must match the service account ${member} if specified`;
    refuse(account.name, [invalid(`metadata.${member}`, metadata[member], rule)]);
  }
}

/** The uid is a precondition on the account. Throws 409. */
function checkUid({ metadata }: KubeObject, { name, uid }: NamedObject): void {
  if (!metadata.uid || metadata.uid === uid) return;
  const why = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`;
  throw conflict({ group: GROUP, resource: KIND }, name, why);
}

/** An integer that a number does not represent exactly is decoded as a bigint. */
function secondsOf(value: unknown): number | bigint {
  return typeof value === "number" || typeof value === "bigint" ? value : SECONDS_DEFAULT;
}

function durationErrors(seconds: number | bigint): FieldError[] {
  const field = "spec.expirationSeconds";
  if (seconds < SECONDS_MIN)
    return [invalid(field, seconds, "may not specify a duration less than 10 minutes")];
  if (seconds > SECONDS_MAX)
    return [invalid(field, seconds, "may not specify a duration larger than 2^32 seconds")];
  return [];
}

function refuse(name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject({ group: GROUP, kind: KIND }, name, errors);
}

/** The object that the token is bound to. Throws 400, 404 and 409. */
function boundObject(
  resources: ActionResources,
  ref: JsonObject | undefined,
  { namespace, name: account }: ObjectAddress,
): Pick<AccountClaims, "boundTo" | "node"> {
  if (ref === undefined) return {};
  const [kind, name, uid] = [textAt(ref, "kind"), textAt(ref, "name"), textAt(ref, "uid")];
  const bound = findBound(resources, namespace, textAt(ref, "apiVersion"), kind, name);
  const boundTo = { ...identityOf(bound.object), kind: bound.kind };
  const spec = objectAt(bound.object, "spec");
  if (bound.kind === "pod" && textAt(spec, "serviceAccountName") !== account) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
    );
  }
  if (uid !== "" && uid !== boundTo.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: "", resource: kind }, name, why);
  }
  const nodeName = bound.kind === "pod" ? textAt(spec, "nodeName") : "";
  return nodeName === "" ? { boundTo } : { boundTo, node: nodeIdentity(resources, nodeName) };
}

const BINDABLE = {
  Pod: { kind: "pod", resource: "pods", namespaced: true },
  Secret: { kind: "secret", resource: "secrets", namespaced: true },
  Node: { kind: "node", resource: "nodes", namespaced: false },
} as const;

function findBound(
  resources: ActionResources,
  namespace: string,
  apiVersion: string,
  kind: string,
  name: string,
): { kind: "pod" | "secret" | "node"; object: Readonly<KubeObject> } {
  const bindable = Object.hasOwn(BINDABLE, kind) ? BINDABLE[kind as keyof typeof BINDABLE] : undefined; // own key
  const [group, version] = partsOfApiVersion(apiVersion);
  if (bindable === undefined || group !== "")
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  const object = readCore(resources, bindable.resource, bindable.namespaced ? namespace : "", name);
  if (object === undefined) throw notFound({ group: "", resource: bindable.resource }, name);
  return { kind: bindable.kind, object };
}

/** A missing Node is included by name, because the Pod's spec names it. */
function nodeIdentity(resources: ActionResources, name: string): NamedObject {
  const node = readCore(resources, "nodes", "", name);
  return node ? identityOf(node) : { name, uid: "" };
}

function readCore(
  resources: ActionResources,
  resource: string,
  namespace: string,
  name: string,
): Readonly<KubeObject> | undefined {
  const view = resources.viewOf("", "v1", resource);
  const kv = view && resources.find({ view, namespace, name });
  return kv && decodeInVersion(view, kv);
}

function identityOf({ metadata }: Readonly<KubeObject>): NamedObject {
  return { name: metadata.name ?? "", uid: metadata.uid ?? "" };
}

export const serviceAccounts = builtIn("v1", "ServiceAccount", {
  shortNames: ["sa"],
  columns: [NAME, AGE],
  strategy: {
    metadataChecksOnUpdate: ["changed", "new"],
    allowUnconditionalUpdate: true,
    prepareForCreate: keepSecretNames,
    prepareForUpdate: keepSecretNames,
  },
  returnsDeletedObject: true,
  subresources: [TOKEN_SUBRESOURCE],
});
