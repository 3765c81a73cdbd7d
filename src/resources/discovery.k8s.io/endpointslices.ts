// EndpointSlice: some of the endpoints of a Service.

import {
  equalJson,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { RowPrinter } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { ipWarnings } from "../addresses.ts";
import { validateSame } from "../checks.ts";
import { AGE, column, listWithMore, NAME, timeSince } from "../columns.ts";
import { builtIn } from "../define.ts";
import { emptyListsToNull } from "../fields.ts";
import { validateSlice } from "./endpoint-validation.ts";

const SHOWN_MAX = 3;
const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
const MANAGERS = ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];

const printRow: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  const ports = objectsAt(object, "ports").map(portText);
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

/** A port without a number stands for all of them, under its name if it has one. */
const portText = (port: JsonObject): string => String(numberAt(port, "port") ?? port["name"] ?? "*");

function applyDefaults(object: KubeObject): void {
  for (const port of objectsAt(object, "ports")) {
    port["name"] ??= "";
    port["protocol"] ??= "TCP";
  }
}

/** The topology of older versions is not taken any more; it goes when the endpoints change. */
function prepare(object: KubeObject, old?: Readonly<KubeObject>): void {
  emptyListsToNull(object, ["endpoints", "ports"]);
  if (old !== undefined && equalJson(object["endpoints"], old["endpoints"])) return;
  for (const endpoint of objectsAt(object, "endpoints")) delete endpoint["deprecatedTopology"];
}

/** Labels say whose endpoints they are, so they count as content. */
function countLabels({ metadata }: KubeObject, { metadata: before }: Readonly<KubeObject>): void {
  if (equalJson(metadata.labels ?? {}, before.labels ?? {})) return;
  metadata.generation = (before.generation ?? 0) + 1;
}

/** Controllers write addresses as they should be. */
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

const strategy: Strategy = {
  metadataChecksOnUpdate: ["new"],
  hasGeneration: true,
  allowUnconditionalUpdate: true,
  applyDefaults,
  prepareForCreate: (object) => prepare(object),
  prepareForUpdate(object, old) {
    prepare(object, old);
    countLabels(object, old);
  },
  validate: validateSlice,
  validateUpdate: (object, old) => [
    ...validateSlice(object),
    ...validateSame("addressType", object["addressType"], old["addressType"]),
  ],
  warnings,
};

export const endpointSlices = builtIn("discovery.k8s.io/v1", "EndpointSlice", {
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
