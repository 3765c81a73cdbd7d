// Keeps a Policy equal to the roles and bindings in the store. The first state is read at once; changes are taken in as
// the store publishes them, before the write that made them is answered.

import { decodeInVersion } from "../../../registry/codec/versions.ts";
import type { ResourceView } from "../../../registry/definition/resource-definition.ts";
import { type ObjectEvent, type ObjectWatch, watchObjects } from "../../../registry/read/watch.ts";
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
    return new Follower(policy, kind, view, store);
  });
  for (const follower of followers) follower.run(onError).catch(onError);
  return { policy, stop: () => followers.forEach((follower) => void follower.stop()) };
}

class Follower {
  readonly #policy: Policy;
  readonly #kind: PolicyKind;
  readonly #view: ResourceView;
  readonly #store: RegistryDeps["store"];
  #watch: ObjectWatch;
  #stopped = false;

  constructor(policy: Policy, kind: PolicyKind, view: ResourceView, store: RegistryDeps["store"]) {
    this.#policy = policy;
    this.#kind = kind;
    this.#view = view;
    this.#store = store;
    this.#watch = this.#open();
  }

  /** Takes changes in until it is stopped or the store is closed. */
  async run(onError: (error: unknown) => void): Promise<void> {
    for (;;) {
      try {
        const events = await this.#watch.next();
        if (events === undefined) return;
        for (const event of events) this.#take(event);
      } catch (error) {
        // It lagged behind and was cut off: what it missed is read again.
        if (this.#stopped) return;
        onError(error);
        this.#watch = this.#open();
      }
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#watch.close();
  }

  #open(): ObjectWatch {
    const watch = watchObjects(this.#store, this.#view, {
      namespace: "",
      selection: { labels: undefined, fields: [] },
      resourceVersion: "",
      sendInitialEvents: true,
    });
    this.#policy.clear(this.#kind);
    for (const kv of watch.initial ?? []) this.#policy.put(this.#kind, decodeInVersion(this.#view, kv));
    return watch;
  }

  #take(event: ObjectEvent): void {
    const object = decodeInVersion(this.#view, event.kv);
    const { namespace = "", name = "" } = object.metadata;
    if (event.type === "DELETED") this.#policy.remove(this.#kind, namespace, name);
    else this.#policy.put(this.#kind, object);
  }
}
