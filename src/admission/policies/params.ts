// The parameters that a binding gives to its policy, read from the store when they are needed.
import { type JsonObject, textOf } from "../../meta/json.ts";
import { labelSelectorFromObject } from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { decodeInVersion, prepareVersions } from "../../registry/codec/versions.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { collectionRange, objectKey } from "../../registry/definition/view.ts";
import type { KeyValue } from "../../storage/store.ts";
import type { AdmissionDeps } from "../deps.ts";
import { labelsOf } from "../matching/request.ts";
import type { Binding, Policy } from "./compiled-policy.ts";

/** Why a policy or a binding cannot be used as it is. */
export class ConfigurationError extends Error {}

/** The kind of the parameters; undefined when the policy has none. Throws a ConfigurationError. */
export function paramView({ paramKind }: Policy, { resources }: AdmissionDeps): ResourceView | undefined {
  if (paramKind === undefined) return undefined;
  const { apiVersion, kind } = paramKind;
  const view = resources.findByKind(apiVersion, kind);
  if (view) return view;
  throw new ConfigurationError(
    `failed to find resource referenced by paramKind: '${apiVersion}, Kind=${kind}'`,
  );
}

/**
 * The parameters, for each of which the policy is run; one that is undefined stands for a policy without. Rejects with
 * a ConfigurationError.
 */
export async function collectParams(
  view: ResourceView | undefined,
  { paramRef }: Binding,
  requestNamespace: string,
  deps: AdmissionDeps,
): Promise<(Readonly<KubeObject> | undefined)[]> {
  if (view === undefined || paramRef === undefined) return [undefined];
  const namespace = namespaceOf(view, paramRef, requestNamespace);
  const kvs = find(view, paramRef, namespace, deps);
  await prepareVersions(view, kvs);
  const found = kvs.map((kv) => decodeInVersion(view, kv)).filter(selected(paramRef));
  if (found.length === 0 && paramRef["parameterNotFoundAction"] === "Deny") {
    const why = "no params found for policy binding with `Deny` parameterNotFoundAction";
    throw new ConfigurationError(why);
  }
  return found;
}

function namespaceOf({ definition }: ResourceView, paramRef: JsonObject, requestNamespace: string): string {
  const given = textOf(paramRef["namespace"]);
  if (!definition.namespaceScoped) {
    if (given === "") return "";
    throw new ConfigurationError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  const namespace = given || requestNamespace;
  if (namespace !== "") return namespace;
  throw new ConfigurationError(
    "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
  );
}

function find(
  { definition }: ResourceView,
  paramRef: JsonObject,
  namespace: string,
  { store }: AdmissionDeps,
): readonly KeyValue[] {
  const name = textOf(paramRef["name"]);
  if (name === "") return store.list(collectionRange(definition, namespace)).items;
  const kv = store.get(objectKey(definition, namespace, name));
  return kv ? [kv] : [];
}

function selected(paramRef: JsonObject): (object: Readonly<KubeObject>) => boolean {
  if (textOf(paramRef["name"]) !== "") return () => true;
  const selector = labelSelectorFromObject(paramRef["selector"]);
  return (object) => selector.matches(labelsOf(object));
}
