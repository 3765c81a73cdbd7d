// Whoever calls the control surface, with the rights that he has on the Kubernetes API.

import { demandAccess, FULL_AUTHORITY, isPrivileged } from "../../apiserver/authorization/access-check.ts";
import { uncoveredRules } from "../../apiserver/authorization/rbac/policy-rule.ts";
import { createUserClients, type InProcessClientDeps } from "../../client/in-process-client.ts";
import type { CallerOf } from "../../control/caller.ts";
import type { Authorizer } from "../../registry/definition/access.ts";

/** For the user of a request: his rights, and clients that act with them. Their demands throw 403. */
export function createCallers(authorizer: Authorizer, clients: InProcessClientDeps): CallerOf {
  return (user) => {
    const demand = (attributes: Parameters<Authorizer["authorize"]>[0]) =>
      demandAccess(authorizer, attributes);
    return {
      user,
      may: (attributes) => authorizer.authorize(attributes).allowed,
      demand,
      mayDoEverything: () =>
        isPrivileged(user) ||
        uncoveredRules(authorizer.rulesFor(user, "").rules, FULL_AUTHORITY).length === 0,
      clientFor: createUserClients(clients, { user, demand }),
    };
  };
}
