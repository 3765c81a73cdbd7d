// --authorization-mode with anything besides RBAC or AlwaysAllow alone: authorizers are consulted in order until one of them
// allows the request.
import type { Authorizer, SubjectRules, UserInfo } from "../registry/definition/request-context.ts";
import { isPrivileged } from "./access-check.ts";

const NO_RULES: SubjectRules = { rules: [], error: undefined };

/** As in a kube-apiserver, the group system:masters is allowed everything in every mode. */
const privileged: Authorizer = {
  authorize: ({ user }) => ({ allowed: isPrivileged(user), reason: "" }),
  rulesFor: () => NO_RULES,
};

export const alwaysDeny: Authorizer = {
  authorize: () => ({ allowed: false, reason: "Everything is forbidden." }),
  rulesFor: () => NO_RULES,
};

export function createAuthorizerUnion(authorizers: readonly Authorizer[]): Authorizer {
  const all = [privileged, ...authorizers];
  return {
    authorize(attributes) {
      const reasons: string[] = [];
      for (const authorizer of all) {
        const decision = authorizer.authorize(attributes);
        if (decision.allowed) return decision;
        if (decision.reason !== "") reasons.push(decision.reason);
      }
      return { allowed: false, reason: reasons.join("\n") };
    },
    rulesFor: (user: UserInfo, namespace: string) => {
      const found = all.map((authorizer) => authorizer.rulesFor(user, namespace));
      const errors = found.flatMap(({ error }) => error ?? []);
      return {
        rules: found.flatMap(({ rules }) => rules),
        error: errors.length > 1 ? `[${errors.join(", ")}]` : errors[0],
      };
    },
  };
}
