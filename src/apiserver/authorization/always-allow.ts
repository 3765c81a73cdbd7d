// --authorization-mode AlwaysAllow: everybody may do everything.
import type { Authorizer, PolicyRule } from "../../registry/definition/access.ts";

const ALLOWED = { allowed: true, reason: "" };
const NOTHING = { verbs: ["*"], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };

/** All there is, as two rules. */
export const FULL_AUTHORITY: readonly PolicyRule[] = [
  { ...NOTHING, apiGroups: ["*"], resources: ["*"] },
  { ...NOTHING, nonResourceURLs: ["*"] },
];

export const alwaysAllow: Authorizer = {
  authorize: () => ALLOWED,
  rulesFor: () => ({ rules: FULL_AUTHORITY, error: undefined }),
};
