// Secret: bytes by key. stringData is what clients may write instead; it is merged into data and never stored.

import { type FieldError, invalid, required, ToldFindings, tooLong } from "../../meta/field-error.ts";
import { goJsonType, isObject, type JsonObject, lookupTable, objectAt, textAt } from "../../meta/json.ts";
import { decodeJson, JsonSyntaxError } from "../../meta/json-decode.ts";
import type { Strategy } from "../../registry/definition/resource-definition.ts";
import { AGE, column, NAME } from "../columns.ts";
import { base64Bytes, CONFIG_BYTES_MAX, validateConfigKey, validateImmutable } from "../config-keys.ts";
import { builtIn } from "../define.ts";
import { keyPairComplaint } from "./tls-key-pair.ts";

const SERVICE_ACCOUNT_NAME = "kubernetes.io/service-account.name";

/** Types whose content is checked: these keys must be there. */
const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = lookupTable({
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
});

/** Part of decoding, so that who writes stringData owns data; only an applied configuration owns stringData. */
function mergeStringData(object: JsonObject): void {
  const stringData = objectAt(object, "stringData");
  delete object["stringData"];
  if (stringData === undefined || Object.keys(stringData).length === 0) return;
  const data = { ...objectAt(object, "data") };
  for (const key of Object.keys(stringData)) {
    data[key] = Buffer.from(textAt(stringData, key)).toString("base64");
  }
  object["data"] = data;
}

function validate(object: Readonly<JsonObject>): FieldError[] {
  const data = objectAt(object, "data") ?? {};
  const found = new ToldFindings();
  let bytes = 0;
  for (const key of Object.keys(data)) {
    for (const error of validateConfigKey("data", key)) found.add(error);
    bytes += base64Bytes(data[key]);
    if (found.isFull) break;
  }
  if (bytes > CONFIG_BYTES_MAX) found.add(tooLong("data", CONFIG_BYTES_MAX));
  return [...found.errors, ...validateType(object, data)];
}

function validateType(object: Readonly<JsonObject>, data: JsonObject): FieldError[] {
  const type = textAt(object, "type");
  if (type === "kubernetes.io/service-account-token") {
    const annotations = objectAt(objectAt(object, "metadata"), "annotations");
    const named = textAt(annotations, SERVICE_ACCOUNT_NAME) !== "";
    return named ? [] : [required(`metadata.annotations[${SERVICE_ACCOUNT_NAME}]`)];
  }
  if (type === "kubernetes.io/basic-auth") {
    const given = "username" in data || "password" in data;
    return given ? [] : [required("data[username]"), required("data[password]")];
  }
  const missing = (REQUIRED_KEYS[type] ?? []).filter((key) => {
    return type === "kubernetes.io/ssh-auth" ? textAt(data, key) === "" : !(key in data);
  });
  if (missing.length > 0) return missing.map((key) => required(`data[${key}]`));
  return type.startsWith("kubernetes.io/dockerc") ? validateDockerConfig(type, data) : [];
}

function validateDockerConfig(type: string, data: JsonObject): FieldError[] {
  const key = REQUIRED_KEYS[type]?.[0] ?? "";
  const complaint = mapComplaint(bytesAt(data, key));
  return complaint === undefined ? [] : [invalid(`data[${key}]`, "<secret contents redacted>", complaint)];
}

/** What keeps bytes from being a JSON object, or null, in Go's words. */
function mapComplaint(bytes: Buffer): string | undefined {
  try {
    const { value } = decodeJson(bytes);
    if (value === null || isObject(value)) return undefined;
    return `json: cannot unmarshal ${goJsonType(value)} into Go value of type map[string]interface {}`;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message;
    throw error;
  }
}

const bytesAt = (data: JsonObject | undefined, key: string): Buffer =>
  Buffer.from(textAt(data, key), "base64");

/** A certificate whose key is another one's is kept all the same. */
function warnings(object: Readonly<JsonObject>): string[] {
  if (object["type"] !== "kubernetes.io/tls") return [];
  const data = objectAt(object, "data");
  const [certificate = "", key = ""] = ["tls.crt", "tls.key"].map((name) =>
    bytesAt(data, name).toString("latin1"),
  );
  const complaint = keyPairComplaint(certificate, key);
  return complaint === undefined ? [] : [complaint];
}

const strategy: Strategy = {
  metadataChecksOnUpdate: ["changed", "new"],
  allowUnconditionalUpdate: true,
  applyDefaults: mergeStringData,
  validate,
  validateUpdate(object, old) {
    const errors = validateImmutable(object, old, ["data"]);
    if (object["type"] !== old["type"]) errors.unshift(invalid("type", object["type"], "field is immutable"));
    return [...errors, ...validate(object)];
  },
  warnings,
};

export const secrets = builtIn("v1", "Secret", {
  columns: [
    NAME,
    column("Type", "What the content is for.", "type"),
    column(
      "Data",
      "How many keys there are.",
      (object) => Object.keys(objectAt(object, "data") ?? {}).length,
    ),
    AGE,
  ],
  selectableFields: ["type"],
  strategy,
});
