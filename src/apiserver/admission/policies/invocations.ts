// The policy invocations of a request: each matching policy, by each matching binding, with each of its parameters.
// Parameters are read from the store on demand.
import { type JsonObject, textAt } from "../../../apimachinery/json/json.ts";
import { labelSelectorFromObject } from "../../../apimachinery/meta/label-selector.ts";
import { append } from "../../../apimachinery/meta/lists.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { StatusError } from "../../../apimachinery/meta/status.ts";
import type { KeyValue } from "../../../storage/store.ts";
import { decodeInVersion, prepareVersions } from "../../registry/codec/versions.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { collectionRange, objectKey } from "../../registry/definition/view.ts";
import { matchRequest } from "../matching.ts";
import { type AdmissionDeps, labelsOf, type WriteRequest } from "../request.ts";
import type { Binding, Policy } from "./compiled-policy.ts";

export interface Invocation<P extends Policy> {
  readonly policy: P;
  readonly binding: Binding;
  /** The view in which the policy sees the request. */
  readonly view: ResourceView;
  readonly params: Readonly<KubeObject> | undefined;
}

/** A policy or binding that cannot be evaluated. */
interface Misconfiguration<P extends Policy> {
  readonly policy: P;
  readonly binding: Binding | undefined;
  readonly message: string;
}

type Planned<P extends Policy> = Invocation<P> | Misconfiguration<P>;

export async function planInvocations<P extends Policy>(
  policies: readonly P[],
  bindings: readonly Binding[],
  request: WriteRequest,
): Promise<Planned<P>[]> {
  const planned: Planned<P>[] = [];
  for (const policy of policies) {
    const own = bindings.filter(({ policyName }) => policyName === policy.name);
    if (own.length > 0) append(planned, await planPolicy(policy, own, request));
  }
  return planned;
}

async function planPolicy<P extends Policy>(
  policy: P,
  bindings: readonly Binding[],
  request: WriteRequest,
): Promise<Planned<P>[]> {
  const planned: Planned<P>[] = [];
  let view: ResourceView | undefined;
  let kind: ResourceView | undefined;
  try {
    view = matchRequest(policy.matching, request);
    if (view === undefined) return [];
    kind = paramView(policy, request.deps);
  } catch (error) {
    const message = `failed to configure policy: ${configurationText(error)}`;
    return [{ policy, binding: undefined, message }];
  }
  for (const binding of bindings) {
    try {
      if (binding.matching && matchRequest(binding.matching, request) === undefined) continue;
      for (const params of await collectParams(kind, binding, request))
        planned.push({ policy, binding, view, params });
    } catch (error) {
      const message = `failed to configure binding: ${configurationText(error)}`;
      planned.push({ policy, binding, message });
    }
  }
  return planned;
}

/** The text of a configuration error. Other errors are rethrown. */
function configurationText(error: unknown): string {
  if (error instanceof ConfigurationError || error instanceof StatusError) return error.message;
  throw error;
}

/** Why a policy or a binding cannot be evaluated. */
class ConfigurationError extends Error {}

/** The kind of the parameters; undefined when the policy has none. Throws ConfigurationError. */
function paramView({ paramKind }: Policy, { resources }: AdmissionDeps): ResourceView | undefined {
  if (paramKind === undefined) return undefined;
  const { apiVersion, kind } = paramKind;
  const view = resources.findByKind(apiVersion, kind);
  if (view) return view;
  throw new ConfigurationError(
    `failed to find resource referenced by paramKind: '${apiVersion}, Kind=${kind}'`,
  );
}

/**
 * The parameters; the policy is evaluated for each of them. A single undefined represents a policy without
 * parameters. Rejects with ConfigurationError.
 */
async function collectParams(
  view: ResourceView | undefined,
  { paramRef }: Binding,
  request: WriteRequest,
): Promise<(Readonly<KubeObject> | undefined)[]> {
  if (view === undefined || paramRef === undefined) return [undefined];
  const namespace = namespaceOf(view, paramRef, request.namespace);
  const kvs = find(view, paramRef, namespace, request.deps);
  await prepareVersions(view, kvs);
  const found = kvs.map((kv) => decodeInVersion(view, kv)).filter(selected(paramRef));
  if (found.length === 0 && paramRef["parameterNotFoundAction"] === "Deny") {
    const why = "no params found for policy binding with `Deny` parameterNotFoundAction";
    throw new ConfigurationError(why);
  }
  return found;
}

function namespaceOf({ definition }: ResourceView, paramRef: JsonObject, requestNamespace: string): string {
  const given = textAt(paramRef, "namespace");
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
  const name = textAt(paramRef, "name");
  if (name === "") return store.list(collectionRange(definition, namespace)).items;
  const kv = store.get(objectKey(definition, namespace, name));
  return kv ? [kv] : [];
}

function selected(paramRef: JsonObject): (object: Readonly<KubeObject>) => boolean {
  if (textAt(paramRef, "name") !== "") return () => true;
  const selector = labelSelectorFromObject(paramRef["selector"]);
  return (object) => selector.matches(labelsOf(object));
}
