// The roles and bindings as they stand, sorted for the question of who may do what: bindings are found by the subjects
// they name, so that a request costs a few look-ups however many bindings there are.

import { type JsonObject, objectAt, objectsAt, textAt } from "../../../meta/json.ts";
import { type LabelSelector, labelSelectorFromObject } from "../../../meta/label-selector.ts";
import { append } from "../../../meta/lists.ts";
import type { KubeObject } from "../../../meta/object-meta.ts";
import { decodeInVersion } from "../../../registry/codec/versions.ts";
import type { PolicyRule, UserInfo } from "../../../registry/definition/request-context.ts";
import type { ResourceView } from "../../../registry/definition/resource-definition.ts";
import { Follower, type Following } from "../../../registry/read/watch.ts";
import type { RegistryDeps } from "../../../registry/resource-registry.ts";
import { RBAC_GROUP, serviceAccountOf } from "../access-check.ts";
import { readRules } from "./policy-rule.ts";

export type PolicyKind = "ClusterRole" | "Role" | "ClusterRoleBinding" | "RoleBinding";

export interface RoleRef {
  readonly kind: string;
  readonly name: string;
}

export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

export interface Binding {
  readonly kind: "ClusterRoleBinding" | "RoleBinding";
  readonly name: string;
  readonly namespace: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly Subject[];
}

interface ClusterRole {
  readonly labels: Readonly<Record<string, string>>;
  readonly rules: readonly PolicyRule[];
  /** Given: its rules are those of all ClusterRoles that one of these selects. */
  readonly gathers: readonly LabelSelector[] | undefined;
}

/** A binding that names a user, and the subject by which it does. */
export interface Applying {
  readonly binding: Binding;
  readonly subject: Subject;
}

export class Policy {
  readonly #clusterRoles = new Map<string, ClusterRole>();
  /** By "namespace/name". */
  readonly #roles = new Map<string, readonly PolicyRule[]>();
  /** By "namespace/name"; those of the whole cluster have no namespace. */
  readonly #bindings = new Map<string, Binding>();
  /** By namespace, then by subject. */
  readonly #bySubject = new Map<string, Map<string, Set<Binding>>>();
  /** What aggregated ClusterRoles come to; thrown away when any ClusterRole changes. */
  readonly #gathered = new Map<string, readonly PolicyRule[]>();

  put(kind: PolicyKind, object: Readonly<KubeObject>): void {
    const { name = "", namespace = "" } = object.metadata;
    if (kind === "ClusterRole") {
      this.#gathered.clear();
      this.#clusterRoles.set(name, readClusterRole(object));
    } else if (kind === "Role") {
      this.#roles.set(`${namespace}/${name}`, readRules(object["rules"]));
    } else {
      this.#dropBinding(`${namespace}/${name}`);
      this.#addBinding(readBinding(kind, object));
    }
  }

  remove(kind: PolicyKind, namespace: string, name: string): void {
    if (kind === "ClusterRole") {
      this.#gathered.clear();
      this.#clusterRoles.delete(name);
    } else if (kind === "Role") this.#roles.delete(`${namespace}/${name}`);
    else this.#dropBinding(`${namespace}/${name}`);
  }

  /** Forgets everything of one kind. */
  clear(kind: PolicyKind): void {
    this.#gathered.clear();
    if (kind === "ClusterRole") this.#clusterRoles.clear();
    else if (kind === "Role") this.#roles.clear();
    else for (const [key, binding] of this.#bindings) if (binding.kind === kind) this.#dropBinding(key);
  }

  /** The bindings that name the user, by their names: those of the cluster for "", else those of the namespace. */
  bindingsOf(user: UserInfo, namespace: string): readonly Applying[] {
    const index = this.#bySubject.get(namespace);
    if (index === undefined) return [];
    const found = new Set<Binding>();
    const keys = subjectKeysOf(user);
    for (const key of keys) for (const binding of index.get(key) ?? []) found.add(binding);
    return [...found]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((binding) => {
        const subject = binding.subjects.find((item) => keys.has(subjectKey(item, binding.namespace)));
        return subject ? [{ binding, subject }] : [];
      });
  }

  /** The rules behind a reference; undefined when there is no such role. */
  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    if (kind === "Role") return this.#roles.get(`${namespace}/${name}`);
    return kind === "ClusterRole" ? this.#clusterRules(name, new Set()) : undefined;
  }

