// --authorization-mode RBAC: what no rule of a role that is bound to the user allows is refused.

import { goQuote } from "../../../go/strconv.ts";
import type { Authorizer, Decision, PolicyRule, SubjectRules } from "../../../registry/definition/access.ts";
import type { UserInfo } from "../../../registry/definition/request-context.ts";
import { isPrivileged, RBAC_GROUP } from "../access-check.ts";
import type { Applying, Policy, RoleRef } from "./policy.ts";
import { ruleAllows } from "./policy-rule.ts";

const PRIVILEGED: Decision = { allowed: true, reason: "" };

export function createRbacAuthorizer(policy: Policy): Authorizer {
  return {
    authorize(attributes) {
      if (isPrivileged(attributes.user)) return PRIVILEGED;
      const missing: string[] = [];
      const namespace = attributes.type === "resource" ? attributes.namespace : "";
      for (const applying of bindingsFor(policy, attributes.user, namespace)) {
        const rules = rulesBehind(policy, applying, missing);
        if (rules.some((rule) => ruleAllows(rule, attributes)))
          return { allowed: true, reason: `RBAC: allowed by ${describeBinding(applying)}` };
      }
      return { allowed: false, reason: missing.length > 0 ? `RBAC: ${joinErrors(missing)}` : "" };
    },
    rulesFor: (user, namespace) => rulesOfUser(policy, user, namespace),
  };
}

/** What roles give the user, in the order in which they are asked; "" asks for what holds in the whole cluster. */
function rulesOfUser(policy: Policy, user: UserInfo, namespace: string): SubjectRules {
  const missing: string[] = [];
  const rules = [...bindingsFor(policy, user, namespace)].flatMap((applying) =>
    rulesBehind(policy, applying, missing),
  );
  return { rules, error: missing.length > 0 ? joinErrors(missing) : undefined };
}

/** Those of the cluster come first. */
function* bindingsFor(policy: Policy, user: UserInfo, namespace: string): Generator<Applying> {
  yield* policy.bindingsOf(user, "");
  if (namespace !== "") yield* policy.bindingsOf(user, namespace);
}

function rulesBehind(policy: Policy, { binding }: Applying, missing: string[]): readonly PolicyRule[] {
  const rules = policy.rulesOf(binding.roleRef, binding.namespace);
  if (rules === undefined) missing.push(roleNotFound(binding.roleRef));
  return rules ?? [];
}

/** As the cache of roles in a real server says it: with the kind in lower case where elsewhere the resource stands. */
export function roleNotFound({ kind, name }: RoleRef): string {
  return `${kind.toLowerCase()}.${RBAC_GROUP} ${goQuote(name)} not found`;
}

function joinErrors(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`;
}

function describeBinding({ binding, subject }: Applying): string {
  const { kind, name, namespace, roleRef } = binding;
  const own = kind === "RoleBinding" ? `${name}/${namespace}` : name;
  const who =
    subject.kind === "ServiceAccount" ? `${subject.name}/${subject.namespace || namespace}` : subject.name;
  return `${kind} ${goQuote(own)} of ${roleRef.kind} ${goQuote(roleRef.name)} to ${subject.kind} ${goQuote(who)}`;
}
