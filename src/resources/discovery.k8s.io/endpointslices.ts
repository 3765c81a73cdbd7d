// EndpointSlice: some of the endpoints of a Service.
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
  tooMany,
} from "../../meta/field-error.ts";
import { parseIp } from "../../meta/ip.ts";
import { type JsonObject, objectAt } from "../../meta/json.ts";
import { isDns1123Label, isDns1123Subdomain } from "../../meta/names.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { RowPrinter } from "../../registry/resource-definition.ts";
import type { Strategy } from "../../registry/strategy.ts";
import { validateEndpointIp, validateIp } from "../addresses.ts";
import { AGE, column, listWithMore, NAME, timeSince } from "../columns.ts";
import { builtIn } from "../define.ts";
import { emptyListsToNull, numberAt, objectsAt, textAt, textsAt } from "../fields.ts";
import { validateAppProtocol, validateProtocol } from "../ports.ts";

const ADDRESS_TYPES = ["FQDN", "IPv4", "IPv6"];
const ENDPOINTS_MAX = 1000;
const ADDRESSES_MAX = 100;
const PORTS_MAX = 20_000;
const SHOWN_MAX = 3;

const printRow: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  const ports = objectsAt(object, "ports").map((port) => String(numberAt(port, "port") ?? "*"));
  const addresses = objectsAt(object, "endpoints").flatMap((endpoint) => textsAt(endpoint, "addresses"));
  return {
    cells: [
      textAt(metadata, "name"),
      textAt(object, "addressType"),
      listWithMore(ports, SHOWN_MAX, "<unset>"),
      listWithMore(addresses, SHOWN_MAX, "<unset>"),
      timeSince(metadata, "creationTimestamp", nowMs),
    ],
  };
};

function applyDefaults(object: KubeObject): void {
  for (const port of objectsAt(object, "ports")) {
    port["name"] ??= "";
    port["protocol"] ??= "TCP";
  }
}

const withoutEmptyLists = (object: KubeObject): void => emptyListsToNull(object, ["endpoints", "ports"]);

function validate(object: Readonly<JsonObject>): FieldError[] {
  const type = textAt(object, "addressType");
  const errors: FieldError[] = [];
  if (type === "") errors.push(required("addressType"));
  else if (!ADDRESS_TYPES.includes(type)) errors.push(notSupported("addressType", type, ADDRESS_TYPES));
  const endpoints = objectsAt(object, "endpoints");
  if (endpoints.length > ENDPOINTS_MAX) {
    return [...errors, tooMany("endpoints", endpoints.length, ENDPOINTS_MAX)];
  }
  endpoints.forEach((endpoint, index) => {
    errors.push(...validateEndpoint(`endpoints[${index}]`, endpoint, type));
  });
  return [...errors, ...validatePorts(objectsAt(object, "ports"))];
}

function validateEndpoint(field: string, endpoint: JsonObject, type: string): FieldError[] {
  const addresses = textsAt(endpoint, "addresses");
  const errors: FieldError[] = [];
  if (addresses.length === 0) {
    errors.push(required(`${field}.addresses`, "must contain at least 1 address"));
  } else if (addresses.length > ADDRESSES_MAX) {
    errors.push(tooMany(`${field}.addresses`, addresses.length, ADDRESSES_MAX));
  } else {
    addresses.forEach((address, index) => {
      errors.push(...validateAddress(`${field}.addresses[${index}]`, address, type));
    });
  }
  const { nodeName, hostname } = endpoint;
  if (typeof nodeName === "string") {
    errors.push(...isDns1123Subdomain(nodeName).map((text) => invalid(`${field}.nodeName`, nodeName, text)));
  }
  if (typeof hostname === "string") {
    errors.push(...isDns1123Label(hostname).map((text) => invalid(`${field}.hostname`, hostname, text)));
  }
  return errors;
}

function validateAddress(field: string, address: string, type: string): FieldError[] {
  if (type === "FQDN") {
    const complaints = isDns1123Subdomain(address.replace(/\.$/, ""));
    if (complaints.length === 0 && !address.includes(".")) {
      complaints.push("should be a domain with at least two segments separated by dots");
    }
    return complaints.map((text) => invalid(field, address, text));
  }
  if (!ADDRESS_TYPES.includes(type)) return [];
  const malformed = validateIp(field, address);
  if (malformed.length > 0) return malformed;
  const errors = validateEndpointIp(field, address);
  if (`IPv${parseIp(address)?.family}` !== type) {
    errors.unshift(invalid(field, address, `must be an ${type} address`));
  }
  return errors;
}

function validatePorts(ports: readonly JsonObject[]): FieldError[] {
  if (ports.length > PORTS_MAX) return [tooMany("ports", ports.length, PORTS_MAX)];
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const field = `ports[${index}]`;
    const name = textAt(port, "name");
    const errors =
      name === "" ? [] : isDns1123Label(name).map((text) => invalid(`${field}.name`, name, text));
    if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
    names.add(name);
    errors.push(...validateProtocol(`${field}.protocol`, textAt(port, "protocol")));
    return [...errors, ...validateAppProtocol(`${field}.appProtocol`, port["appProtocol"])];
  });
}

const strategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  applyDefaults,
  prepareForCreate: withoutEmptyLists,
  prepareForUpdate: withoutEmptyLists,
  validate,
  validateUpdate(object, old) {
    const errors = validate(object);
    const { addressType } = object;
    if (addressType !== old["addressType"]) {
      errors.push(invalid("addressType", addressType, "field is immutable"));
    }
    return errors;
  },
};

export const endpointSlices = builtIn({
  type: "io.k8s.api.discovery.v1.EndpointSlice",
  group: "discovery.k8s.io",
  version: "v1",
  resource: "endpointslices",
  namespaceScoped: true,
  columns: [
    NAME,
    column("AddressType", "Kind of the addresses."),
    column("Ports", "Ports that every endpoint offers."),
    column("Endpoints", "Addresses of the endpoints."),
    AGE,
  ],
  printRow,
  strategy,
});
