// The admission plugins: what a write must pass beside its kind's own rules.
import { type JsonObject, numberAt, objectAt, textAt } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { forbidden, notFound, StatusError } from "../meta/status.ts";
import type { AdmissionAttributes, AdmissionPlugin } from "../registry/admission.ts";
import { decodeStored } from "../registry/codec/object-codec.ts";
import { type KeyValue, prefixRange, type Store } from "../storage/store.ts";
import { refuse } from "./request.ts";

/** Whether a write is about a resource itself, and not about a subresource. */
function isAbout({ view, subresource }: AdmissionAttributes, group: string, resource: string): boolean {
  const { definition } = view;
  return definition.group === group && definition.resource === resource && subresource === "";
}

/** All objects below a key that are marked as the default. */
const defaultsBelow = (
  store: Store,
  keys: string,
  isDefault: (object: Readonly<KubeObject>) => boolean,
): Readonly<KubeObject>[] => store.list(prefixRange(keys)).items.map(decodeStored).filter(isDefault);

const NAMESPACES = { group: "", resource: "namespaces" };
const IMMORTAL = new Set(["default", "kube-system", "kube-public"]);

/**
 * Nothing is made in a namespace that does not exist or is going away, and the namespaces a cluster cannot do without
 * are not deleted.
 */
export const createNamespaceLifecycle = (store: Store): AdmissionPlugin => ({
  name: "NamespaceLifecycle",
  admit(attributes) {
    const { operation, view, namespace, name } = attributes;
    const { group, resource, namespaceScoped } = view.definition;
    if (operation === "DELETE") {
      if (group === "" && resource === "namespaces" && IMMORTAL.has(name)) {
        throw refuse(attributes, "this namespace may not be deleted");
      }
      return;
    }
    if (operation !== "CREATE" || !namespaceScoped) return;
    const kv = store.get(`/registry/namespaces/${namespace}`);
    if (kv === undefined) throw notFound(NAMESPACES, namespace);
    if (decodeStored(kv).metadata.deletionTimestamp === undefined) return;
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    const message = `namespace ${namespace} is being terminated`;
    const cause = { reason: "NamespaceTerminating", message, field: "metadata.namespace" };
    throw refuse(attributes, why, [cause]);
  },
});

const TOPOLOGY_LABELS = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/**
 * A pod that gets a node gets the labels that say where the node stands, in place of its own. A node that is not there
 * has none.
 */
export const createPodTopologyLabels = (store: Store): AdmissionPlugin => ({
  name: "PodTopologyLabels",
  admit(attributes) {
    const { operation, object } = attributes;
    const node = textAt(objectAt(object, "spec"), "nodeName");
    if (operation !== "CREATE" || !isAbout(attributes, "", "pods") || !object || node === "") return;
    labelByNode(object, store.get(`/registry/minions/${node}`));
  },
});

/** Sets the labels of an object that belongs to a node: a pod, or what gives it there. */
export function labelByNode({ metadata }: KubeObject, node: KeyValue | undefined): void {
  const labels = node && decodeStored(node).metadata.labels;
  for (const key of TOPOLOGY_LABELS) {
    const value = labels?.[key];
    if (value !== undefined) metadata.labels = { ...metadata.labels, [key]: value };
  }
}

const INGRESS_CLASSES = "/registry/ingressclasses/";
const IS_DEFAULT_CLASS = "ingressclass.kubernetes.io/is-default-class";
/** The older way to name the class. */
const CLASS_ANNOTATION = "kubernetes.io/ingress.class";

/**
 * A new Ingress that names no class gets the one that is marked as the default. Nothing keeps there from being several;
 * then the newest counts, and of those that are equally old the first by name.
 */
export const createDefaultIngressClass = (store: Store): AdmissionPlugin => ({
  name: "DefaultIngressClass",
  admit(attributes) {
    const { operation, object } = attributes;
    if (operation !== "CREATE" || !isAbout(attributes, "networking.k8s.io", "ingresses") || !object) return;
    const spec = objectAt(object, "spec") ?? {};
    const annotated = object.metadata.annotations?.[CLASS_ANNOTATION] !== undefined;
    if (annotated || typeof spec["ingressClassName"] === "string") return;
    const isDefault = ({ metadata }: KubeObject) => metadata.annotations?.[IS_DEFAULT_CLASS] === "true";
    const born = ({ metadata }: KubeObject) => Date.parse(metadata.creationTimestamp ?? "");
    const [found] = defaultsBelow(store, INGRESS_CLASSES, isDefault).sort((a, b) => born(b) - born(a));
    if (found) object["spec"] = { ...spec, ingressClassName: found.metadata.name };
  },
});

