import { objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { type AdmittingPlugin, isAbout, objectsBelow, type PluginDeps } from "./about.ts";

const INGRESS_CLASSES = "/registry/ingressclasses/";
const IS_DEFAULT_CLASS = "ingressclass.kubernetes.io/is-default-class";
/** The older way to name the class. */
const CLASS_ANNOTATION = "kubernetes.io/ingress.class";

/**
 * A new Ingress that names no class gets the one that is marked as the default. Nothing keeps there from being several;
 * then the newest counts, and of those that are equally old the first by name.
 */
export const createDefaultIngressClass = ({ store }: PluginDeps): AdmittingPlugin => ({
  name: "DefaultIngressClass",
  admit(attributes) {
    const { operation, object } = attributes;
    if (operation !== "CREATE" || !isAbout(attributes, "networking.k8s.io", "ingresses") || !object) return;
    const spec = objectAt(object, "spec") ?? {};
    const annotated = object.metadata.annotations?.[CLASS_ANNOTATION] !== undefined;
    if (annotated || typeof spec["ingressClassName"] === "string") return;
    const isDefault = ({ metadata }: KubeObject) => metadata.annotations?.[IS_DEFAULT_CLASS] === "true";
    const born = ({ metadata }: KubeObject) => Date.parse(metadata.creationTimestamp ?? "");
    const [found] = objectsBelow(store, INGRESS_CLASSES)
      .filter(isDefault)
      .sort((a, b) => born(b) - born(a));
    if (found) object["spec"] = { ...spec, ingressClassName: found.metadata.name };
  },
});
