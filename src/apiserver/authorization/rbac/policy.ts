// The current roles and bindings, indexed for authorization: bindings are found by subject, so that a request costs
// a few lookups, however many bindings exist.

import { type JsonObject, objectAt, objectsAt, textAt } from "../../../apimachinery/json/json.ts";
import { type LabelSelector, labelSelectorFromObject } from "../../../apimachinery/meta/label-selector.ts";
import { append } from "../../../apimachinery/meta/lists.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { decodeInVersion } from "../../registry/codec/versions.ts";
import type { PolicyRule, UserInfo } from "../../registry/definition/request-context.ts";
import { type Following, followObjects } from "../../registry/read/watch.ts";
import type { RegistryDeps } from "../../registry/resource-registry.ts";
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

/** A ClusterRole or a Role. */
interface Role {
  readonly labels: Readonly<Record<string, string>>;
  readonly rules: readonly PolicyRule[];
  /** Aggregation: the rules are those of all ClusterRoles that match one of these selectors. */
  readonly gathers: readonly LabelSelector[] | undefined;
}

/** A binding that names a user, and the subject that matches. */
export interface Applying {
  readonly binding: Binding;
  readonly subject: Subject;
}

/** "namespace/name"; cluster-scoped objects have an empty namespace. */
const keyOf = ({ metadata: { namespace = "", name = "" } }: Readonly<KubeObject>): string =>
  `${namespace}/${name}`;

export class Policy {
  readonly #roles = { ClusterRole: new Map<string, Role>(), Role: new Map<string, Role>() };
  readonly #bindings = {
    ClusterRoleBinding: new Map<string, Binding>(),
    RoleBinding: new Map<string, Binding>(),
  };
  /** By namespace, then by subject. */
  readonly #bySubject = new Map<string, Map<string, Set<Binding>>>();
  /** Rules of aggregated ClusterRoles; invalidated when any ClusterRole changes. */
  readonly #gathered = new Map<string, readonly PolicyRule[]>();

  put(kind: PolicyKind, object: Readonly<KubeObject>): void {
    const key = keyOf(object);
    if (kind === "ClusterRole") this.#gathered.clear();
    if (kind === "ClusterRole" || kind === "Role") this.#roles[kind].set(key, readRole(object));
    else {
      this.remove(kind, key);
      this.#addBinding(key, readBinding(kind, object));
    }
  }

  /** `key`: see keyOf. */
  remove(kind: PolicyKind, key: string): void {
    if (kind === "ClusterRole") this.#gathered.clear();
    if (kind === "ClusterRole" || kind === "Role") {
      this.#roles[kind].delete(key);
      return;
    }
    const binding = this.#bindings[kind].get(key);
    const index = binding && this.#bySubject.get(binding.namespace);
    if (binding === undefined || index === undefined) return;
    this.#bindings[kind].delete(key);
    for (const subject of binding.subjects) {
      const of = subjectKey(subject, binding.namespace);
      const bindings = index.get(of);
      bindings?.delete(binding);
      if (bindings?.size === 0) index.delete(of);
    }
    if (index.size === 0) this.#bySubject.delete(binding.namespace);
  }

  /** Removes all objects of one kind. */
  clear(kind: PolicyKind): void {
    const isRole = kind === "ClusterRole" || kind === "Role";
    for (const key of isRole ? this.#roles[kind].keys() : this.#bindings[kind].keys()) this.remove(kind, key);
  }

  /** The bindings of the user, sorted by name: cluster role bindings for "", else role bindings of the namespace. */
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

  /** The rules of a role reference; undefined without such a role. */
  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    if (kind === "Role") return this.#roles.Role.get(`${namespace}/${name}`)?.rules;
    return kind === "ClusterRole" ? this.#clusterRules(`/${name}`, new Set()) : undefined;
  }

  #clusterRules(key: string, underway: Set<string>): readonly PolicyRule[] | undefined {
    const role = this.#roles.ClusterRole.get(key);
    if (role?.gathers === undefined) return role?.rules;
    const known = this.#gathered.get(key);
    if (known !== undefined) return known;
    underway.add(key);
    const rules: PolicyRule[] = [];
    for (const [other, { labels }] of this.#roles.ClusterRole) {
      if (underway.has(other) || !role.gathers.some((selector) => selector.matches(labels))) continue;
      append(rules, this.#clusterRules(other, underway) ?? []);
    }
    underway.delete(key);
    // During recursive aggregation the result omits roles to break a cycle, so it is incomplete and not cached.
    if (underway.size === 0) this.#gathered.set(key, rules);
    return rules;
  }

  #addBinding(key: string, binding: Binding): void {
    this.#bindings[binding.kind].set(key, binding);
    const index = this.#bySubject.get(binding.namespace) ?? new Map<string, Set<Binding>>();
    this.#bySubject.set(binding.namespace, index);
    for (const subject of binding.subjects) {
      const of = subjectKey(subject, binding.namespace);
      const bindings = index.get(of) ?? new Set();
      index.set(of, bindings.add(binding));
    }
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

function readRole(object: Readonly<KubeObject>): Role {
  const selectors = selectorsOf(object);
  return {
    labels: object.metadata.labels ?? {},
    rules: readRules(object["rules"]),
    gathers: selectors.length > 0 ? selectors.flatMap(readSelector) : undefined,
  };
}

/** The aggregation selectors of a ClusterRole. */
export function selectorsOf(object: Readonly<KubeObject>): readonly unknown[] {
  const selectors = objectAt(object as JsonObject, "aggregationRule")?.["clusterRoleSelectors"]; // read only
  return Array.isArray(selectors) ? selectors : [];
}

/** An invalid selector selects nothing. */
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

/**
 * A Policy that follows the roles and bindings in the store. Changes are applied as the store publishes them, before
 * their write is answered. Throws when a kind is not served. `onError`: see followObjects.
 */
export function followPolicy(
  { store, resources }: Pick<RegistryDeps, "store" | "resources">,
  onError: (error: unknown) => void,
): { readonly policy: Policy; stop(): void } {
  const policy = new Policy();
  const stops = KINDS.map(([kind, resource]) => {
    const view = resources.findStorage(RBAC_GROUP, resource);
    if (view === undefined) throw new Error(`${resource}.${RBAC_GROUP} are not served here`);
    const following: Following = {
      begin(objects) {
        policy.clear(kind);
        for (const kv of objects) policy.put(kind, decodeInVersion(view, kv));
      },
      take(events) {
        for (const { type, kv } of events) {
          const object = decodeInVersion(view, kv);
          if (type === "DELETED") policy.remove(kind, keyOf(object));
          else policy.put(kind, object);
        }
      },
    };
    return followObjects(store, view, following, onError);
  });
  return { policy, stop: () => stops.forEach((stop) => void stop()) };
}
