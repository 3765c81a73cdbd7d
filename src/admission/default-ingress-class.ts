// The DefaultIngressClass admission plugin: a new Ingress that names no class gets the one that is marked as the default.
// Nothing keeps there from being several; then the newest counts.
import { type JsonObject, objectAt } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import type { AdmissionAttributes, AdmissionPlugin } from "../registry/admission.ts";
import { decodeStored } from "../registry/codec/object-codec.ts";
import { prefixRange, type Store } from "../storage/store.ts";

const KEYS = "/registry/ingressclasses/";
const IS_DEFAULT = "ingressclass.kubernetes.io/is-default-class";
/** The older way to name the class. */
const CLASS_ANNOTATION = "kubernetes.io/ingress.class";

export function createDefaultIngressClass(store: Store): AdmissionPlugin {
  return {
    name: "DefaultIngressClass",
    admit({ operation, view, subresource, object }: AdmissionAttributes): void {
      const { group, resource } = view.definition;
      if (group !== "networking.k8s.io" || resource !== "ingresses") return;
      if (operation !== "CREATE" || subresource !== "" || object === undefined) return;
      const spec = objectAt(object, "spec") ?? {};
      if (namesClass(object, spec)) return;
      const name = defaultClass(store);
      if (name !== undefined) object["spec"] = { ...spec, ingressClassName: name };
    },
  };
}

const namesClass = ({ metadata }: Readonly<KubeObject>, spec: JsonObject): boolean =>
  typeof spec["ingressClassName"] === "string" || metadata.annotations?.[CLASS_ANNOTATION] !== undefined;

/** The classes lie in the order of their names, and sorting keeps it among those that are equally old. */
function defaultClass(store: Store): string | undefined {
  const { items } = store.list(prefixRange(KEYS));
  const defaults = items
    .map((item) => decodeStored(item).metadata)
    .filter(({ annotations }) => annotations?.[IS_DEFAULT] === "true");
  const born = ({ creationTimestamp }: (typeof defaults)[number]): number =>
    Date.parse(creationTimestamp ?? "");
  return defaults.sort((a, b) => born(b) - born(a))[0]?.name;
}
