// Defaults of a pod's volumes.
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../../meta/json.ts";
import { setDefault } from "../../fields.ts";
import { pullPolicyFor } from "./container/pull-policy.ts";

/** 0644 */
const FILE_MODE = 420;
const TOKEN_SECONDS = 3600;
const WITH_MODE = ["secret", "configMap", "downwardAPI", "projected"];

export function applyVolumeDefaults(volume: JsonObject): void {
  if (!Object.keys(volume).some((key) => key !== "name" && isObject(volume[key]))) volume["emptyDir"] = {};
  for (const key of WITH_MODE) {
    const source = objectAt(volume, key);
    if (source !== undefined) source["defaultMode"] ??= FILE_MODE;
  }
  const hostPath = objectAt(volume, "hostPath");
  if (hostPath !== undefined) hostPath["type"] ??= "";
  const image = objectAt(volume, "image");
  if (image !== undefined) {
    setDefault(image, "pullPolicy", pullPolicyFor(textAt(image, "reference")));
  }
  const claim = objectAt(objectAt(objectAt(volume, "ephemeral"), "volumeClaimTemplate"), "spec");
  if (claim !== undefined) claim["volumeMode"] ??= "Filesystem";
  applyFactDefaults(objectAt(volume, "downwardAPI"));
  for (const source of objectsAt(objectAt(volume, "projected"), "sources")) {
    applyFactDefaults(objectAt(source, "downwardAPI"));
    const token = objectAt(source, "serviceAccountToken");
    if (token !== undefined) token["expirationSeconds"] ??= TOKEN_SECONDS;
  }
}

function applyFactDefaults(downwardApi: JsonObject | undefined): void {
  for (const item of objectsAt(downwardApi, "items")) {
    const fieldRef = objectAt(item, "fieldRef");
    if (fieldRef !== undefined) setDefault(fieldRef, "apiVersion", "v1");
  }
}
