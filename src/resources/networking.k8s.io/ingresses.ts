// Ingress: rules for HTTP traffic from outside; a controller that is not here serves them.
import { type JsonObject, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { AGE, column, NAME } from "../columns.ts";
import { builtIn } from "../define.ts";
import { KEEPS_SPEC, keepsStatus, specOf } from "../fields.ts";
import { CLASS_ANNOTATION, INGRESS_CODE } from "./ingress-validation.ts";

const SHOWN_MAX = 3;

function classCell(object: Readonly<JsonObject>): string {
  const { ingressClassName } = specOf(object);
  return typeof ingressClassName === "string" ? ingressClassName : "<none>";
}

/** Rules behind the last host that is shown count as more, whether they name a host or not. */
function hostsCell(object: Readonly<JsonObject>): string {
  const rules = objectsAt(specOf(object), "rules");
  const shown: string[] = [];
  for (const rule of rules) {
    if (shown.length === SHOWN_MAX) return `${shown.join(",")} + ${rules.length - SHOWN_MAX} more...`;
    const host = textAt(rule, "host");
    if (host !== "") shown.push(host);
  }
  return shown.join(",") || "*";
}

function addressCell(object: Readonly<JsonObject>): string {
  const points = objectsAt(objectAt(objectAt(object, "status"), "loadBalancer"), "ingress");
  const addresses = points.map((point) => textAt(point, "ip") || textAt(point, "hostname"));
  return [...new Set(addresses)].filter(Boolean).sort().join(",");
}

export const ingresses = builtIn("networking.k8s.io/v1", "Ingress", {
  shortNames: ["ing"],
  columns: [
    NAME,
    column("Class", "Which controller serves the ingress.", classCell),
    column("Hosts", "Hosts that the rules are for.", hostsCell),
    column("Address", "Where the ingress can be reached.", addressCell),
    column("Ports", "Ports that are open.", (object) =>
      objectsAt(specOf(object), "tls").length > 0 ? "80, 443" : "80",
    ),
    AGE,
  ],
  strategy: {
    metadataChecksOnUpdate: ["changed", "new"],
    hasGeneration: true,
    allowUnconditionalUpdate: true,
    ...keepsStatus({ loadBalancer: {} }),
    warnings(object, old) {
      if (old !== undefined || object.metadata.annotations?.[CLASS_ANNOTATION] === undefined) return [];
      if (specOf(object)["ingressClassName"] !== undefined) return [];
      return [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`];
    },
  },
  status: { allowUnconditionalUpdate: true, ...KEEPS_SPEC },
  rules: INGRESS_CODE,
  storagePrefix: "ingress",
});