  #clusterRules(name: string, underway: Set<string>): readonly PolicyRule[] | undefined {
    const role = this.#clusterRoles.get(name);
    if (role?.gathers === undefined) return role?.rules;
    const known = this.#gathered.get(name);
    if (known !== undefined) return known;
    underway.add(name);
    const rules: PolicyRule[] = [];
    for (const [other, { labels }] of this.#clusterRoles) {
      if (underway.has(other) || !role.gathers.some((selector) => selector.matches(labels))) continue;
      append(rules, this.#clusterRules(other, underway) ?? []);
    }
    underway.delete(name);
    // While another role is being gathered, some were left out to end a circle: that is not the whole answer.
    if (underway.size === 0) this.#gathered.set(name, rules);
    return rules;
  }

  #addBinding(binding: Binding): void {
    this.#bindings.set(`${binding.namespace}/${binding.name}`, binding);
    const index = this.#bySubject.get(binding.namespace) ?? new Map<string, Set<Binding>>();
    this.#bySubject.set(binding.namespace, index);
    for (const subject of binding.subjects) {
      const key = subjectKey(subject, binding.namespace);
      const bindings = index.get(key) ?? new Set();
      index.set(key, bindings.add(binding));
    }
  }

  #dropBinding(key: string): void {
    const binding = this.#bindings.get(key);
    const index = binding && this.#bySubject.get(binding.namespace);
    if (binding === undefined || index === undefined) return;
    this.#bindings.delete(key);
    for (const subject of binding.subjects) {
      const bindings = index.get(subjectKey(subject, binding.namespace));
      bindings?.delete(binding);
      if (bindings?.size === 0) index.delete(subjectKey(subject, binding.namespace));
    }
    if (index.size === 0) this.#bySubject.delete(binding.namespace);
  }
}

function subjectKey({ kind, name, namespace }: Subject, bindingNamespace: string): string {
  return kind === "ServiceAccount" ? `${kind} ${namespace || bindingNamespace}/${name}` : `${kind} ${name}`;
}

function subjectKeysOf({ name, groups }: UserInfo): ReadonlySet<string> {
  const keys = new Set([`User ${name}`]);
  for (const group of groups) keys.add(`Group ${group}`);
  const account = serviceAccountOf(name);
  if (account) keys.add(`ServiceAccount ${account.namespace}/${account.name}`);
  return keys;
}

function readClusterRole(object: Readonly<KubeObject>): ClusterRole {
  const selectors = selectorsOf(object);
  return {
    labels: object.metadata.labels ?? {},
    rules: readRules(object["rules"]),
    gathers: selectors.length > 0 ? selectors.flatMap(readSelector) : undefined,
  };
}

/** What a ClusterRole says of those whose rules it gathers. */
export function selectorsOf(object: Readonly<KubeObject>): readonly unknown[] {
  const selectors = objectAt(object as JsonObject, "aggregationRule")?.["clusterRoleSelectors"]; // read only
  return Array.isArray(selectors) ? selectors : [];
}

/** One that cannot be understood selects nothing. */
function readSelector(selector: unknown): readonly LabelSelector[] {
  try {
    return [labelSelectorFromObject(selector)];
  } catch {
    return [];
  }
}

function readBinding(kind: Binding["kind"], object: Readonly<KubeObject>): Binding {
  const { name = "", namespace = "" } = object.metadata;
  const subjects = objectsAt(object, "subjects").map((subject) => ({
    kind: textAt(subject, "kind"),
    name: textAt(subject, "name"),
    namespace: textAt(subject, "namespace"),
  }));
  return { kind, name, namespace, roleRef: readRoleRef(object), subjects };
}

export function readRoleRef(object: Readonly<KubeObject>): RoleRef {
  const ref = objectAt(object as JsonObject, "roleRef"); // read only
  return { kind: textAt(ref, "kind"), name: textAt(ref, "name") };
}

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

/**
 * A Policy that is kept equal to the roles and bindings in the store: changes are taken in as the store publishes them,
 * before the write that made them is answered. Throws when a kind is not served. `onError` is told of a watch that had to
 * be opened anew, or cannot be.
 */
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