const PRIORITY_CLASSES = "/registry/priorityclasses/";
const SYSTEM_CLASSES = new Set(["system-node-critical", "system-cluster-critical"]);

/**
 * A new Pod gets the priority of its PriorityClass, or of the one that is the default. There is one default at most,
 * and the classes of the system stay.
 */
export const createPriority = (store: Store): AdmissionPlugin => ({
  name: "Priority",
  admit(attributes) {
    if (isAbout(attributes, "", "pods")) admitPod(store, attributes);
    if (isAbout(attributes, "scheduling.k8s.io", "priorityclasses")) admitClass(store, attributes);
  },
});

function admitClass(store: Store, attributes: AdmissionAttributes): void {
  const { operation, name, object } = attributes;
  if (operation === "DELETE") {
    if (!SYSTEM_CLASSES.has(name)) return;
    throw refuse(attributes, "this is a system priority class and cannot be deleted");
  }
  if (object?.["globalDefault"] !== true) return;
  const other = defaultClass(store)?.metadata.name;
  if (other === undefined || (operation === "UPDATE" && other === name)) return;
  const rule = `PriorityClass ${other} is already marked as default. Only one default can exist`;
  throw refuse(attributes, rule);
}

/** Of several defaults, which a client may still have made, the least important counts. */
function defaultClass(store: Store): Readonly<KubeObject> | undefined {
  const defaults = defaultsBelow(store, PRIORITY_CLASSES, (item) => item["globalDefault"] === true);
  return defaults.sort((a, b) => Number(a["value"]) - Number(b["value"]))[0];
}

function admitPod(store: Store, attributes: AdmissionAttributes): void {
  const { operation, object } = attributes;
  const spec = objectAt(object, "spec");
  if (operation !== "CREATE" || spec === undefined) return;
  const found = classOf(store, spec, attributes);
  if (found && !spec["priorityClassName"]) spec["priorityClassName"] = found.metadata.name;
  const { value: priority = 0, preemptionPolicy = "PreemptLowerPriority" }: JsonObject = found ?? {};
  const set = (member: string, what: string, given: unknown, computed: unknown): void => {
    const rule = `the ${what} (${given}) must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`;
    if (given !== undefined && given !== computed) throw refuse(attributes, rule);
    spec[member] = computed;
  };
  const policy = typeof spec["preemptionPolicy"] === "string" ? spec["preemptionPolicy"] : undefined;
  set("priority", "integer value of priority", numberAt(spec, "priority"), priority);
  set("preemptionPolicy", "string value of PreemptionPolicy", policy, preemptionPolicy);
}

function classOf(
  store: Store,
  spec: JsonObject,
  attributes: AdmissionAttributes,
): Readonly<KubeObject> | undefined {
  const name = textAt(spec, "priorityClassName");
  if (name === "") return defaultClass(store);
  const kv = store.get(PRIORITY_CLASSES + name);
  if (kv !== undefined) return decodeStored(kv);
  throw refuse(attributes, `no PriorityClass with name ${name} was found`);
}

const MARK_ANNOTATION = "k8s.ovn.org/egressip-mark";
const MARK_POLICY = "egressip-mark-annotation-validation";
const MANAGED = "This annotation is managed by the system.";

/** Who may set a mark where there is none: the controller of a real cluster, and the one in this process. */
const MARKERS = new Set([
  "system:serviceaccount:openshift-ovn-kubernetes:ovn-kubernetes-control-plane",
  "system:egret",
]);

/**
 * The mark of an EgressIP is the controller's. It stands in for the ValidatingAdmissionPolicy with which OpenShift
 * protects the annotation, and refuses in the form of one: with the text of a 403 under the reason that it names.
 */
export const createEgressIpMarkGuard = (): AdmissionPlugin => ({
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
