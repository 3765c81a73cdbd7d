// ConfigMap: text and bytes by key; no spec, no status.

import { type FieldError, invalid, ToldFindings, tooLong } from "../../meta/field-error.ts";
import { type JsonObject, objectAt, textAt } from "../../meta/json.ts";
import type { Strategy } from "../../registry/definition/resource-definition.ts";
import { AGE, column, NAME } from "../columns.ts";
import { base64Bytes, CONFIG_BYTES_MAX, validateConfigKey, validateImmutable } from "../config-keys.ts";
import { builtIn } from "../define.ts";

const countKeys = (object: Readonly<JsonObject>): number =>
  ["data", "binaryData"].reduce((sum, key) => sum + Object.keys(objectAt(object, key) ?? {}).length, 0);

function validate(object: Readonly<JsonObject>): FieldError[] {
  const data = objectAt(object, "data") ?? {};
  const binaryData = objectAt(object, "binaryData") ?? {};
  const found = new ToldFindings();
  let bytes = 0;
  for (const key of Object.keys(data)) {
    for (const error of validateConfigKey("data", key)) found.add(error);
    if (Object.hasOwn(binaryData, key)) {
      found.add(invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
    }
    bytes += Buffer.byteLength(textAt(data, key));
    if (found.isFull) break;
  }
  for (const key of found.isFull ? [] : Object.keys(binaryData)) {
    for (const error of validateConfigKey("binaryData", key)) found.add(error);
    bytes += base64Bytes(binaryData[key]);
    if (found.isFull) break;
  }
  if (bytes > CONFIG_BYTES_MAX) found.add(tooLong("", CONFIG_BYTES_MAX));
  return found.errors;
}

const strategy: Strategy = {
  metadataChecksOnUpdate: ["changed", "new"],
  allowUnconditionalUpdate: true,
  validate,
  validateUpdate: (object, old) => [
    ...validateImmutable(object, old, ["data", "binaryData"]),
    ...validate(object),
  ],
};

export const configMaps = builtIn("v1", "ConfigMap", {
  shortNames: ["cm"],
  columns: [NAME, column("Data", "How many keys there are.", countKeys), AGE],
  strategy,
});
