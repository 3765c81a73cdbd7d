// IPAddress: an address that somebody holds. It is named by the address itself, so nobody else can hold it too.

import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { type JsonObject, objectAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { isDns1123Subdomain, isPathSegmentName } from "../../meta/names.ts";
import type { RowPrinter } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { isCanonicalIp } from "../addresses.ts";
import { AGE, column, NAME, timeSince } from "../columns.ts";
import { builtIn } from "../define.ts";
import { textAt } from "../fields.ts";
import { validateSame, validateSegment } from "../references.ts";

const printRow: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  return {
    cells: [
      textAt(metadata, "name"),
      parentCell(objectAt(objectAt(object, "spec"), "parentRef")),
      timeSince(metadata, "creationTimestamp", nowMs),
    ],
  };
};

function parentCell(parent: JsonObject | undefined): string {
  if (parent === undefined) return "<none>";
  const [group, resource, namespace, name] = ["group", "resource", "namespace", "name"].map((key) =>
    textAt(parent, key),
  );
  const type = (group ? `${resource}.${group}` : `${resource}`).toLowerCase();
  return [type, ...(namespace ? [namespace] : []), name].join("/");
}

function validate(object: Readonly<JsonObject>): FieldError[] {
  const parent = objectAt(objectAt(object, "spec"), "parentRef");
  const field = "spec.parentRef";
  if (parent === undefined) return [required(field)];
  const group = textAt(parent, "group");
  const namespace = textAt(parent, "namespace");
  const errors: FieldError[] = [];
  if (group !== "") {
    append(
      errors,
      isDns1123Subdomain(group).map((text) => invalid(`${field}.group`, group, text)),
    );
  }
  append(
    errors,
    validateSegment(`${field}.resource`, textAt(parent, "resource")),
    validateSegment(`${field}.name`, textAt(parent, "name")),
    isPathSegmentName(namespace, false).map((text) => invalid(`${field}.namespace`, namespace, text)),
  );
  return errors;
}

const strategy: Strategy = {
  metadataChecksOnUpdate: ["new", "changed"],
  allowUnconditionalUpdate: true,
  validateName: isCanonicalIp,
  validate,
  validateUpdate: (object, old) =>
    validateSame(
      "spec.parentRef",
      objectAt(objectAt(object, "spec"), "parentRef"),
      objectAt(objectAt(old, "spec"), "parentRef"),
    ),
};

export const ipAddresses = builtIn({
  type: "io.k8s.api.networking.v1.IPAddress",
  group: "networking.k8s.io",
  version: "v1",
  resource: "ipaddresses",
  shortNames: ["ip"],
  namespaceScoped: false,
  columns: [NAME, column("ParentRef", "Who holds the address."), AGE],
  printRow,
  strategy,
});
