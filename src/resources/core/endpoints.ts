// Endpoints: the older form of EndpointSlice; every answer about it warns of that.

import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { type JsonObject, numberAt, objectsAt, textAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { isDns1123Label, isDns1123Subdomain } from "../../meta/names.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { ipWarnings, validateEndpointIp, validateIp } from "../addresses.ts";
import { validateAppProtocol, validatePortNumber, validateProtocol } from "../checks.ts";
import { AGE, column, listWithMore, NAME } from "../columns.ts";
import { builtIn } from "../define.ts";
import { setDefault } from "../fields.ts";

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

function applyDefaults(object: KubeObject): void {
  for (const subset of objectsAt(object, "subsets")) {
    for (const port of objectsAt(subset, "ports")) setDefault(port, "protocol", "TCP");
  }
}

function validate(object: Readonly<JsonObject>): FieldError[] {
  return objectsAt(object, "subsets").flatMap((subset, index) => {
    const field = `subsets[${index}]`;
    const ports = objectsAt(subset, "ports");
    const errors: FieldError[] = [];
    if (objectsAt(subset, "addresses").length + objectsAt(subset, "notReadyAddresses").length === 0) {
      errors.push(required(field, "must specify `addresses` or `notReadyAddresses`"));
    }
    for (const member of LISTS) {
      objectsAt(subset, member).forEach((address, position) => {
        append(errors, validateAddress(`${field}.${member}[${position}]`, address));
      });
    }
    ports.forEach((port, position) => {
      append(errors, validatePort(`${field}.ports[${position}]`, port, ports.length > 1));
    });
    return errors;
  });
}

function validateAddress(field: string, address: JsonObject): FieldError[] {
  const ip = textAt(address, "ip");
  const hostname = textAt(address, "hostname");
  const nodeName = address["nodeName"];
  const errors = validateIp(`${field}.ip`, ip);
  if (hostname !== "") {
    append(
      errors,
      isDns1123Label(hostname).map((text) => invalid(`${field}.hostname`, hostname, text)),
    );
  }
  if (typeof nodeName === "string") {
    append(
      errors,
      isDns1123Subdomain(nodeName).map((text) => invalid(`${field}.nodeName`, nodeName, text)),
    );
  }
  return [...errors, ...validateEndpointIp(`${field}.ip`, ip)];
}

function validatePort(field: string, port: JsonObject, nameRequired: boolean): FieldError[] {
  const name = textAt(port, "name");
  const errors: FieldError[] = [];
  if (name !== "")
    append(
      errors,
      isDns1123Label(name).map((text) => invalid(`${field}.name`, name, text)),
    );
  else if (nameRequired) errors.push(required(`${field}.name`));
  return [
    ...errors,
    ...validatePortNumber(`${field}.port`, numberAt(port, "port") ?? 0),
    ...validateProtocol(`${field}.protocol`, textAt(port, "protocol")),
    ...validateAppProtocol(`${field}.appProtocol`, port["appProtocol"]),
  ];
}

/** The controller writes addresses as they should be. */
function warnings(object: Readonly<KubeObject>): string[] {
  if (object.metadata.labels?.[MANAGED_BY] === MANAGER) return [];
  return objectsAt(object, "subsets").flatMap((subset, index) =>
    LISTS.flatMap((member) =>
      objectsAt(subset, member).flatMap((address, position) =>
        ipWarnings(`subsets[${index}].${member}[${position}].ip`, textAt(address, "ip")),
      ),
    ),
  );
}

const strategy: Strategy = {
  metadataChecksOnUpdate: ["changed", "new"],
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  applyDefaults,
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
