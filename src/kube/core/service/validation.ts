// Validation of a Service by its own fields.

import {
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../../apimachinery/json/json.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  repeated,
  required,
} from "../../../apimachinery/meta/field-error.ts";
import { append } from "../../../apimachinery/meta/lists.ts";
import { isDns1123Subdomain, isQualifiedName } from "../../../apimachinery/meta/names.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import {
  cidrWarnings,
  duplicateStruct,
  formErrors,
  ipWarnings,
  validateCidr,
} from "../../../apiserver/registry/strategy/checks.ts";
import { specOf } from "../../../apiserver/registry/strategy/fields.ts";
import { structOf } from "../../../apiserver/registry/strategy/internal-struct.ts";
import { schemaErrors } from "../../../apiserver/registry/strategy/schema-rules.ts";
import { isHeadless, needsHealthCheckPort } from "./defaults.ts";
import { validateClusterIps, validateClusterIpUpdate } from "./families.ts";

export const TRAFFIC_POLICIES = ["Cluster", "Local"];
const TOPOLOGY_MODE = "service.kubernetes.io/topology-mode";
const TOPOLOGY_HINTS = "service.kubernetes.io/topology-aware-hints";

export function validateService(object: Readonly<JsonObject>): FieldError[] {
  const spec = specOf(object);
  const type = textAt(spec, "type");
  const names = new Set<string>();
  const several = objectsAt(spec, "ports").length > 1;
  const ofSpec = schemaErrors("io.k8s.api.core.v1.ServiceSpec", spec, {
    field: "spec",
    code: {
      somePorts: () => requirePorts(spec),
      externalName({ field, value }) {
        const bare = String(value).replace(/\.$/, "");
        return bare === "" ? [required(field)] : formErrors(isDns1123Subdomain, field, bare);
      },
      notHeadless: () =>
        isHeadless(spec)
          ? [invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`)]
          : [],
      portName({ field, value }) {
        if (value === "") return several ? [required(field)] : [];
        return repeated(names, field, value);
      },
      clusterIps: () => validateClusterIps(spec),
      portNumbers: () => validatePortNumbers(spec),
      sourceRanges: () => validateSourceRanges(spec, object, type),
      balancerClass: () => validateBalancerClass(spec, type),
    },
  });
  return [...validateTopology(object), ...ofSpec];
}

/** The deprecated topology annotation must not contradict the newer one. */
function validateTopology(object: Readonly<JsonObject>): FieldError[] {
  const annotations = objectAt(objectAt(object, "metadata"), "annotations");
  const [mode, hints] = [annotations?.[TOPOLOGY_MODE], annotations?.[TOPOLOGY_HINTS]];
  if (mode === undefined || hints === undefined || mode === hints) return [];
  const rule = `must match annotations[${TOPOLOGY_HINTS}] when both are specified`;
  return [invalid(`metadata.annotations[${TOPOLOGY_MODE}]`, mode, rule)];
}

const ONLY_BALANCED = "may only be used when `type` is 'LoadBalancer'";
/** Upstream spells the field with a capital in its errors. */
const RANGES_FIELD = "spec.LoadBalancerSourceRanges";
const SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges";

/** Allowed source ranges of the load balancer: a list, or in old manifests an annotation. */
function validateSourceRanges(spec: JsonObject, object: Readonly<JsonObject>, type: string): FieldError[] {
  const ranges = textsAt(spec, "loadBalancerSourceRanges");
  const annotation = objectAt(objectAt(object, "metadata"), "annotations")?.[SOURCE_RANGES];
  const field = ranges.length > 0 ? RANGES_FIELD : `metadata.annotations[${SOURCE_RANGES}]`;
  if (ranges.length === 0 && typeof annotation !== "string") return [];
  const misplaced = type === "LoadBalancer" ? [] : [forbidden(field, ONLY_BALANCED)];
  if (ranges.length > 0) {
    return [
      ...misplaced,
      ...ranges.flatMap((range, index) => validateCidr(`${field}[${index}]`, range.trim())),
    ];
  }
  const noted = String(annotation).trim();
  const parts = noted === "" ? [] : noted.split(",");
  return [...misplaced, ...parts.flatMap((range) => validateCidr(field, range.trim()))];
}

function validateBalancerClass(spec: JsonObject, type: string): FieldError[] {
  const field = "spec.loadBalancerClass";
  const name = spec["loadBalancerClass"];
  if (name === undefined) return [];
  if (type !== "LoadBalancer") return [forbidden(field, ONLY_BALANCED)];
  return formErrors(isQualifiedName, field, String(name));
}

/** Immutable fields. */
export function validateServiceUpdate(object: Readonly<JsonObject>, old: Readonly<JsonObject>): FieldError[] {
  const spec = specOf(object);
  const oldSpec = specOf(old);
  const errors = validateClusterIpUpdate(spec, oldSpec);
  const balancer = oldSpec["loadBalancerClass"];
  const sameType = textAt(oldSpec, "type") === "LoadBalancer" && textAt(spec, "type") === "LoadBalancer";
  if (sameType && balancer !== spec["loadBalancerClass"]) {
    errors.push(invalid("spec.loadBalancerClass", spec["loadBalancerClass"], "may not change once set"));
  }
  append(errors, validateBalancerClass(spec, textAt(spec, "type")));
  const healthPort = numberAt(oldSpec, "healthCheckNodePort") ?? 0;
  if (
    needsHealthCheckPort(oldSpec) &&
    needsHealthCheckPort(spec) &&
    healthPort !== (numberAt(spec, "healthCheckNodePort") ?? 0)
  ) {
    errors.push(forbidden("spec.healthCheckNodePort", "field is immutable"));
  }
  return [...errors, ...validateService(object)];
}

/** Ports are required, except for headless and ExternalName Services. */
function requirePorts(spec: JsonObject): FieldError[] {
  const some = objectsAt(spec, "ports").length > 0;
  const hasNoAddress = textsAt(spec, "clusterIPs")[0] === "None" || textAt(spec, "type") === "ExternalName";
  return some || hasNoAddress ? [] : [required("spec.ports")];
}

/** Rejects node ports of types without any, and duplicate ports. */
function validatePortNumbers(spec: JsonObject): FieldError[] {
  const ports = objectsAt(spec, "ports");
  const each = (check: (field: string, port: JsonObject) => FieldError[]): FieldError[] =>
    ports.flatMap((port, index) => check(`spec.ports[${index}]`, port));
  const inner = textAt(spec, "type") === "ClusterIP";
  const nodePairs = new Set<string>();
  const pairs = new Set<string>();
  return [
    ...each((field, port) =>
      inner && numberAt(port, "nodePort")
        ? [forbidden(`${field}.nodePort`, "may not be used when `type` is 'ClusterIP'")]
        : [],
    ),
    ...each((field, { protocol, nodePort }) =>
      nodePort ? repeated(nodePairs, `${field}.nodePort`, nodePort, `${protocol}/${nodePort}`) : [],
    ),
    ...each((field, { protocol, port }) => {
      const pair = `${protocol}/${port}`;
      if (!pairs.has(pair)) {
        pairs.add(pair);
        return [];
      }
      return [
        duplicateStruct(field, structOf("io.k8s.api.core.v1.ServicePort", { protocol, port, targetPort: 0 })),
      ];
    }),
  ];
}

/** Warnings about a valid Service. */
export function serviceWarnings({ metadata, ...service }: Readonly<KubeObject>): string[] {
  const spec = objectAt(service, "spec");
  const type = textAt(spec, "type");
  const hasHints = metadata.annotations?.[TOPOLOGY_HINTS] !== undefined;
  const each = (member: string, check: (field: string, text: string) => string[]): string[] =>
    textsAt(spec, member).flatMap((text, index) => check(`spec.${member}[${index}]`, text));
  const clusterIp = textAt(spec, "clusterIP");
  const headless = type === "ClusterIP" && clusterIp === "None";
  return [
    ...(hasHints ? [`annotation ${TOPOLOGY_HINTS} is deprecated, please use ${TOPOLOGY_MODE} instead`] : []),
    ...(clusterIp !== "" && clusterIp !== "None" ? each("clusterIPs", ipWarnings) : []),
    ...(headless ? headlessWarnings(spec) : []),
    ...each("externalIPs", ipWarnings),
    ...(headless || type === "ExternalName" ? [] : externalIpWarnings(spec)),
    ...ipWarnings("spec.loadBalancerIP", textAt(spec, "loadBalancerIP")),
    ...each("loadBalancerSourceRanges", (field, text) => cidrWarnings(field, text.trim())),
    ...namedWarnings(spec, type === "ExternalName"),
    ...(textAt(spec, "trafficDistribution") === "PreferClose"
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ];
}

/** Fields that a headless Service ignores. */
function headlessWarnings(spec: JsonObject | undefined): string[] {
  const ignored = [
    textAt(spec, "loadBalancerIP") !== "" && "loadBalancerIP",
    textsAt(spec, "externalIPs").length > 0 && "externalIPs",
    textAt(spec, "sessionAffinity") !== "None" && "SessionAffinity",
  ];
  return ignored.flatMap((member) => (member ? [`spec.${member} is ignored for headless services`] : []));
}

/** KEP-5707: the ownership of external IPs is not verified, so the field is deprecated. */
const externalIpWarnings = (spec: JsonObject | undefined): string[] =>
  textsAt(spec, "externalIPs").length > 0
    ? ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"]
    : [];

function namedWarnings(spec: JsonObject | undefined, isName: boolean): string[] {
  if (isName) {
    const ignored = textsAt(spec, "externalIPs").length > 0;
    return ignored ? ['spec.externalIPs is ignored when spec.type is "ExternalName"'] : [];
  }
  const ignored = textAt(spec, "externalName") !== "";
  return ignored ? ['spec.externalName is ignored when spec.type is not "ExternalName"'] : [];
}
