import { quantityNanos } from "../../apimachinery/go/quantity.ts";
import { objectAt, textAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { classOfVolume } from "../../apimachinery/meta/storage-class.ts";
import { refuse } from "../../apiserver/admission/request.ts";
import { decodeStored } from "../../apiserver/registry/codec/object-codec.ts";
import { isAbout, type PluginDeps, type ValidatingPlugin } from "./about.ts";

const CLASS_RULE =
  "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";

/** Only a bound claim, whose storage class allows expansion, may request more. */
export const createClaimResize = ({ store }: PluginDeps): ValidatingPlugin => ({
  name: "PersistentVolumeClaimResize",
  validate(attributes) {
    const { operation, object, oldObject } = attributes;
    if (operation !== "UPDATE" || !isAbout(attributes, "", "persistentvolumeclaims")) return;
    if (!object || !oldObject || sizeOf(object) <= sizeOf(oldObject)) return;
    if (textAt(objectAt(oldObject, "status"), "phase") !== "Bound")
      throw refuse(attributes, "Only bound persistent volume claims can be expanded");
    const name = classOfVolume(object);
    const isKept = name !== "" && name === classOfVolume(oldObject);
    const stored = isKept ? store.get(`/registry/storageclasses/${name}`) : undefined;
    if (stored && decodeStored(stored)["allowVolumeExpansion"] === true) return;
    throw refuse(attributes, CLASS_RULE);
  },
});

function sizeOf(claim: Readonly<KubeObject>): bigint {
  const requests = objectAt(objectAt(objectAt(claim, "spec"), "resources"), "requests");
  return quantityNanos(textAt(requests, "storage") || "0");
}
