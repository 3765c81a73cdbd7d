// Service: a stable name and address. Its addresses and node ports are taken from those of the server.
import { type JsonObject, numberAt, objectAt, objectsAt, textAt, textsAt } from "../../meta/json.ts";
import { nameIsDnsLabel } from "../../meta/names.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { ResourceDefinition, RowPrinter } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { AGE, column, formatLabels, NAME, timeSince, wideColumn } from "../columns.ts";
import { builtIn } from "../define.ts";
import { SERVICE_SUBRESOURCES } from "./connections.ts";
import { claimForService, releaseService } from "./service/allocation.ts";
import { applyServiceDefaults } from "./service/defaults.ts";
import { DEFAULT_SERVICE_NETWORK, type ServiceNetwork } from "./service/network.ts";
import { keepStatus, serviceStatus } from "./service/status.ts";
import { TRAFFIC_POLICIES, validateService, validateServiceUpdate } from "./service/validation.ts";
import { serviceWarnings } from "./service/warnings.ts";

const printRow: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  const spec = objectAt(object, "spec");
  return {
    cells: [
      textAt(metadata, "name"),
      textAt(spec, "type"),
      textsAt(spec, "clusterIPs")[0] ?? "<none>",
      externalAddress(spec, objectAt(object, "status")),
      objectsAt(spec, "ports").map(portCell).join(",") || "<none>",
      timeSince(metadata, "creationTimestamp", nowMs),
      formatLabels(objectAt(spec, "selector")),
    ],
  };
};

function externalAddress(spec: JsonObject | undefined, status: JsonObject | undefined): string {
  const externalIps = textsAt(spec, "externalIPs");
  switch (textAt(spec, "type")) {
    case "ClusterIP":
    case "NodePort":
      return externalIps.join(",") || "<none>";
    case "LoadBalancer": {
      const points = objectsAt(objectAt(status, "loadBalancer"), "ingress");
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
  builtIn({
    type: "io.k8s.api.core.v1.Service",
    group: "",
    version: "v1",
    resource: "services",
    shortNames: ["svc"],
    categories: ["all"],
    namespaceScoped: true,
    columns: [
      NAME,
      column("Type", "How the service is offered."),
      column("Cluster-IP", "Address inside the cluster."),
      column("External-IP", "Addresses outside the cluster."),
      column("Port(s)", "Ports, with node ports behind a colon."),
      AGE,
      wideColumn("Selector", "Labels of the pods behind the service."),
    ],
    printRow,
    selectableFields: ["spec.clusterIP", "spec.type"],
    strategy: strategyIn(network),
    status: serviceStatus,
    storagePrefix: "services/specs",
    returnsDeletedObject: true,
    subresources: SERVICE_SUBRESOURCES,
  });

export const services = servicesIn(DEFAULT_SERVICE_NETWORK);
