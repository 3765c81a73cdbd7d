// What is odd about a Service, though it is taken.
import { type JsonObject, objectAt, textAt, textsAt } from "../../../meta/json.ts";
import type { KubeObject } from "../../../meta/object-meta.ts";
import { cidrWarnings, ipWarnings } from "../../addresses.ts";
import { TOPOLOGY_HINTS, TOPOLOGY_MODE } from "./validation.ts";

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

/** What a headless Service has no use for. */
function headlessWarnings(spec: JsonObject | undefined): string[] {
  const ignored = [
    textAt(spec, "loadBalancerIP") !== "" && "loadBalancerIP",
    textsAt(spec, "externalIPs").length > 0 && "externalIPs",
    textAt(spec, "sessionAffinity") !== "None" && "SessionAffinity",
  ];
  return ignored.flatMap((member) => (member ? [`spec.${member} is ignored for headless services`] : []));
}

/** KEP-5707: nobody vouches for these addresses, so the field is on its way out. */
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
