// Service: a stable name and address. Its addresses and node ports are allocated from the server's ranges.

import {
  equalJson,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { type FieldError, forbidden } from "../../apimachinery/meta/field-error.ts";
import { nameIsDnsLabel } from "../../apimachinery/meta/names.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type {
  ResourceDefinition,
  Strategy,
} from "../../apiserver/registry/definition/resource-definition.ts";
import { ipWarnings } from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, formatLabels, NAME, wideColumn } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { keeping, specOf } from "../../apiserver/registry/strategy/fields.ts";
import { schemaErrors } from "../../apiserver/registry/strategy/schema-rules.ts";
import { proxySubresource } from "./connect-options.ts";
import { connectToService } from "./connections.ts";
import { claimForService, holdForService, releaseService } from "./service/allocation.ts";
import { applyServiceDefaults } from "./service/defaults.ts";
import { DEFAULT_SERVICE_NETWORK, type ServiceNetwork } from "./service/network.ts";
import {
  serviceWarnings,
  TRAFFIC_POLICIES,
  validateService,
  validateServiceUpdate,
} from "./service/validation.ts";

function externalAddress(object: Readonly<JsonObject>): string {
  const spec = specOf(object);
  const externalIps = textsAt(spec, "externalIPs");
  switch (textAt(spec, "type")) {
    case "ClusterIP":
    case "NodePort":
      return externalIps.join(",") || "<none>";
    case "LoadBalancer": {
      const points = ingressPoints(object);
      const addresses = points.map((point) => textAt(point, "ip") || textAt(point, "hostname"));
      return [...new Set(addresses)].filter(Boolean).sort().concat(externalIps).join(",") || "<pending>";
    }
    case "ExternalName":
      return textAt(spec, "externalName");
    default:
      return "<unknown>";
  }
}

function portCell(port: JsonObject): string {
  const nodePort = numberAt(port, "nodePort");
  return `${numberAt(port, "port") ?? 0}${nodePort ? `:${nodePort}` : ""}/${textAt(port, "protocol")}`;
}

/** An ExternalName Service never shows internalTrafficPolicy, although it is accepted. */
function hideTrafficPolicy(object: KubeObject): void {
  const spec = objectAt(object, "spec");
  if (textAt(spec, "type") !== "ExternalName") return;
  if (TRAFFIC_POLICIES.includes(textAt(spec, "internalTrafficPolicy")))
    delete spec?.["internalTrafficPolicy"];
}

const FIELD = "status.loadBalancer.ingress";

const balances = (service: Readonly<JsonObject>): boolean =>
  textAt(objectAt(service, "spec"), "type") === "LoadBalancer";

/** External addresses of the load balancer. Only a Service of type LoadBalancer has them. */
const ingressPoints = (service: Readonly<JsonObject>): JsonObject[] =>
  objectsAt(objectAt(objectAt(service, "status"), "loadBalancer"), "ingress");

/** On update of the Service itself: keeps the status, but removes load balancer addresses after a change of type. */
function keepStatus(object: KubeObject, old: Readonly<KubeObject>): void {
  const status = objectAt(old, "status");
  object["status"] = balances(object) ? status : { ...status, loadBalancer: {} };
}

/** Unchanged addresses are accepted, whatever they are. */
function validateUpdate(object: Readonly<KubeObject>, old: Readonly<KubeObject>): FieldError[] {
  const points = ingressPoints(object);
  if (equalJson(points, ingressPoints(old))) return [];
  if (points.length > 0 && !balances(object)) {
    return [forbidden(FIELD, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  return schemaErrors("io.k8s.api.core.v1.LoadBalancerIngress", points, { field: FIELD });
}

const status: Strategy = {
  ...keeping("spec"),
  validateUpdate,
  warnings: (object) =>
    ingressPoints(object).flatMap((point, index) => ipWarnings(`${FIELD}[${index}]`, textAt(point, "ip"))),
};

const strategyIn = (network: ServiceNetwork): Strategy => ({
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  resetFields: [["status"]],
  validateName: nameIsDnsLabel,
  applyDefaults: applyServiceDefaults,
  claim: (object, old, claims) => claimForService(network, object, old, claims),
  hold: (object, old, claims) => holdForService(network, object, old, claims),
  release: (object, claims) => releaseService(network, object, claims),
  prepareForCreate(object) {
    object["status"] = { loadBalancer: {} };
    hideTrafficPolicy(object);
  },
  prepareForUpdate(object, old) {
    keepStatus(object, old);
    hideTrafficPolicy(object);
  },
  validate: validateService,
  validateUpdate: validateServiceUpdate,
  warnings: serviceWarnings,
});

/** Service definition of a server with these address and port ranges. */
export const servicesIn = (network: ServiceNetwork): ResourceDefinition =>
  builtIn("v1", "Service", {
    shortNames: ["svc"],
    categories: ["all"],
    columns: [
      NAME,
      column("Type", "How the service is offered.", "spec.type"),
      column(
        "Cluster-IP",
        "Address inside the cluster.",
        (object) => textsAt(specOf(object), "clusterIPs")[0] ?? "<none>",
      ),
      column("External-IP", "Addresses outside the cluster.", externalAddress),
      column(
        "Port(s)",
        "Ports, with node ports behind a colon.",
        (object) => objectsAt(specOf(object), "ports").map(portCell).join(",") || "<none>",
      ),
      AGE,
      wideColumn("Selector", "Labels of the pods behind the service.", (object) =>
        formatLabels(objectAt(specOf(object), "selector")),
      ),
    ],
    selectableFields: ["spec.clusterIP", "spec.type"],
    strategy: strategyIn(network),
    status,
    storagePrefix: "services/specs",
    returnsDeletedObject: true,
    subresources: [proxySubresource("ServiceProxyOptions", connectToService)],
  });

export const services = servicesIn(DEFAULT_SERVICE_NETWORK);
