// Converts the result of a mutating policy to an object of its kind
// (apiserver/pkg/admission/plugin/policy/mutating). A patched document is decoded strictly, as the type that it
// names. A merged one is restored to the type of the request.
import { cloneJson, type JsonObject } from "../../../apimachinery/json/json.ts";
import { encodeJson, sortedKeys } from "../../../apimachinery/json/json-encode.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { internalServerError } from "../../../apimachinery/meta/status.ts";
import { describeKind } from "../../../apimachinery/patch/apply/apply-patch.ts";
import { restoreError } from "../../../apimachinery/schema/go/restore-error.ts";
import { conformObject } from "../../registry/codec/object-decoder.ts";
import { notRegistered, readTypeMeta, type SaidType, SCHEME } from "../../registry/codec/type-meta.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { apiVersionOf } from "../../registry/definition/view.ts";
import type { ResourceRegistry } from "../../registry/resource-registry.ts";
import { internalTypeOf } from "../mutated-type.ts";

/** Why a policy cannot mutate an object. */
export class MutationError extends Error {}

/** Decodes a patched document. Throws 500, whatever the failurePolicy, or a MutationError. */
export function decodePatched(
  view: ResourceView,
  patched: JsonObject,
  registry: ResourceRegistry,
): KubeObject {
  const made = cloneJson(patched);
  const said = readTypeMeta(made, internalServerError);
  if (view.definition.custom) return decodeCustom(view, said);
  const named = {
    apiVersion: said.apiVersion || apiVersionOf(view),
    kind: said.kind || view.definition.kind,
  };
  if (named.apiVersion === apiVersionOf(view) && named.kind === view.definition.kind)
    return decodeStrictly(view, { ...made, ...named });
  const other = registry.findByKind(named.apiVersion, named.kind);
  if (other === undefined || other.definition.custom)
    throw internalServerError(notRegistered(named.kind, named.apiVersion, view));
  decodeStrictly(other, { ...made, ...named });
  throw notOfKind(view, other);
}

function decodeStrictly(view: ResourceView, made: JsonObject): KubeObject {
  // The document was encoded before the patch, which sorts the keys of its maps.
  const how = { refuse: internalServerError, keysOf: sortedKeys };
  const { object, unknown } = conformObject(view, made, how);
  if (unknown.length === 0) return object;
  const findings = unknown.map((path) => `unknown field "${path}"`).join(", ");
  throw internalServerError(`strict decoding error: ${findings}`);
}

/** Custom objects stay unstructured; another kind is left to validation. */
function decodeCustom(view: ResourceView, { apiVersion, kind, value }: SaidType): KubeObject {
  if (kind === "") throw internalServerError(`Object 'Kind' is missing in '${encodeJson(value)}'`);
  const own = apiVersionOf(view);
  if (apiVersion !== own) {
    const why = apiVersion.startsWith(`${view.definition.group}/`)
      ? `request to convert CR from an invalid group/version: ${apiVersion}`
      : `${describeKind(value)} is unstructured and is not suitable for converting to "${own}"`;
    throw cannotConvert(why);
  }
  return conformObject(view, value, { refuse: internalServerError }).object;
}

/** The error for another built-in kind: within its version it is detected only after decoding. */
function notOfKind(view: ResourceView, other: ResourceView): Error {
  const type = `${other.version.name}.${other.definition.kind}`;
  const own = apiVersionOf(view);
  if (other.definition.group === view.definition.group && other.version.name !== view.version.name)
    return new MutationError(
      `converting (${type}) to (${view.version.name}.${other.definition.kind}): unknown conversion`,
    );
  if (apiVersionOf(other) !== own)
    return new MutationError(`${type} is not suitable for converting to "${own}" in scheme "${SCHEME}"`);
  return cannotConvert(`converting (${type}) to (${internalTypeOf(view)}): unknown conversion`);
}

const cannotConvert = (why: string) => internalServerError(`failed to convert object: ${why}`);

/** Restores a merged document. Throws a MutationError. */
export function restoreMerged(view: ResourceView, merged: JsonObject): KubeObject {
  const made = cloneJson(merged);
  const refuse = (why: string) => {
    const type = describeKind({ apiVersion: apiVersionOf(view), kind: view.definition.kind });
    return new MutationError(`unable to convert unstructured object to ${type}: ${why}`);
  };
  const error = view.definition.custom ? undefined : restoreError(view.version.node, made);
  if (error !== undefined) throw refuse(error);
  return conformObject(view, made, { refuse }).object;
}
