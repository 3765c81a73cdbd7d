// EndpointSlice: a subset of the endpoints of a Service.

import {
  equalJson,
  type JsonObject,
  numberAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { type FieldError, invalid, required } from "../../apimachinery/meta/field-error.ts";
import { parseIp } from "../../apimachinery/meta/ip.ts";
import { isDns1123Label, isDns1123Subdomain } from "../../apimachinery/meta/names.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import {
  ipWarnings,
  joinedErrors,
  ofList,
  validateEndpointIp,
  validateIp,
} from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, listWithMore, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { schemaErrors } from "../../apiserver/registry/strategy/schema-rules.ts";

const SHOWN_MAX = 3;
const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
const MANAGERS = ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];
const ADDRESS_TYPES = ["FQDN", "IPv4", "IPv6"];
const LABELS_MIN = 2;

/** A port without a number means all ports; it is shown by its name, if it has one. */
const portText = (port: JsonObject): string => String(numberAt(port, "port") ?? port["name"] ?? "*");

/** The deprecated topology is no longer accepted; it is removed when the endpoints change. */
function prepare(object: KubeObject, old?: Readonly<KubeObject>): void {
  if (old !== undefined && equalJson(object["endpoints"], old["endpoints"])) return;
  for (const endpoint of objectsAt(object, "endpoints")) delete endpoint["deprecatedTopology"];
}

/** Labels identify the Service, so their changes count for the generation. */
function countLabels({ metadata }: KubeObject, { metadata: before }: Readonly<KubeObject>): void {
  if (equalJson(metadata.labels ?? {}, before.labels ?? {})) return;
  metadata.generation = (before.generation ?? 0) + 1;
}

/** Controllers already write addresses in the recommended form. */
function warnings(object: Readonly<KubeObject>, old: Readonly<KubeObject> | undefined): string[] {
  const isNewDomain = old === undefined && object["addressType"] === "FQDN";
  const texts = isNewDomain ? ["spec.addressType: FQDN endpoints are deprecated"] : [];
  if (MANAGERS.includes(object.metadata.labels?.[MANAGED_BY] ?? "")) return texts;
  const odd = objectsAt(object, "endpoints").flatMap((endpoint, index) =>
    textsAt(endpoint, "addresses").flatMap((address, position) =>
      ipWarnings(`endpoints[${index}].addresses[${position}]`, address),
    ),
  );
  return [...texts, ...odd];
}

function validateSlice(object: Readonly<JsonObject>, old?: Readonly<JsonObject>): FieldError[] {
  const type = textAt(object, "addressType");
  return schemaErrors("io.k8s.api.discovery.v1.EndpointSlice", object, {
    code: { address: ({ field, value }) => validateAddress(field, String(value), type) },
    old,
  });
}

function validateAddress(field: string, address: string, type: string): FieldError[] {
  if (type === "FQDN") return validateDomain(field, address);
  if (!ADDRESS_TYPES.includes(type)) return [];
  const malformed = validateIp(field, address);
  if (malformed.length > 0) return malformed;
  const errors = validateEndpointIp(field, address);
  if (`IPv${parseIp(address)?.family}` !== type) {
    errors.unshift(invalid(ofList(field), address, `must be an ${type} address`));
  }
  return errors;
}

/** A domain of at least two labels, optionally with a trailing dot. Only the first error is reported. */
function validateDomain(field: string, address: string): FieldError[] {
  if (address === "") return [required(field)];
  const domain = address.replace(/\.$/, "");
  const malformed = joinedErrors(isDns1123Subdomain, field, domain);
  if (malformed.length > 0) return malformed;
  const labels = domain.split(".");
  if (labels.length < LABELS_MIN) {
    return [invalid(field, domain, "should be a domain with at least two segments separated by dots")];
  }
  const bad = labels.find((label) => isDns1123Label(label).length > 0);
  return bad === undefined ? [] : joinedErrors(isDns1123Label, field, bad);
}

export const endpointSlices = builtIn("discovery.k8s.io/v1", "EndpointSlice", {
  columns: [
    NAME,
    column("AddressType", "Kind of the addresses.", "addressType"),
    column("Ports", "Ports that every endpoint offers.", (object) =>
      listWithMore(objectsAt(object, "ports").map(portText), SHOWN_MAX, "<unset>"),
    ),
    column("Endpoints", "Addresses of the endpoints.", (object) => {
      const addresses = objectsAt(object, "endpoints").flatMap((endpoint) => textsAt(endpoint, "addresses"));
      return listWithMore(addresses, SHOWN_MAX, "<unset>");
    }),
    AGE,
  ],
  strategy: {
    metadataChecksOnUpdate: ["new"],
    hasGeneration: true,
    allowUnconditionalUpdate: true,
    emptyListsStoredAsNull: [["endpoints"], ["ports"]],
    prepareForCreate: (object) => prepare(object),
    prepareForUpdate(object, old) {
      prepare(object, old);
      countLabels(object, old);
    },
    validate: (object) => validateSlice(object),
    validateUpdate: (object, old) => validateSlice(object, old),
    warnings,
  },
});
