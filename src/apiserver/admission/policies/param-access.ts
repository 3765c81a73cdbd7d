// Authorization of policy parameters: policies read parameters with the server's permissions, so authors of policies
// and bindings must be allowed to read them.

import { equalJson, type JsonObject, objectAt, textAt } from "../../../apimachinery/json/json.ts";
import { type FieldError, forbidden } from "../../../apimachinery/meta/field-error.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { invalidObject } from "../../../apimachinery/meta/status.ts";
import type { AdmissionAttributes } from "../../registry/admission.ts";
import { decodeStored } from "../../registry/codec/object-codec.ts";
import type { UserInfo } from "../../registry/definition/request-context.ts";
import { objectKey } from "../../registry/definition/view.ts";
import { ADMISSION_GROUP, type AdmissionDeps } from "../request.ts";

const POLICIES = ["validatingadmissionpolicies", "mutatingadmissionpolicies"];
/** The policies of each kind of binding. */
const BINDINGS = new Map([
  ["validatingadmissionpolicybindings", "validatingadmissionpolicies"],
  ["mutatingadmissionpolicybindings", "mutatingadmissionpolicies"],
]);

/** Throws 422 when the author of a policy or a binding may not read its parameters. */
export function demandParamAccess(attributes: AdmissionAttributes, deps: AdmissionDeps): void {
  const { view, object, oldObject, subresource } = attributes;
  const { group, resource } = view.definition;
  if (group !== ADMISSION_GROUP || object === undefined || subresource !== "") return;
  const error = POLICIES.includes(resource)
    ? policyError(object, oldObject, attributes, deps)
    : bindingError(object, oldObject, attributes, deps);
  if (error) throw invalidObject(view.definition, object.metadata.name ?? "", [error]);
}

const specOf = (object: Readonly<KubeObject> | undefined): JsonObject => objectAt(object, "spec") ?? {};

function policyError(
  object: Readonly<KubeObject>,
  old: Readonly<KubeObject> | undefined,
  { context }: AdmissionAttributes,
  deps: AdmissionDeps,
): FieldError | undefined {
  const kind = objectAt(specOf(object), "paramKind");
  if (kind === undefined || equalJson(kind, specOf(old)["paramKind"])) return undefined;
  if (mayRead(context.user, kind, { namespace: "*", name: "*" }, deps)) return undefined;
  const which = `(kind=${textAt(kind, "kind")}, apiVersion=${textAt(kind, "apiVersion")})`;
  const what = `must have "get" permission on all objects of the referenced paramKind ${which}`;
  return forbidden("spec.paramKind", `user ${showUser(context.user)} ${what}`);
}

function bindingError(
  object: Readonly<KubeObject>,
  old: Readonly<KubeObject> | undefined,
  { context, view }: AdmissionAttributes,
  deps: AdmissionDeps,
): FieldError | undefined {
  const spec = specOf(object);
  const ref = objectAt(spec, "paramRef");
  const before = specOf(old);
  const same = ["paramRef", "policyName"].every((member) => equalJson(spec[member], before[member]));
  const policies = BINDINGS.get(view.definition.resource);
  if (ref === undefined || policies === undefined || (old !== undefined && same)) return undefined;
  const definition = deps.resources.findStorage(ADMISSION_GROUP, policies)?.definition;
  const policy = definition && deps.store.get(objectKey(definition, "", textAt(spec, "policyName")));
  const kind = policy && objectAt(specOf(decodeStored(policy)), "paramKind");
  const place = { namespace: textAt(ref, "namespace"), name: textAt(ref, "name") };
  if (mayRead(context.user, kind, place, deps)) return undefined;
  const what = `does not have "get" permission on the object referenced by paramRef`;
  return forbidden("spec.paramRef", `user ${showUser(context.user)} ${what}`);
}

/** For an unknown kind, permission to read all resources is required. */
function mayRead(
  user: UserInfo,
  kind: JsonObject | undefined,
  place: { readonly namespace: string; readonly name: string },
  { authorizer, resources }: AdmissionDeps,
): boolean {
  const apiVersion = textAt(kind, "apiVersion");
  const view = resources.findByKind(apiVersion, textAt(kind, "kind"));
  const [first = "", second] = apiVersion.split("/");
  const unknown = kind === undefined;
  return authorizer.authorize({
    type: "resource",
    user,
    verb: "get",
    group: unknown ? "*" : second === undefined ? "" : first,
    version: unknown ? "*" : (second ?? first),
    resource: view?.definition.resource ?? "*",
    subresource: "",
    ...place,
  }).allowed;
}

/** As Go prints the struct. */
function showUser({ name, uid = "", groups, extra = {} }: UserInfo): string {
  const pairs = Object.keys(extra)
    .sort()
    .map((key) => `${key}:[${(extra[key] ?? []).join(" ")}]`);
  return `&{${name} ${uid} [${groups.join(" ")}] map[${pairs.join(" ")}]}`;
}
