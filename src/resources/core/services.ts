// Service: a stable name and address. Its addresses and node ports are taken from those of the server.
import { type JsonObject, numberAt, objectAt, objectsAt, textAt, textsAt } from "../../meta/json.ts";
import { nameIsDnsLabel } from "../../meta/names.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { ResourceDefinition } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { AGE, column, formatLabels, NAME, wideColumn } from "../columns.ts";
import { builtIn } from "../define.ts";
import { SERVICE_SUBRESOURCES } from "./connections.ts";
import { claimForService, releaseService } from "./service/allocation.ts";
import { applyServiceDefaults } from "./service/defaults.ts";
import { DEFAULT_SERVICE_NETWORK, type ServiceNetwork } from "./service/network.ts";
import { ingressPoints, keepStatus, serviceStatus } from "./service/status.ts";
import { TRAFFIC_POLICIES, validateService, validateServiceUpdate } from "./service/validation.ts";
import { serviceWarnings } from "./service/warnings.ts";

const specOf = (object: Readonly<JsonObject>) => objectAt(object, "spec");

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

/** A mere name never shows how traffic inside the cluster goes, though it may be said. */
function hideTrafficPolicy(object: KubeObject): void {
  const spec = objectAt(object, "spec");
  if (textAt(spec, "type") !== "ExternalName") return;
  if (TRAFFIC_POLICIES.includes(textAt(spec, "internalTrafficPolicy")))
    delete spec?.["internalTrafficPolicy"];
}

const strategyIn = (network: ServiceNetwork): Strategy => ({
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  resetFields: [["status"]],
  validateName: nameIsDnsLabel,
  applyDefaults: applyServiceDefaults,
  claim: (object, old, claims) => claimForService(network, object, old, claims),
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

/** Services of a server with these addresses and ports. */
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
    status: serviceStatus,
    storagePrefix: "services/specs",
    returnsDeletedObject: true,
    subresources: SERVICE_SUBRESOURCES,
  });

export const services = servicesIn(DEFAULT_SERVICE_NETWORK);
