// PodSecurity: restricts Pods by the levels in the labels of their Namespace. The enforce level rejects Pods;
// workloads with a Pod template only get warnings, because their Pods are rejected later. There is no audit log, so
// the audit level has no effect.
import { type JsonObject, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { invalidObject } from "../../apimachinery/meta/status.ts";
import { labelsOf, refuse } from "../../apiserver/admission/request.ts";
import type { AdmissionAttributes } from "../../apiserver/registry/admission.ts";
import { decodeStored } from "../../apiserver/registry/codec/object-codec.ts";
import { type KeyValueReader, prefixRange } from "../../storage/store.ts";
import { isAbout, type PluginDeps, type ValidatingPlugin } from "./about.ts";
import { evaluatePod, inDetail, shortly } from "./pod-security/evaluate.ts";
import { viewPod } from "./pod-security/pod-view.ts";
import { isTightened, type LevelVersion, readPolicy, showPolicy } from "./pod-security/policy.ts";

/** The path of the Pod template in each workload. */
const TEMPLATES: ReadonlyMap<string, readonly string[]> = new Map([
  ["replicationcontrollers", ["spec", "template"]],
  ["podtemplates", ["template"]],
  ["apps/replicasets", ["spec", "template"]],
  ["apps/deployments", ["spec", "template"]],
  ["apps/statefulsets", ["spec", "template"]],
  ["apps/daemonsets", ["spec", "template"]],
  ["batch/jobs", ["spec", "template"]],
  ["batch/cronjobs", ["spec", "jobTemplate", "spec", "template"]],
]);

/** Pod subresources that are not evaluated. Writes of other subresources contain a Pod. */
const IGNORED_SUBRESOURCES = [
  "exec",
  "attach",
  "binding",
  "eviction",
  "log",
  "portforward",
  "proxy",
  "status",
];

export const createPodSecurity = ({ store }: PluginDeps): ValidatingPlugin => ({
  name: "PodSecurity",
  validate(attributes) {
    const { operation, view, subresource, object } = attributes;
    if (operation === "DELETE" || object === undefined) return;
    const { group, resource } = view.definition;
    if (isAbout(attributes, "", "namespaces")) return validateNamespace(store, attributes, object);
    if (group === "" && resource === "pods") return validatePod(store, attributes, object);
    const path = TEMPLATES.get(group === "" ? resource : `${group}/${resource}`);
    if (path === undefined || subresource !== "") return;
    const template = path.reduce<JsonObject | undefined>((at, member) => objectAt(at, member), object);
    if (template) warnOf(policyAround(store, attributes).warn, template, attributes);
  },
});

const policyAround = (store: KeyValueReader, { namespace }: AdmissionAttributes) => {
  const kv = store.get(`/registry/namespaces/${namespace}`);
  return readPolicy(kv && labelsOf(decodeStored(kv)));
};

function validatePod(store: KeyValueReader, attributes: AdmissionAttributes, pod: KubeObject): void {
  const { subresource, oldObject } = attributes;
  if (IGNORED_SUBRESOURCES.includes(subresource)) return;
  const { enforce, warn } = policyAround(store, attributes);
  if (enforce.level === "privileged" && warn.level === "privileged") return;
  if (oldObject && !isSignificant(pod, oldObject)) return;
  const findings = evaluatePod(enforce, viewPod(pod));
  if (findings.length > 0)
    throw refuse(attributes, `violates PodSecurity "${showPolicy(enforce)}": ${inDetail(findings)}`);
  warnOf(warn, pod, attributes);
}

function warnOf(policy: LevelVersion, pod: JsonObject, { context }: AdmissionAttributes): void {
  const findings = evaluatePod(policy, viewPod(pod));
  if (findings.length > 0)
    context.warn(`would violate PodSecurity "${showPolicy(policy)}": ${inDetail(findings)}`);
}

const SECCOMP_ANNOTATION = "seccomp.security.alpha.kubernetes.io/pod";

/**
 * Whether an update changes container images, the set of containers, or the seccomp annotation; other mutable fields
 * are not relevant.
 */
function isSignificant(pod: Readonly<KubeObject>, old: Readonly<KubeObject>): boolean {
  const imagesOf = (of: Readonly<KubeObject>, list: string) =>
    objectsAt(specOf(of), list).map(
      (container) => `${textAt(container, "name")} ${textAt(container, "image")}`,
    );
  const annotated = ({ metadata }: Readonly<KubeObject>) => metadata.annotations?.[SECCOMP_ANNOTATION];
  if (annotated(pod) !== annotated(old)) return true;
  return ["containers", "initContainers", "ephemeralContainers"].some(
    (list) => imagesOf(pod, list).join("\n") !== imagesOf(old, list).join("\n"),
  );
}

/** Limit of evaluated Pods when the level of a Namespace changes. */
const PODS_MAX = 3000;

function validateNamespace(
  store: KeyValueReader,
  attributes: AdmissionAttributes,
  namespace: KubeObject,
): void {
  const { oldObject, name, context } = attributes;
  const policy = readPolicy(namespace.metadata.labels);
  const before = oldObject && readPolicy(oldObject.metadata.labels);
  const complaint = JSON.stringify(policy.errors);
  if (policy.errors.length > 0 && complaint !== JSON.stringify(before?.errors))
    throw invalidObject({ group: "", kind: "Namespace" }, name, policy.errors);
  if (before === undefined || !isTightened(before.enforce, policy.enforce)) return;
  for (const text of warningsOfPods(store, name, policy.enforce)) context.warn(text);
}

function warningsOfPods(store: KeyValueReader, namespace: string, policy: LevelVersion): string[] {
  const all = store.list(prefixRange(`/registry/pods/${namespace}/`)).items;
  const podsByReason = new Map<string, string[]>();
  for (const pod of all.slice(0, PODS_MAX).map(decodeStored)) {
    const findings = evaluatePod(policy, viewPod(pod));
    if (findings.length === 0) continue;
    const reason = shortly(findings);
    podsByReason.set(reason, [...(podsByReason.get(reason) ?? []), pod.metadata.name ?? ""]);
  }
  const partly = `new PodSecurity enforce level only checked against the first ${PODS_MAX} of ${all.length} existing pods`;
  const violate = `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${showPolicy(policy)}"`;
  const told = [...podsByReason].map(([reason, [first = "", ...others]]) => {
    const more =
      others.length === 0 ? "" : ` (and ${others.length} other pod${others.length === 1 ? "" : "s"})`;
    return `${first}${more}: ${reason}`;
  });
  return [...(all.length > PODS_MAX ? [partly] : []), ...(told.length > 0 ? [violate] : []), ...told.sort()];
}
