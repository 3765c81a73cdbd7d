// IPAddress: an address that somebody holds. It is named by the address itself, so nobody else can hold it too.

import type { FieldError } from "../../meta/field-error.ts";
import { type JsonObject, objectAt, textAt } from "../../meta/json.ts";
import type { RowPrinter } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { isCanonicalIp } from "../addresses.ts";
import { validateSame } from "../checks.ts";
import { AGE, column, NAME, timeSince } from "../columns.ts";
import { builtIn } from "../define.ts";
import { schemaErrors } from "../schema-rules.ts";

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

const validate = (object: Readonly<JsonObject>): FieldError[] =>
  schemaErrors("io.k8s.api.networking.v1.IPAddressSpec", objectAt(object, "spec") ?? {}, { field: "spec" });

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

export const ipAddresses = builtIn("networking.k8s.io/v1", "IPAddress", {
  shortNames: ["ip"],
  namespaceScoped: false,
  columns: [NAME, column("ParentRef", "Who holds the address."), AGE],
  printRow,
  strategy,
});
