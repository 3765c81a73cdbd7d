// Keeps a Policy equal to the roles and bindings in the store. The first state is read at once; changes are taken in as
// the store publishes them, before the write that made them is answered.

import { decodeInVersion } from "../../../registry/codec/versions.ts";
import type { ResourceView } from "../../../registry/definition/resource-definition.ts";
import { Follower, type Following } from "../../../registry/read/follow.ts";
import type { RegistryDeps } from "../../../registry/registry-deps.ts";
import { Policy, type PolicyKind } from "./policy.ts";

export const RBAC_GROUP = "rbac.authorization.k8s.io";

const KINDS: readonly (readonly [kind: PolicyKind, resource: string])[] = [
  ["ClusterRole", "clusterroles"],
  ["Role", "roles"],
  ["ClusterRoleBinding", "clusterrolebindings"],
  ["RoleBinding", "rolebindings"],
];

export interface FollowedPolicy {
  readonly policy: Policy;
  stop(): void;
}

/** Throws when a kind is not served. `onError` is told of a watch that had to be opened anew, or cannot be. */
export function followPolicy(
  { store, resources }: Pick<RegistryDeps, "store" | "resources">,
  onError: (error: unknown) => void,
): FollowedPolicy {
  const policy = new Policy();
  const followers = KINDS.map(([kind, resource]) => {
    const view = resources.findStorage(RBAC_GROUP, resource);
    if (view === undefined) throw new Error(`${resource}.${RBAC_GROUP} are not served here`);
    return new Follower(store, view, following(policy, kind, view));
  });
  for (const follower of followers) follower.run(onError).catch(onError);
  return { policy, stop: () => followers.forEach((follower) => void follower.stop()) };
}

function following(policy: Policy, kind: PolicyKind, view: ResourceView): Following {
  return {
    begin(objects) {
      policy.clear(kind);
      for (const kv of objects) policy.put(kind, decodeInVersion(view, kv));
    },
    take(events) {
      for (const { type, kv } of events) {
        const object = decodeInVersion(view, kv);
        const { namespace = "", name = "" } = object.metadata;
        if (type === "DELETED") policy.remove(kind, namespace, name);
        else policy.put(kind, object);
      }
    },
  };
}
