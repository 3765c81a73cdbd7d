import { specOf } from "../../apimachinery/meta/object-meta.ts";
import { annotationOf, CLASS_ANNOTATION, isDefaultClass } from "../../apimachinery/meta/storage-class.ts";
import { type AdmittingPlugin, isAbout, newestOf, objectsBelow, type PluginDeps } from "./about.ts";

/** A new PersistentVolumeClaim without a storage class gets the default one. */
export const createDefaultStorageClass = ({ store }: PluginDeps): AdmittingPlugin => ({
  name: "DefaultStorageClass",
  admit(attributes) {
    const { operation, object } = attributes;
    if (operation !== "CREATE" || !isAbout(attributes, "", "persistentvolumeclaims") || !object) return;
    const spec = specOf(object);
    const annotated = annotationOf(object, CLASS_ANNOTATION) !== undefined;
    if (annotated || typeof spec["storageClassName"] === "string") return;
    const found = newestOf(objectsBelow(store, "/registry/storageclasses/").filter(isDefaultClass));
    if (found) object["spec"] = { ...spec, storageClassName: found.metadata.name };
  },
});
