// OwnerReferencesPermissionEnforcement: authorization to change the owners of an object, and to set
// blockOwnerDeletion.
import { equalJson } from "../../apimachinery/json/json.ts";
import type { KubeObject, OwnerReference } from "../../apimachinery/meta/object-meta.ts";
import { refuse } from "../../apiserver/admission/request.ts";
import type { AdmissionAttributes } from "../../apiserver/registry/admission.ts";
import type { ResourceAttributes } from "../../apiserver/registry/definition/request-context.ts";
import type { ResourceView } from "../../apiserver/registry/definition/resource-definition.ts";
import { type AskingDeps, isAbout, type ValidatingPlugin } from "./about.ts";

const NO_DELETE = "cannot set an ownerRef on a resource you can't delete";
const NO_FINALIZERS =
  "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on";
const NO_MAPPING = "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for";

type Question = Omit<ResourceAttributes, "type" | "user">;

export const createOwnerPermissions = (deps: AskingDeps): ValidatingPlugin => ({
  name: "OwnerReferencesPermissionEnforcement",
  validate(attributes) {
    const { operation, subresource, oldObject } = attributes;
    if (operation === "DELETE" || operation === "CONNECT") return;
    if (subresource === "status" && isAbout({ ...attributes, subresource: "" }, "", "pods")) return; // keeps owners
    const [now, before] = [ownersOf(attributes.object), ownersOf(oldObject)];
    if (equalJson(now, before)) return;
    if (operation === "UPDATE") demand(deps, attributes, deletionOf(attributes), NO_DELETE);
    const blocking = newlyBlocking(now, before);
    if (blocking.length === 0 || decide(deps, attributes, ALL_FINALIZERS).allowed) return;
    for (const owner of blocking) {
      const found = ownerView(deps, owner);
      if (found === undefined) throw refuse(attributes, noMapping(owner));
      demand(deps, attributes, finalizersOf(found, owner, attributes.namespace), NO_FINALIZERS);
    }
  },
});

const ownersOf = (object: Readonly<KubeObject> | undefined): readonly OwnerReference[] =>
  object?.metadata?.ownerReferences ?? []; // a posted object may have no metadata

/** Owner references that newly block the deletion of their owner. */
const newlyBlocking = (now: readonly OwnerReference[], before: readonly OwnerReference[]): OwnerReference[] =>
  now.filter(
    ({ uid, blockOwnerDeletion }) =>
      blockOwnerDeletion && !before.some((owner) => owner.uid === uid && owner.blockOwnerDeletion),
  );

const ALL_FINALIZERS: Question = {
  ...{ verb: "update", group: "*", version: "*", resource: "*" },
  ...{ subresource: "finalizers", namespace: "", name: "*" },
};

const deletionOf = ({ view, subresource, namespace, name }: AdmissionAttributes): Question => ({
  ...{ verb: "delete", group: view.definition.group, version: view.version.name },
  ...{ resource: view.definition.resource, subresource, namespace, name },
});

/** The finalizers subresource of an owner. A namespaced owner is in the namespace of the object. */
const finalizersOf = (
  { definition: { group, resource, namespaceScoped }, version }: ResourceView,
  { name }: OwnerReference,
  namespace: string,
): Question => ({
  ...{ verb: "update", group, version: version.name, resource, subresource: "finalizers", name },
  namespace: namespaceScoped ? namespace : "",
});

/** Also finds a lower-case kind. */
function ownerView(
  { resources }: AskingDeps,
  { apiVersion, kind }: OwnerReference,
): ResourceView | undefined {
  const exact = resources?.findByKind(apiVersion, kind);
  if (exact !== undefined) return exact;
  const named = resources?.definitions.find((definition) => definition.kind.toLowerCase() === kind);
  return named && resources?.findByKind(apiVersion, named.kind);
}

const noMapping = ({ apiVersion, kind }: OwnerReference): string =>
  `${NO_MAPPING} APIVersion ${apiVersion} Kind ${kind}: no matches for kind "${kind}" in version "${apiVersion}"`;

const decide = ({ authorizer }: AskingDeps, { context }: AdmissionAttributes, question: Question) =>
  authorizer.authorize({ type: "resource", user: context.user, ...question });

/** Throws 403. A kube-apiserver appends its authorizer's error, which does not exist here. */
function demand(deps: AskingDeps, attributes: AdmissionAttributes, question: Question, why: string): void {
  const { allowed, reason } = decide(deps, attributes, question);
  if (!allowed) throw refuse(attributes, `${why}: ${reason}, <nil>`);
}
