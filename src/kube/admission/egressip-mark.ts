import { forbidden, StatusError } from "../../apimachinery/meta/status.ts";
import type { AdmissionAttributes } from "../../apiserver/registry/admission.ts";
import type { AdmittingPlugin } from "./about.ts";

const MARK_ANNOTATION = "k8s.ovn.org/egressip-mark";
const MARK_POLICY = "egressip-mark-annotation-validation";
const MANAGED = "This annotation is managed by the system.";

/** Users that may set a mark where there is none: the controller of a real cluster, and the one in this process. */
const MARKERS = new Set([
  "system:serviceaccount:openshift-ovn-kubernetes:ovn-kubernetes-control-plane",
  "system:egret",
]);

/**
 * Reserves the mark annotation of an EgressIP for its controller. Emulates the ValidatingAdmissionPolicy of
 * OpenShift for this annotation, with its form of rejection: the text of a 403 with the reason of the policy.
 */
export const createEgressIpMarkGuard = (): AdmittingPlugin => ({
  name: "EgressIPMark",
  admit(attributes) {
    const { view, name } = attributes;
    const { group, resource } = view.definition;
    if (group !== "k8s.ovn.org" || resource !== "egressips") return;
    const why = complaintOfMark(attributes);
    if (why === undefined) return;
    const by = `ValidatingAdmissionPolicy '${MARK_POLICY}' with binding '${MARK_POLICY}-binding'`;
    const message = `${by} denied request: ${why}`;
    const { status } = forbidden(view.definition, name, message, [{ message }]);
    throw new StatusError({ ...status, reason: "Invalid", code: 422 });
  },
});

function complaintOfMark({ operation, object, oldObject, context }: AdmissionAttributes): string | undefined {
  const mark = object?.metadata.annotations?.[MARK_ANNOTATION];
  if (operation === "CREATE" && mark !== undefined) {
    return `EgressIP resources cannot be created with the "${MARK_ANNOTATION}" annotation. ${MANAGED}`;
  }
  if (operation !== "UPDATE") return undefined;
  const before = oldObject?.metadata.annotations?.[MARK_ANNOTATION];
  if (before !== undefined && mark !== before) {
    return `The "${MARK_ANNOTATION}" annotation cannot be modified or removed once set. ${MANAGED}`;
  }
  if (before === undefined && mark !== undefined && !MARKERS.has(context.user.name)) {
    return `A regular user must not add "${MARK_ANNOTATION}" annotation to an EgressIP custom resource.`;
  }
  return undefined;
}
