import { type JsonObject, numberAt, objectAt, textAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { refuse } from "../../apiserver/admission/request.ts";
import type { AdmissionAttributes } from "../../apiserver/registry/admission.ts";
import { decodeStored } from "../../apiserver/registry/codec/object-codec.ts";
import type { Store } from "../../storage/store.ts";
import { type FullPlugin, isAbout, objectsBelow, type PluginDeps } from "./about.ts";

const PRIORITY_CLASSES = "/registry/priorityclasses/";
const SYSTEM_CLASSES = new Set(["system-node-critical", "system-cluster-critical"]);

/**
 * Sets the priority of a new Pod from its PriorityClass, or from the default one. Allows at most one default, and
 * protects the system classes.
 */
export const createPriority = ({ store }: PluginDeps): FullPlugin => ({
  name: "Priority",
  admit(attributes) {
    if (isAbout(attributes, "", "pods")) admitPod(store, attributes);
  },
  validate(attributes) {
    if (isAbout(attributes, "scheduling.k8s.io", "priorityclasses")) validateClass(store, attributes);
  },
});

function validateClass(store: Store, attributes: AdmissionAttributes): void {
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

/** The default class. Of several, which concurrent clients may have created, the one with the lowest value. */
function defaultClass(store: Store): Readonly<KubeObject> | undefined {
  const all = objectsBelow(store, PRIORITY_CLASSES);
  const defaults = all.filter((item) => item["globalDefault"] === true);
  return defaults.sort((a, b) => Number(a["value"]) - Number(b["value"]))[0];
}

function admitPod(store: Store, attributes: AdmissionAttributes): void {
  const { operation, object, oldObject } = attributes;
  const spec = objectAt(object, "spec");
  if (spec === undefined) return;
  if (operation === "CREATE") setPriority(store, spec, attributes);
  // An update that omits these fields keeps their values.
  const oldSpec = objectAt(oldObject, "spec");
  for (const member of ["priority", "preemptionPolicy"])
    if (oldSpec?.[member] !== undefined) spec[member] ??= oldSpec[member];
}

function setPriority(store: Store, spec: JsonObject, attributes: AdmissionAttributes): void {
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
