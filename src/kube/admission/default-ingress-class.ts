import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { type AdmittingPlugin, isAbout, newestOf, objectsBelow, type PluginDeps } from "./about.ts";

const INGRESS_CLASSES = "/registry/ingressclasses/";
const IS_DEFAULT_CLASS = "ingressclass.kubernetes.io/is-default-class";
/** The legacy form of the class. */
const CLASS_ANNOTATION = "kubernetes.io/ingress.class";

/** A new Ingress without a class gets the default one. */
export const createDefaultIngressClass = ({ store }: PluginDeps): AdmittingPlugin => ({
  name: "DefaultIngressClass",
  admit(attributes) {
    const { operation, object } = attributes;
    if (operation !== "CREATE" || !isAbout(attributes, "networking.k8s.io", "ingresses") || !object) return;
    const spec = specOf(object);
    const annotated = object.metadata.annotations?.[CLASS_ANNOTATION] !== undefined;
    if (annotated || typeof spec["ingressClassName"] === "string") return;
    const isDefault = ({ metadata }: KubeObject) => metadata.annotations?.[IS_DEFAULT_CLASS] === "true";
    const found = newestOf(objectsBelow(store, INGRESS_CLASSES).filter(isDefault));
    if (found) object["spec"] = { ...spec, ingressClassName: found.metadata.name };
  },
});
