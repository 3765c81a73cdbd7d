// ConfigMap: text and bytes by key; no spec, no status.

import { type FieldError, invalid, tooLong } from "../../meta/field-error.ts";
import { type JsonObject, objectAt } from "../../meta/json.ts";
import { append } from "../../meta/lists/append.ts";
import type { RowPrinter } from "../../registry/resource-definition.ts";
import type { Strategy } from "../../registry/strategy.ts";
import { AGE, column, NAME, timeSince } from "../columns.ts";
import { base64Bytes, CONFIG_BYTES_MAX, validateConfigKey, validateImmutable } from "../config-keys.ts";
import { builtIn } from "../define.ts";
import { textAt } from "../fields.ts";

const printRow: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  const entries = ["data", "binaryData"].map((key) => Object.keys(objectAt(object, key) ?? {}).length);
  return {
    cells: [
      textAt(metadata, "name"),
      entries.reduce((sum, count) => sum + count),
      timeSince(metadata, "creationTimestamp", nowMs),
    ],
  };
};

function validate(object: Readonly<JsonObject>): FieldError[] {
  const data = objectAt(object, "data") ?? {};
  const binaryData = objectAt(object, "binaryData") ?? {};
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const key of Object.keys(data)) {
    append(errors, validateConfigKey("data", key));
    if (Object.hasOwn(binaryData, key)) {
      errors.push(invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
    }
    bytes += Buffer.byteLength(textAt(data, key));
  }
  for (const key of Object.keys(binaryData)) {
    append(errors, validateConfigKey("binaryData", key));
    bytes += base64Bytes(binaryData[key]);
  }
  if (bytes > CONFIG_BYTES_MAX) errors.push(tooLong("", CONFIG_BYTES_MAX));
  return errors;
}

const strategy: Strategy = {
  allowUnconditionalUpdate: true,
  validate,
  validateUpdate: (object, old) => [
    ...validateImmutable(object, old, ["data", "binaryData"]),
    ...validate(object),
  ],
};

export const configMaps = builtIn({
  type: "io.k8s.api.core.v1.ConfigMap",
  group: "",
  version: "v1",
  resource: "configmaps",
  shortNames: ["cm"],
  namespaceScoped: true,
  columns: [NAME, column("Data", "How many keys there are."), AGE],
  printRow,
  strategy,
});
