// Endpoints: the deprecated form of EndpointSlice; each response has a deprecation warning.

import { type JsonObject, numberAt, objectsAt, textAt, textOf } from "../../apimachinery/json/json.ts";
import { type FieldError, required } from "../../apimachinery/meta/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { ipWarnings } from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, listWithMore, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { eachAt } from "../../apiserver/registry/strategy/fields.ts";
import { schemaErrors } from "../../apiserver/registry/strategy/schema-rules.ts";

const TYPE = "io.k8s.api.core.v1.Endpoints";
const SHOWN_MAX = 3;
const LISTS = ["addresses", "notReadyAddresses"];
const MANAGED_BY = "endpoints.kubernetes.io/managed-by";
const MANAGER = "endpoint-controller";

function shownEndpoints(object: Readonly<JsonObject>): string {
  const subsets = objectsAt(object, "subsets");
  return listWithMore(subsets.flatMap(pairsOf), SHOWN_MAX, subsets.length === 0 ? "<none>" : "");
}

/** Each address with each port; without ports the addresses alone. */
function pairsOf(subset: JsonObject): string[] {
  const addresses = objectsAt(subset, "addresses").map((address) => textAt(address, "ip"));
  const ports = objectsAt(subset, "ports");
  if (ports.length === 0) return addresses;
  return ports.flatMap((port) =>
    addresses.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${numberAt(port, "port") ?? 0}`),
  );
}

function validate(object: Readonly<JsonObject>): FieldError[] {
  const lists = objectsAt(object, "subsets").map((subset) => objectsAt(subset, "ports"));
  const amongOthers = new Set(lists.filter((ports) => ports.length > 1).flat());
  return schemaErrors(TYPE, object, {
    code: {
      portName: ({ field, value, owner }) =>
        value === "" && amongOthers.has(owner) ? [required(field)] : [],
    },
  });
}

/** The controller already writes addresses in the recommended form. */
function warnings(object: Readonly<KubeObject>): string[] {
  if (object.metadata.labels?.[MANAGED_BY] === MANAGER) return [];
  const ofAddress = (place: string, { ip }: JsonObject) => ipWarnings(`${place}.ip`, textOf(ip));
  return eachAt("", object, "subsets", (place, subset) =>
    LISTS.flatMap((member) => eachAt(place, subset, member, ofAddress)),
  );
}

const strategy: Strategy = {
  metadataChecksOnUpdate: ["changed", "new"],
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  validate,
  validateUpdate: validate,
  warnings,
};

export const endpoints = builtIn("v1", "Endpoints", {
  resource: "endpoints",
  shortNames: ["ep"],
  columns: [NAME, column("Endpoints", "The ready addresses with their ports.", shownEndpoints), AGE],
  strategy,
  storagePrefix: "services/endpoints",
  deprecationWarning: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
});
