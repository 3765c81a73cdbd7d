// The kind and version of an object that a mutating webhook or policy has returned: it must still be of the same kind. The errors
// are those of a kube-apiserver (admission/plugin/webhook/mutating/dispatcher.go): built-in kinds are decoded as the type that
// the object names and then converted, custom kinds stay unstructured.
import type { JsonObject } from "../../apimachinery/json/json.ts";
import { encodeJson } from "../../apimachinery/json/json-encode.ts";
import { internalServerError, plainError } from "../../apimachinery/meta/status.ts";
import { describeKind } from "../../apimachinery/patch/apply/apply-patch.ts";
import { findDecodeError } from "../../apimachinery/schema/coerce.ts";
import { notRegistered, readTypeMeta } from "../registry/codec/type-meta.ts";
import type { ResourceView } from "../registry/definition/resource-definition.ts";
import { apiVersionOf, resourcePrefix } from "../registry/definition/view.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";

export interface MutatedObject {
  readonly object: JsonObject;
  /** The view of the object's own apiVersion and kind. */
  readonly view: ResourceView;
}

/**
 * Returns the object with apiVersion and kind. Missing ones are set for built-in kinds; another version of the same
 * kind is accepted. Throws 500 for other built-in kinds; another kind of a custom resource is left to validation.
 */
export function keepType(view: ResourceView, made: JsonObject, registry: ResourceRegistry): MutatedObject {
  const { custom, kind } = view.definition;
  const said = readTypeMeta(made, internalServerError);
  const apiVersion = apiVersionOf(view);
  if (custom) {
    if (said.kind === "") throw internalServerError(`Object 'Kind' is missing in '${encodeJson(made)}'`);
    if (said.apiVersion === apiVersion) return { object: made, view };
    throw plainError(
      `${describeKind(made)} is unstructured and is not suitable for converting to "${apiVersion}"`,
    );
  }
  const named = { apiVersion: said.apiVersion || apiVersion, kind: said.kind || kind };
  const object = { ...made, ...named };
  if (named.apiVersion === apiVersion && named.kind === kind) return { object, view };
  const found = registry.findByKind(named.apiVersion, named.kind);
  if (found?.definition.custom !== false)
    throw internalServerError(notRegistered(named.kind, named.apiVersion, view));
  if (named.kind === kind && resourcePrefix(found.definition) === resourcePrefix(view.definition))
    return { object, view: found };
  const misfit = findDecodeError(found.version.node, object);
  if (misfit !== undefined) throw internalServerError(misfit);
  const version = named.apiVersion.slice(named.apiVersion.indexOf("/") + 1);
  throw plainError(`converting (${version}.${named.kind}) to (${internalTypeOf(view)}): unknown conversion`);
}

/** The Go name of the internal type of a built-in kind. */
export const internalTypeOf = ({ definition: { group, kind } }: ResourceView): string =>
  `${group.split(".")[0] || "core"}.${kind}`;
