// Checks of the Pod Security level "restricted", in addition to "baseline".
import {
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../../apimachinery/json/json.ts";
import { addedCapabilities, seccompProfile, seccompTypeOf } from "./baseline.ts";
import {
  type Check,
  containerCheck,
  counted,
  type Finding,
  namesOf,
  type PodView,
  plural,
  quoted,
  setters,
  sorted,
} from "./pod-view.ts";

export const allowPrivilegeEscalation: Check = containerCheck(
  "allowPrivilegeEscalation != false",
  ({ security }) => security?.["allowPrivilegeEscalation"] !== false,
  "must set securityContext.allowPrivilegeEscalation=false",
);

export function droppedCapabilities(pod: PodView): Finding | undefined {
  const keeps = pod.containers.filter(
    ({ security }) => !textsAt(objectAt(security, "capabilities"), "drop").includes("ALL"),
  );
  const dropped = `${counted("container", namesOf(keeps))} must set securityContext.capabilities.drop=["ALL"]`;
  const added = addedCapabilities(pod, ["NET_BIND_SERVICE"]);
  const told = [...(keeps.length > 0 ? [dropped] : []), ...(added === undefined ? [] : [added])];
  return told.length > 0 ? { reason: "unrestricted capabilities", detail: told.join("; ") } : undefined;
}

const VOLUME_TYPES = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

export function restrictedVolumes({ spec }: PodView): Finding | undefined {
  const typeOf = (volume: JsonObject) =>
    Object.keys(volume).find((key) => objectAt(volume, key)) ?? "unknown";
  const bad = objectsAt(spec, "volumes").filter((volume) => !VOLUME_TYPES.includes(typeOf(volume)));
  if (bad.length === 0) return undefined;
  const reason = "restricted volume type";
  const names = bad.map((volume) => textAt(volume, "name"));
  const used = `${names.length === 1 ? "uses" : "use"} ${counted(reason, sorted(bad.map(typeOf)))}`;
  return { reason: plural(reason, 2), detail: `${counted("volume", names)} ${used}` };
}

/** Containers may inherit the setting of the Pod. */
export function runAsNonRoot(pod: PodView): Finding | undefined {
  const reason = "runAsNonRoot != true";
  const saidBy = (context: JsonObject | undefined) => context?.["runAsNonRoot"];
  const who = setters(pod, (context) => saidBy(context) === false);
  if (who !== undefined) return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  const silent = pod.containers.filter((view) => typeof saidBy(view.security) !== "boolean");
  if (silent.length === 0 || saidBy(pod.security) === true) return undefined;
  const detail = `pod or ${counted("container", namesOf(silent))} must set securityContext.runAsNonRoot=true`;
  return { reason, detail };
}

export function runAsUser(pod: PodView): Finding | undefined {
  const who = setters(pod, (context) => numberAt(context, "runAsUser") === 0);
  return who === undefined ? undefined : { reason: "runAsUser=0", detail: `${who} must not set runAsUser=0` };
}

export function demandedSeccompProfile(pod: PodView): Finding | undefined {
  const bad = seccompProfile(pod);
  if (bad !== undefined || seccompTypeOf(pod.security) !== undefined) return bad;
  const silent = pod.containers.filter(({ security }) => seccompTypeOf(security) === undefined);
  if (silent.length === 0) return undefined;
  const types = quoted(["RuntimeDefault", "Localhost"]).replace(", ", " or ");
  const who = `pod or ${counted("container", namesOf(silent))}`;
  const detail = `${who} must set securityContext.seccompProfile.type to ${types}`;
  return { reason: "seccompProfile", detail };
}
