// Each generation of a ValidatingAdmissionPolicy is held against the types of the objects that it is about, once; what is
// odd about its expressions is told in its status.
import { objectAt } from "../meta/json.ts";
import { defineController } from "./kit/define-controller.ts";

const NAME = "validatingadmissionpolicy-status";
const GROUP = "admissionregistration.k8s.io";
const POLICIES = { group: GROUP, version: "v1", resource: "validatingadmissionpolicies" };

export const policyStatus = defineController({
  name: NAME,
  summary: "what the expressions of ValidatingAdmissionPolicies get wrong about types",
  fieldManager: NAME,
  watches: { policies: { resource: POLICIES, on: ["add", "update"] } },
  async reconcile(name, { policies, client, checkPolicyTypes }) {
    const policy = policies.get(name);
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
  },
});
