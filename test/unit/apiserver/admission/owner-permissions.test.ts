import { expect, test } from "vitest";
import type { AdmissionAttributes } from "../../../../src/apiserver/registry/admission.ts";
import type { Authorizer } from "../../../../src/apiserver/registry/definition/request-context.ts";
import { ResourceRegistry } from "../../../../src/apiserver/registry/resource-registry.ts";
import { createOwnerPermissions } from "../../../../src/kube/admission/owner-permissions.ts";
import { BUILT_IN_RESOURCES } from "../../../../src/kube/index.ts";
import type { Store } from "../../../../src/storage/store.ts";
import { refusal } from "../registry/support.ts";
import { asked } from "./support.ts";

const owner = (more: object = {}) => ({ apiVersion: "v1", kind: "Pod", name: "p", uid: "u", ...more });
type Owner = ReturnType<typeof owner>;
const blocking = (more: object = {}) => owner({ blockOwnerDeletion: true, ...more });

const withOwners = (ownerReferences: readonly Owner[]) => ({
  metadata: { name: "a", ownerReferences: [...ownerReferences] },
});

/** Of a user with one right: "update pods/finalizers n/p". */
function validate(right: string, attributes: AdmissionAttributes): string | undefined {
  const resources = new ResourceRegistry();
  resources.set(...BUILT_IN_RESOURCES);
  const authorizer: Authorizer = {
    authorize: (access) => ({
      allowed:
        access.type === "resource" &&
        right ===
          `${access.verb} ${access.resource}/${access.subresource} ${access.namespace}/${access.name}`,
      reason: "no",
    }),
    rulesFor: () => ({ rules: [], error: undefined }),
  };
  const store = {} as Store; // it is not asked
  return refusal(() => createOwnerPermissions({ store, resources, authorizer }).validate(attributes));
}

const create = (...owners: Owner[]) => asked("configmaps", { namespace: "n", object: withOwners(owners) });
const update = (before: Owner[], now: Owner[], more: Partial<AdmissionAttributes> = {}) => ({
  ...create(...now),
  ...{ operation: "UPDATE" as const, oldObject: withOwners(before), ...more },
});

const NO_DELETE =
  '403 configmaps "a" is forbidden: cannot set an ownerRef on a resource you can\'t delete: no, <nil>';
const NO_FINALIZERS =
  '403 configmaps "a" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set finalizers on: no, <nil>';
const noMapping = (apiVersion: string, kind: string) =>
  `403 configmaps "a" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind "${kind}" in version "${apiVersion}"`;

// The texts of a kube-apiserver v1.36.3, with the reason of this authorizer.
test.each<[string, string, AdmissionAttributes, string | undefined]>([
  ["an object with an owner is created", "", create(owner()), undefined],
  ["owners stay", "", update([blocking()], [blocking()]), undefined],
  ["an owner is added", "", update([], [owner()]), NO_DELETE],
  ["an owner is removed", "", update([owner()], []), NO_DELETE],
  ["an owner is changed", "", update([owner()], [owner({ blockOwnerDeletion: false })]), NO_DELETE],
  [
    "owners change places",
    "",
    update([owner(), blocking({ uid: "v" })], [blocking({ uid: "v" }), owner()]),
    NO_DELETE,
  ],
  ["a user who may delete adds an owner", "delete configmaps/ n/a", update([], [owner()]), undefined],
  ["deletion is blocked on create", "", create(blocking()), NO_FINALIZERS],
  ["deletion is blocked on update", "delete configmaps/ n/a", update([owner()], [blocking()]), NO_FINALIZERS],
  ["a user may set finalizers of the owner", "update pods/finalizers n/p", create(blocking()), undefined],
  ["a user may set those of another", "update pods/finalizers n/q", create(blocking()), NO_FINALIZERS],
  ["a user may set all finalizers", "update */finalizers /*", create(blocking({ kind: "None" })), undefined],
  [
    "the owner is in no namespace",
    "update nodes/finalizers /p",
    create(blocking({ kind: "Node" })),
    undefined,
  ],
  ["the kind is in lower case", "update pods/finalizers n/p", create(blocking({ kind: "pod" })), undefined],
  ["there is no such kind", "", create(blocking({ kind: "None" })), noMapping("v1", "None")],
  ["there is no such version", "", create(blocking({ apiVersion: "v9" })), noMapping("v9", "Pod")],
  ["an object is deleted", "", { ...update([owner()], []), operation: "DELETE" }, undefined],
])("%s: %s", (_what, right, attributes, answer) => {
  expect(validate(right, attributes)).toBe(answer);
});

test("the status of a Pod is not looked at, that of another kind is", () => {
  const ofPod = { ...update([], [owner()]), ...asked("pods", {}), operation: "UPDATE" as const };
  const object = withOwners([owner()]);
  expect(validate("", { ...ofPod, object, subresource: "status" })).toBeUndefined();
  expect(validate("", { ...ofPod, object })).toMatch(/^403 pods "a" is forbidden/);
});
