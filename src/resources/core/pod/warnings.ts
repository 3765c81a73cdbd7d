// What a pod may do although it should not.
import { type JsonObject, objectAt } from "../../../meta/json.ts";
import { isDns1123Label } from "../../../meta/names.ts";
import type { KubeObject } from "../../../meta/object-meta.ts";
import { objectsAt, textAt } from "../../fields.ts";

const DEPRECATED_LABELS: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region":
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone":
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type":
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};
const DEAD_ANNOTATIONS: Readonly<Record<string, string>> = {
  "seccomp.security.alpha.kubernetes.io/pod":
    'non-functional in v1.27+; use the "seccompProfile" field instead',
};

/** Texts for a new pod; an update earns none, because nearly nothing of a pod can be put right. */
export function podWarnings(pod: Readonly<KubeObject>, old: Readonly<KubeObject> | undefined): string[] {
  if (old !== undefined) return [];
  const spec = objectAt(pod, "spec");
  const { name = "", annotations = {} } = pod.metadata;
  const complaints = isDns1123Label(name);
  return [
    ...named("spec.nodeSelector", DEPRECATED_LABELS, objectAt(spec, "nodeSelector") ?? {}),
    ...named("metadata.annotations", DEAD_ANNOTATIONS, annotations),
    ...["initContainers", "containers"].flatMap((list) => repeatedVariables(spec, list)),
    ...(complaints.length === 0
      ? []
      : [
          `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${complaints.join(" ")}]`,
        ]),
  ];
}

function named(
  field: string,
  texts: Readonly<Record<string, string>>,
  given: Readonly<Record<string, unknown>>,
): string[] {
  return Object.keys(given)
    .sort()
    .flatMap((key) => (texts[key] === undefined ? [] : [`${field}[${key}]: ${texts[key]}`]));
}

function repeatedVariables(spec: JsonObject | undefined, list: string): string[] {
  return objectsAt(spec, list).flatMap((container, index) => {
    const seen = new Set<string>();
    return objectsAt(container, "env").flatMap((variable, position) => {
      const name = textAt(variable, "name");
      const repeated = seen.has(name);
      seen.add(name);
      const field = `spec.${list}[${index}].env[${position}]`;
      return repeated
        ? [`${field}: hides previous definition of "${name}", which may be dropped when using apply`]
        : [];
    });
  });
}
