// Ingress: rules for HTTP traffic from outside; a controller that is not here serves them.
import { type JsonObject, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import type { RowPrinter } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { AGE, column, NAME, timeSince } from "../columns.ts";
import { builtIn } from "../define.ts";
import {
  CLASS_ANNOTATION,
  validateIngress,
  validateIngressStatus,
  validateNewIngress,
} from "./ingress-validation.ts";

const SHOWN_MAX = 3;

const printRow: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  const spec = objectAt(object, "spec");
  const className = spec?.["ingressClassName"];
  return {
    cells: [
      textAt(metadata, "name"),
      typeof className === "string" ? className : "<none>",
      hostsCell(spec),
      addressCell(objectAt(object, "status")),
      objectsAt(spec, "tls").length > 0 ? "80, 443" : "80",
      timeSince(metadata, "creationTimestamp", nowMs),
    ],
  };
};

/** Rules behind the last host that is shown count as more, whether they name a host or not. */
function hostsCell(spec: JsonObject | undefined): string {
  const rules = objectsAt(spec, "rules");
  const shown: string[] = [];
  for (const rule of rules) {
    if (shown.length === SHOWN_MAX) return `${shown.join(",")} + ${rules.length - SHOWN_MAX} more...`;
    const host = textAt(rule, "host");
    if (host !== "") shown.push(host);
  }
  return shown.join(",") || "*";
}

function addressCell(status: JsonObject | undefined): string {
  const points = objectsAt(objectAt(status, "loadBalancer"), "ingress");
  const addresses = points.map((point) => textAt(point, "ip") || textAt(point, "hostname"));
  return [...new Set(addresses)].filter(Boolean).sort().join(",");
}

const strategy: Strategy = {
  metadataChecksOnUpdate: ["changed", "new"],
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  resetFields: [["status"]],
  prepareForCreate(object) {
    object["status"] = { loadBalancer: {} };
  },
  prepareForUpdate(object, old) {
    object["status"] = old["status"];
  },
  validate: validateNewIngress,
  validateUpdate: validateIngress,
  warnings(object, old) {
    if (old !== undefined || object.metadata.annotations?.[CLASS_ANNOTATION] === undefined) return [];
    if (objectAt(object, "spec")?.["ingressClassName"] !== undefined) return [];
    return [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`];
  },
};

const status: Strategy = {
  allowUnconditionalUpdate: true,
  resetFields: [["spec"]],
  prepareForUpdate(object, old) {
    object["spec"] = old["spec"];
  },
  validateUpdate: validateIngressStatus,
};

export const ingresses = builtIn("networking.k8s.io/v1", "Ingress", {
  shortNames: ["ing"],
  columns: [
    NAME,
    column("Class", "Which controller serves the ingress."),
    column("Hosts", "Hosts that the rules are for."),
    column("Address", "Where the ingress can be reached."),
    column("Ports", "Ports that are open."),
    AGE,
  ],
  printRow,
  strategy,
  status,
  storagePrefix: "ingress",
});
