// Which policies are run for a request: those that are about it, by each binding that is, with each of its parameters.
import { append } from "../../meta/lists.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { StatusError } from "../../meta/status.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import type { AdmissionDeps } from "../deps.ts";
import { matchRequest } from "../matching/matching.ts";
import type { WriteRequest } from "../matching/request.ts";
import type { Binding, Policy } from "./compiled-policy.ts";
import { ConfigurationError, collectParams, paramView } from "./params.ts";

export interface Invocation<P extends Policy> {
  readonly policy: P;
  readonly binding: Binding;
  /** Through which the policy sees the request. */
  readonly view: ResourceView;
  readonly params: Readonly<KubeObject> | undefined;
}

/** What keeps a policy, or one binding of it, from being run. */
export interface Misconfiguration<P extends Policy> {
  readonly policy: P;
  readonly binding: Binding | undefined;
  readonly message: string;
}

export type Planned<P extends Policy> =
  | { readonly type: "run"; readonly invocation: Invocation<P> }
  | { readonly type: "broken"; readonly misconfiguration: Misconfiguration<P> };

export async function planInvocations<P extends Policy>(
  policies: readonly P[],
  bindings: readonly Binding[],
  request: WriteRequest,
  deps: AdmissionDeps,
): Promise<Planned<P>[]> {
  const planned: Planned<P>[] = [];
  for (const policy of policies) {
    const own = bindings.filter(({ policyName }) => policyName === policy.name);
    if (own.length > 0) append(planned, await planPolicy(policy, own, request, deps));
  }
  return planned;
}

async function planPolicy<P extends Policy>(
  policy: P,
  bindings: readonly Binding[],
  request: WriteRequest,
  deps: AdmissionDeps,
): Promise<Planned<P>[]> {
  const planned: Planned<P>[] = [];
  let view: ResourceView | undefined;
  let kind: ResourceView | undefined;
  try {
    view = matchRequest(policy.matching, request);
    if (view === undefined) return [];
    kind = paramView(policy, deps);
  } catch (error) {
    return [broken(policy, undefined, `failed to configure policy: ${configurationText(error)}`)];
  }
  for (const binding of bindings) {
    try {
      if (binding.matching && matchRequest(binding.matching, request) === undefined) continue;
      for (const params of await collectParams(kind, binding, request.namespace, deps))
        planned.push({ type: "run", invocation: { policy, binding, view, params } });
    } catch (error) {
      planned.push(broken(policy, binding, `failed to configure binding: ${configurationText(error)}`));
    }
  }
  return planned;
}

function broken<P extends Policy>(policy: P, binding: Binding | undefined, message: string): Planned<P> {
  return { type: "broken", misconfiguration: { policy, binding, message } };
}

/** Errors of any other kind are passed on. */
function configurationText(error: unknown): string {
  if (error instanceof ConfigurationError || error instanceof StatusError) return error.message;
  throw error;
}
