import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { definitionFromCrd } from "../../../../src/apiserver/registry/custom-resource.ts";
import { storageView } from "../../../../src/apiserver/registry/definition/view.ts";
import { createEgressIpMarkGuard } from "../../../../src/kube/admission/egressip-mark.ts";
import { readShippedDefinitions } from "../../../../src/server/manifests.ts";
import { builtInView, contextFor, refusal } from "../registry/support.ts";

const MARK = "k8s.ovn.org/egressip-mark";
const CONTROL_PLANE = "system:serviceaccount:openshift-ovn-kubernetes:ovn-kubernetes-control-plane";
const crd = (await readShippedDefinitions()).find(
  ({ metadata }) => metadata.name === "egressips.k8s.ovn.org",
);
if (crd === undefined) throw new Error("EgressIP is not shipped");
const view = storageView(definitionFromCrd(crd));

/** An EgressIP with this mark; none when it is undefined. */
const marked = (mark: string | undefined): KubeObject => ({
  apiVersion: "k8s.ovn.org/v1",
  kind: "EgressIP",
  metadata: { name: "e", ...(mark === undefined ? {} : { annotations: { [MARK]: mark } }) },
});

const asks = {
  operation: "UPDATE",
  view,
  subresource: "",
  namespace: "",
  name: "e",
  object: undefined,
  oldObject: undefined,
  context: contextFor(),
} as const;
const create = (mark: string | undefined) =>
  refusal(() => createEgressIpMarkGuard().admit({ ...asks, operation: "CREATE", object: marked(mark) }));
const update = (before: string | undefined, mark: string | undefined, user = "somebody") =>
  refusal(() =>
    createEgressIpMarkGuard().admit({
      ...asks,
      object: marked(mark),
      oldObject: marked(before),
      context: contextFor({ user: { name: user, groups: [] } }),
    }),
  );
const DENIED =
  "422 egressips.k8s.ovn.org \"e\" is forbidden: ValidatingAdmissionPolicy 'egressip-mark-annotation-validation' with binding 'egressip-mark-annotation-validation-binding' denied request: ";

describe("the guard of marks (rule 48)", () => {
  test("nobody creates an EgressIP with a mark", () => {
    expect(create("50000")).toBe(
      `${DENIED}EgressIP resources cannot be created with the "${MARK}" annotation. This annotation is managed by the system.`,
    );
    expect(create(undefined)).toBeUndefined();
  });

  test.each([CONTROL_PLANE, "system:egret"])("%s sets a mark where there is none", (user) => {
    expect(update(undefined, "50000", user)).toBeUndefined();
  });

  test("anybody else does not", () => {
    expect(update(undefined, "50000")).toBe(
      `${DENIED}A regular user must not add "${MARK}" annotation to an EgressIP custom resource.`,
    );
  });

  test.each([undefined, "50001", ""])("a mark that is set never becomes %j", (mark) => {
    for (const user of ["somebody", CONTROL_PLANE]) {
      expect(update("50000", mark, user)).toBe(
        `${DENIED}The "${MARK}" annotation cannot be modified or removed once set. This annotation is managed by the system.`,
      );
    }
  });

  test("whatever leaves the mark alone passes, and so do other kinds", () => {
    expect(update("50000", "50000")).toBeUndefined();
    expect(update(undefined, undefined)).toBeUndefined();
    const other = { ...asks, view: builtInView("nodes"), object: marked("1"), oldObject: marked("2") };
    expect(refusal(() => createEgressIpMarkGuard().admit(other))).toBeUndefined();
  });
});
