// Type-checks the CEL expressions of each ValidatingAdmissionPolicy, once per generation, against the types of the
// objects that it matches. The warnings are written to its status.
import { objectAt } from "../../apimachinery/json/json.ts";
import { resourceIn } from "../../controller/api.ts";
import { applyStatus } from "../../controller/conditions.ts";
import { defineController } from "../../controller/define-controller.ts";

const NAME = "validatingadmissionpolicy-status";
const POLICIES = resourceIn("admissionregistration.k8s.io", "v1", "validatingadmissionpolicies");

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
    const typeChecking = expressionWarnings.length === 0 ? {} : { expressionWarnings };
    const status = { observedGeneration: generation, typeChecking };
    await applyStatus(client, POLICIES, policy, { status });
  },
});
