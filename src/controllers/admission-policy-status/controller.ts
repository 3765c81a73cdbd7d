// Each generation of a ValidatingAdmissionPolicy is held against the types of the objects that it is about, once; what is
// odd about its expressions is told in its status.
import type { Informer } from "../../client/informer.ts";
import { objectAt } from "../../meta/json.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import { informerFor } from "../runtime/informers.ts";
import { ReconcileLoop } from "../runtime/reconcile-loop.ts";

export const POLICY_STATUS = "validatingadmissionpolicy-status";
const GROUP = "admissionregistration.k8s.io";
const POLICIES = { group: GROUP, version: "v1", resource: "validatingadmissionpolicies" };

export function createPolicyStatus(deps: ControllerDeps): Controller {
  const policies = informerFor(deps, POLICY_STATUS, POLICIES);
  const loop = new ReconcileLoop({
    name: POLICY_STATUS,
    deps,
    informers: [policies],
    reconcile: (name) => reconcile(deps, policies, name),
  });
  policies.addHandlers({
    add: ({ metadata }) => loop.queue.add(metadata.name ?? ""),
    update: (_old, { metadata }) => loop.queue.add(metadata.name ?? ""),
  });
  return loop;
}

async function reconcile(deps: ControllerDeps, policies: Informer, name: string): Promise<undefined> {
  const policy = policies.get(name);
  const { client, checkPolicyTypes } = deps;
  if (policy === undefined || checkPolicyTypes === undefined) return;
  const generation = policy.metadata.generation ?? 0;
  if (generation <= Number(objectAt(policy, "status")?.["observedGeneration"] ?? 0)) return;
  const expressionWarnings = checkPolicyTypes(policy);
  const body = {
    apiVersion: `${GROUP}/v1`,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name },
    status: {
      observedGeneration: generation,
      typeChecking: expressionWarnings.length === 0 ? {} : { expressionWarnings },
    },
  };
  const options = { type: "apply", subresource: "status", body, force: true } as const;
  await client.patch(POLICIES, { namespace: "", name }, options);
}
