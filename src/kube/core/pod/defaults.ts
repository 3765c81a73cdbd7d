// Defaulting of pods: defaults that depend on other members. applyPodSpecDefaults also applies to pod templates;
// applyPodDefaults adds those of Pods only.

import {
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from "../../../apimachinery/json/json.ts";
import { ensureObject, isTrue, setDefault } from "../../../apiserver/registry/strategy/fields.ts";
import { parseImage } from "../../image-names.ts";
import { askAsWhole } from "./whole.ts";

export function applyPodDefaults(pod: JsonObject): void {
  const spec = ensureObject(pod, "spec");
  applyPodSpecDefaults(spec);
  const containers = [...objectsAt(spec, "containers"), ...objectsAt(spec, "initContainers")];
  for (const container of containers) {
    requestLimits(container);
    if (isTrue(spec, "hostNetwork")) openOnHost(container);
  }
  askAsWhole(spec);
  setDefault(spec, "enableServiceLinks", true);
  const status = objectAt(pod, "status");
  if (status !== undefined) agreeOnPodIp(status);
}

/** Also for pod templates. */
export function applyPodSpecDefaults(spec: JsonObject): void {
  const account = textAt(spec, "serviceAccountName") || textAt(spec, "serviceAccount");
  if (account !== "") Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
  for (const list of ["containers", "initContainers", "ephemeralContainers"]) {
    for (const container of objectsAt(spec, list)) {
      setDefault(container, "imagePullPolicy", pullPolicyFor(textAt(container, "image")));
    }
  }
  for (const volume of objectsAt(spec, "volumes")) {
    if (!Object.keys(volume).some((key) => key !== "name" && isObject(volume[key]))) volume["emptyDir"] = {};
    const image = objectAt(volume, "image");
    if (image) setDefault(image, "pullPolicy", pullPolicyFor(textAt(image, "reference")));
  }
}

/** Default pull policy: Always for the tag latest, explicit or implied, because its image may change. */
function pullPolicyFor(image: string): "Always" | "IfNotPresent" {
  const reference = parseImage(image);
  const isLatest = reference && (reference.tag ?? (reference.digest ? "" : "latest")) === "latest";
  return isLatest ? "Always" : "IfNotPresent";
}

/** Requests default to the limits. */
function requestLimits(container: JsonObject): void {
  const resources = objectAt(container, "resources");
  const limits = objectAt(resources, "limits");
  if (resources === undefined || limits === undefined) return;
  resources["requests"] = { ...limits, ...objectAt(resources, "requests") };
}

function openOnHost(container: JsonObject): void {
  for (const port of objectsAt(container, "ports")) {
    if (!numberAt(port, "hostPort")) port["hostPort"] = port["containerPort"];
  }
}

/** podIP is the first of podIPs; where they differ podIP wins. */
function agreeOnPodIp(status: JsonObject): void {
  const single = textAt(status, "podIP");
  const [first] = objectsAt(status, "podIPs").map((item) => textAt(item, "ip"));
  if (single !== "" && single !== first) status["podIPs"] = [{ ip: single }];
  else if (single === "" && first) status["podIP"] = first;
}

/** A negative grace period counts as the shortest one. */
export function raiseGracePeriod(spec: JsonObject): void {
  const seconds = numberAt(spec, "terminationGracePeriodSeconds");
  if (seconds !== undefined && seconds < 0) spec["terminationGracePeriodSeconds"] = 1;
}
