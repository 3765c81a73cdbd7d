// The EgressIPMark admission plugin: the mark of an EgressIP is the controller's. It stands in for the
// ValidatingAdmissionPolicy with which OpenShift protects the annotation, and refuses in the form of one.
import type { KubeObject } from "../meta/object-meta.ts";
import { forbidden, StatusError } from "../meta/status.ts";
import type { AdmissionAttributes, AdmissionPlugin } from "../registry/admission.ts";

const MARK_ANNOTATION = "k8s.ovn.org/egressip-mark";
const POLICY = "egressip-mark-annotation-validation";
const MANAGED = "This annotation is managed by the system.";

/** Who may set a mark where there is none: the controller of a real cluster, and the one in this process. */
const MARKERS = new Set([
  "system:serviceaccount:openshift-ovn-kubernetes:ovn-kubernetes-control-plane",
  "system:egret",
]);

export function createEgressIpMarkGuard(): AdmissionPlugin {
  return {
    name: "EgressIPMark",
    admit(attributes: AdmissionAttributes): void {
      const { group, resource } = attributes.view.definition;
      if (group !== "k8s.ovn.org" || resource !== "egressips") return;
      const why = complaint(attributes);
      if (why !== undefined) throw denied(attributes, why);
    },
  };
}

function complaint({ operation, object, oldObject, context }: AdmissionAttributes): string | undefined {
  const mark = markOf(object);
  if (operation === "CREATE" && mark !== undefined) {
    return `EgressIP resources cannot be created with the "${MARK_ANNOTATION}" annotation. ${MANAGED}`;
  }
  if (operation !== "UPDATE") return undefined;
  const before = markOf(oldObject);
  if (before !== undefined && mark !== before) {
    return `The "${MARK_ANNOTATION}" annotation cannot be modified or removed once set. ${MANAGED}`;
  }
  if (before === undefined && mark !== undefined && !MARKERS.has(context.user.name)) {
    return `A regular user must not add "${MARK_ANNOTATION}" annotation to an EgressIP custom resource.`;
  }
  return undefined;
}

const markOf = (object: Readonly<KubeObject> | undefined): string | undefined =>
  object?.metadata.annotations?.[MARK_ANNOTATION];

/** A policy refuses with the text of a 403 under the reason that it names. */
function denied({ view, name }: AdmissionAttributes, why: string): StatusError {
  const message = `ValidatingAdmissionPolicy '${POLICY}' with binding '${POLICY}-binding' denied request: ${why}`;
  const { status } = forbidden(view.definition, name, message, [{ message }]);
  return new StatusError({ ...status, reason: "Invalid", code: 422 });
}
