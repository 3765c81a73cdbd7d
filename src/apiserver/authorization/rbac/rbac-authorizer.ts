// The RBAC authorizer (--authorization-mode RBAC): denies what no rule of a bound role allows.
import { goQuote } from "../../../apimachinery/go/strconv.ts";
import { cloneJson, equalJson } from "../../../apimachinery/json/json.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { forbidden, notFound } from "../../../apimachinery/meta/status.ts";
import type { AdmissionAttributes, AdmissionPlugin } from "../../registry/admission.ts";
import type {
  Authorizer,
  Decision,
  PolicyRule,
  ResourceAttributes,
  SubjectRules,
  UserInfo,
} from "../../registry/definition/request-context.ts";
import { isPrivileged, RBAC_GROUP } from "../access-check.ts";
import { type Applying, type Policy, type RoleRef, readRoleRef, selectorsOf } from "./policy.ts";
import { describeRules, quoteList, readRules, ruleAllows, uncoveredRules } from "./policy-rule.ts";

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

/** The rules of the user, in order of evaluation; namespace "" selects cluster-wide rules. */
function rulesOfUser(policy: Policy, user: UserInfo, namespace: string): SubjectRules {
  const missing: string[] = [];
  const rules = [...bindingsFor(policy, user, namespace)].flatMap((applying) =>
    rulesBehind(policy, applying, missing),
  );
  return { rules, error: missing.length > 0 ? joinErrors(missing) : undefined };
}

/** Cluster role bindings come first. */
function* bindingsFor(policy: Policy, user: UserInfo, namespace: string): Generator<Applying> {
  yield* policy.bindingsOf(user, "");
  if (namespace !== "") yield* policy.bindingsOf(user, namespace);
}

function rulesBehind(policy: Policy, { binding }: Applying, missing: string[]): readonly PolicyRule[] {
  const rules = policy.rulesOf(binding.roleRef, binding.namespace);
  if (rules === undefined) missing.push(roleNotFound(binding.roleRef));
  return rules ?? [];
}

/** The error of a kube-apiserver's role lister, which has the lower-case kind in place of the resource. */
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

// Privilege escalation check. The writer of a role must hold all of its rules, unless the verb "escalate" is
// authorized. The creator of a binding must hold the rules of its role, unless the verb "bind" is authorized. Runs
// in admission, on the object as it will be stored.

const ROLES: ReadonlyMap<string, string> = new Map([
  ["ClusterRole", "clusterroles"],
  ["Role", "roles"],
]);
const BINDINGS = ["clusterrolebindings", "rolebindings"];

export interface EscalationCheck extends AdmissionPlugin {
  admitMutated(attributes: AdmissionAttributes): void;
}

export function createEscalationCheck(policy: Policy, authorizer: Authorizer): EscalationCheck {
  return {
    name: "RBACEscalation",
    admitMutated(attributes) {
      const { view, object, context } = attributes;
      const { group, resource } = view.definition;
      if (group !== RBAC_GROUP || object === undefined || isPrivileged(context.user)) return;
      if ([...ROLES.values()].includes(resource)) checkRole(attributes, object, authorizer);
      else if (BINDINGS.includes(resource)) checkBinding(attributes, object, policy, authorizer);
    },
  };
}

function checkRole(attributes: AdmissionAttributes, object: KubeObject, authorizer: Authorizer): void {
  const { view, namespace, name, oldObject } = attributes;
  const { resource } = view.definition;
  // A create request has no name in its URL, so its authorization attributes have none either.
  const asked = oldObject === undefined ? "" : name;
  if (mayUse(authorizer, attributes, { verb: "escalate", resource, namespace, name: asked })) return;
  if (onlyLetsGo(object, oldObject)) return;
  demandCover(attributes, authorizer, readRules(object["rules"]));
  // A user with full permissions may escalate, and has returned above.
  if (gathers(object) || gathers(oldObject))
    throw refusal(attributes, "must have cluster-admin privileges to use the aggregationRule");
}

function checkBinding(
  attributes: AdmissionAttributes,
  object: KubeObject,
  policy: Policy,
  authorizer: Authorizer,
): void {
  const { namespace, oldObject } = attributes;
  if (onlyLetsGo(object, oldObject)) return;
  const roleRef = readRoleRef(object);
  const resource = ROLES.get(roleRef.kind);
  if (resource === undefined) return; // no role reference: validation rejects the object
  if (mayUse(authorizer, attributes, { verb: "bind", resource, namespace, name: roleRef.name })) return;
  const rules = policy.rulesOf(roleRef, namespace);
  if (rules === undefined)
    throw notFound({ group: RBAC_GROUP, resource: roleRef.kind.toLowerCase() }, roleRef.name);
  demandCover(attributes, authorizer, rules);
}

type Use = Pick<ResourceAttributes, "verb" | "resource" | "namespace" | "name">;

function mayUse(authorizer: Authorizer, { context }: AdmissionAttributes, use: Use): boolean {
  const role = { type: "resource", group: RBAC_GROUP, version: "*", subresource: "" } as const;
  return authorizer.authorize({ ...role, user: context.user, ...use }).allowed;
}

function demandCover(
  attributes: AdmissionAttributes,
  authorizer: Authorizer,
  wanted: readonly PolicyRule[],
): void {
  const { user } = attributes.context;
  const { rules, error } = authorizer.rulesFor(user, attributes.namespace);
  const uncovered = uncoveredRules(rules, wanted);
  if (uncovered.length === 0) return;
  const shown = describeRules(uncovered).join("\n");
  const unresolved = error === undefined ? "" : `; resolution errors: [${error}]`;
  const who = `user ${goQuote(user.name)} (groups=${quoteList(user.groups)})`;
  throw refusal(
    attributes,
    `${who} is attempting to grant RBAC permissions not currently held:\n${shown}${unresolved}`,
  );
}

function refusal({ view, name }: AdmissionAttributes, why: string) {
  return forbidden(view.definition, name, why);
}

const gathers = (object: Readonly<KubeObject> | undefined): boolean =>
  object !== undefined && selectorsOf(object).length > 0;

/** Whether only owner references and finalizers change, as by the garbage collector: that grants nothing. */
function onlyLetsGo(object: KubeObject, old: Readonly<KubeObject> | undefined): boolean {
  return old !== undefined && equalJson(withoutOwners(object), withoutOwners(old));
}

function withoutOwners(object: Readonly<KubeObject>): KubeObject {
  const copy: KubeObject = cloneJson(object);
  delete copy.metadata.ownerReferences;
  delete copy.metadata.finalizers;
  delete copy.metadata.managedFields;
  return copy;
}
