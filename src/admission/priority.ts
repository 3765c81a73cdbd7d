// The Priority admission plugin: a new Pod gets the priority of its PriorityClass, or of the one that is the default.
// There is one default at most, and the classes of the system stay.
import { type JsonObject, objectAt } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import type { AdmissionAttributes, AdmissionPlugin } from "../registry/admission.ts";
import { decodeStored } from "../registry/codec/object-codec.ts";
import { prefixRange, type Store } from "../storage/store.ts";
import { refuse } from "./refuse.ts";

const KEYS = "/registry/priorityclasses/";
const SYSTEM_CLASSES = new Set(["system-node-critical", "system-cluster-critical"]);

export function createPriority(store: Store): AdmissionPlugin {
  return {
    name: "Priority",
    admit(attributes: AdmissionAttributes): void {
      const { view, subresource } = attributes;
      const { group, resource } = view.definition;
      if (subresource !== "") return;
      if (group === "" && resource === "pods") admitPod(store, attributes);
      if (group === "scheduling.k8s.io" && resource === "priorityclasses") admitClass(store, attributes);
    },
  };
}

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
  const { items } = store.list(prefixRange(KEYS));
  const defaults = items.map(decodeStored).filter((item) => item["globalDefault"] === true);
  return defaults.sort((a, b) => Number(a["value"]) - Number(b["value"]))[0];
}

function admitPod(store: Store, attributes: AdmissionAttributes): void {
  const { operation, object } = attributes;
  const spec = objectAt(object, "spec");
  if (operation !== "CREATE" || spec === undefined) return;
  const found = classOf(store, spec, attributes);
  if (found && !spec["priorityClassName"]) spec["priorityClassName"] = found.metadata.name;
  const { value: priority = 0, preemptionPolicy = "PreemptLowerPriority" }: JsonObject = found ?? {};
  const wrong = (what: string, given: unknown, computed: unknown) => {
    const rule = `the ${what} (${given}) must not be provided in pod spec; priority admission controller computed ${computed} from the given PriorityClass name`;
    return refuse(attributes, rule);
  };
  if (typeof spec["priority"] === "number" && spec["priority"] !== priority) {
    throw wrong("integer value of priority", spec["priority"], priority);
  }
  spec["priority"] = priority;
  if (typeof spec["preemptionPolicy"] === "string" && spec["preemptionPolicy"] !== preemptionPolicy) {
    throw wrong("string value of PreemptionPolicy", spec["preemptionPolicy"], preemptionPolicy);
  }
  spec["preemptionPolicy"] = preemptionPolicy;
}

function classOf(
  store: Store,
  { priorityClassName }: JsonObject,
  attributes: AdmissionAttributes,
): Readonly<KubeObject> | undefined {
  if (typeof priorityClassName !== "string" || priorityClassName === "") return defaultClass(store);
  const kv = store.get(KEYS + priorityClassName);
  if (kv !== undefined) return decodeStored(kv);
  throw refuse(attributes, `no PriorityClass with name ${priorityClassName} was found`);
}
