import { type AdmittingPlugin, isAbout } from "./about.ts";

const PROTECTED = [
  { group: "", resource: "persistentvolumeclaims", finalizer: "kubernetes.io/pvc-protection" },
  { group: "", resource: "persistentvolumes", finalizer: "kubernetes.io/pv-protection" },
  {
    group: "storage.k8s.io",
    resource: "volumeattributesclasses",
    finalizer: "kubernetes.io/vac-protection",
  },
];

/** Adds a finalizer to new storage objects. A controller removes the finalizer when the object is no longer in use. */
export const createStorageProtection = (): AdmittingPlugin => ({
  name: "StorageObjectInUseProtection",
  admit(attributes) {
    const { operation, object } = attributes;
    const kind = PROTECTED.find(({ group, resource }) => isAbout(attributes, group, resource));
    if (operation !== "CREATE" || kind === undefined || object === undefined) return;
    const { finalizers = [] } = object.metadata;
    if (!finalizers.includes(kind.finalizer)) object.metadata.finalizers = [...finalizers, kind.finalizer];
  },
});
