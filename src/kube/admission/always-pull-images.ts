// AlwaysPullImages: nodes pull the images of a Pod each time, so that the image registry checks credentials.
import { type JsonObject, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { AdmissionAttributes, AdmissionPlugin } from "../../apiserver/registry/admission.ts";
import { isAbout } from "./about.ts";

const CONTAINERS = ["initContainers", "containers", "ephemeralContainers"];
const ALWAYS = "Always";

export const createAlwaysPullImages = (): AdmissionPlugin => ({
  name: "AlwaysPullImages",
  admit: pullAlways,
  admitMutated: pullAlways,
});

/** An update without a new image keeps its pull policies, for Pods that are older than the plugin. */
function pullAlways(attributes: AdmissionAttributes): void {
  const { operation, object, oldObject } = attributes;
  if (operation === "DELETE" || !isAbout(attributes, "", "pods") || object === undefined) return;
  const containers = containersOf(object);
  if (operation === "UPDATE") {
    const images = new Set(containersOf(oldObject).map(imageOf));
    if (containers.every((container) => images.has(imageOf(container)))) return;
  }
  for (const container of containers) container["imagePullPolicy"] = ALWAYS;
  for (const volume of objectsAt(objectAt(object, "spec"), "volumes")) {
    const image = objectAt(volume, "image");
    if (image !== undefined) image["pullPolicy"] = ALWAYS;
  }
}

const imageOf = (container: JsonObject): string => textAt(container, "image");

const containersOf = (pod: Readonly<KubeObject> | undefined): JsonObject[] =>
  CONTAINERS.flatMap((list) => objectsAt(objectAt(pod, "spec"), list));
