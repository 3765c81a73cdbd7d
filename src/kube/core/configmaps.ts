// ConfigMap and Secret: texts and bytes by key, without spec and status.

import {
  equalJson,
  goJsonType,
  isObject,
  type JsonObject,
  lookupTable,
  objectAt,
  textAt,
  textOf,
} from "../../apimachinery/json/json.ts";
import { decodeJson, JsonSyntaxError } from "../../apimachinery/json/json-decode.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  required,
  ToldFindings,
  tooLong,
} from "../../apimachinery/meta/field-error.ts";
import { wasGivenEmpty } from "../../apimachinery/meta/given-empty.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { CONFIG_KEY, isConfigKey, KEY_LENGTH_MAX } from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { keyPairComplaint } from "./tls-key-pair.ts";

/** Maximal total size of an object's values, in bytes. */
const CONFIG_BYTES_MAX = 1024 * 1024;

const NO_ERRORS: readonly FieldError[] = [];

function validateConfigKey(field: string, key: string): readonly FieldError[] {
  // Fast path: nearly all keys match, and an object may have very many.
  if (key.length <= KEY_LENGTH_MAX && CONFIG_KEY.test(key) && !key.startsWith(".")) return NO_ERRORS;
  return isConfigKey(key).map((text) => invalid(`${field}[${key}]`, key, text));
}

/** Number of bytes in a base64 text. */
const base64Bytes = (text: unknown): number =>
  typeof text === "string" ? Buffer.byteLength(text, "base64") : 0;

/** Once immutable is true, neither it nor the data may change; an empty member differs from an absent one. */
function validateImmutable(
  object: Readonly<JsonObject>,
  old: Readonly<JsonObject>,
  members: readonly string[],
): FieldError[] {
  if (old["immutable"] !== true) return [];
  const isGivenNow = (member: string) => old[member] === undefined && wasGivenEmpty(object, member);
  const changed = members.filter(
    (member) => !equalJson(object[member] ?? {}, old[member] ?? {}) || isGivenNow(member),
  );
  const fields = object["immutable"] === true ? changed : ["immutable", ...changed];
  return fields.map((field) => forbidden(field, "field is immutable when `immutable` is set"));
}

/** Errors of the keys, and of the total size, which is reported for the field. */
function contentErrors(
  object: Readonly<JsonObject>,
  members: Readonly<Record<string, (value: unknown) => number>>,
  field: string,
): FieldError[] {
  const binaryData = objectAt(object, "binaryData") ?? {};
  const found = new ToldFindings();
  let bytes = 0;
  for (const [member, sizeOf] of Object.entries(members)) {
    const values = objectAt(object, member) ?? {};
    for (const key of Object.keys(values)) {
      if (found.isFull) break;
      for (const error of validateConfigKey(member, key)) found.add(error);
      if (member === "data" && Object.hasOwn(binaryData, key)) {
        found.add(invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
      }
      bytes += sizeOf(values[key]);
    }
  }
  if (bytes > CONFIG_BYTES_MAX) found.add(tooLong(field, CONFIG_BYTES_MAX));
  return found.errors;
}

const keysIn =
  (...members: readonly string[]) =>
  (object: Readonly<JsonObject>): number =>
    members.reduce((sum, member) => sum + Object.keys(objectAt(object, member) ?? {}).length, 0);

const SHARED: Strategy = { metadataChecksOnUpdate: ["changed", "new"], allowUnconditionalUpdate: true };

const validateConfigMap = (object: Readonly<JsonObject>): FieldError[] =>
  contentErrors(object, { data: (text) => Buffer.byteLength(textOf(text)), binaryData: base64Bytes }, "");

export const configMaps = builtIn("v1", "ConfigMap", {
  shortNames: ["cm"],
  columns: [NAME, column("Data", "How many keys there are.", keysIn("data", "binaryData")), AGE],
  strategy: {
    ...SHARED,
    validate: validateConfigMap,
    validateUpdate: (object, old) => [
      ...validateImmutable(object, old, ["data", "binaryData"]),
      ...validateConfigMap(object),
    ],
  },
});

// Secret: bytes by key. stringData is write-only; it is merged into data and never stored.

const SERVICE_ACCOUNT_NAME = "kubernetes.io/service-account.name";

/** Types whose content is validated: these keys are required. */
const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = lookupTable({
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
});

/** Part of decoding, so that the manager that writes stringData owns data. Only an applied configuration owns stringData. */
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

const validateSecret = (object: Readonly<JsonObject>): FieldError[] => [
  ...contentErrors(object, { data: base64Bytes }, "data"),
  ...validateType(object, objectAt(object, "data") ?? {}),
];

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

/** Go's error for bytes that are neither a JSON object nor null. */
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

/** A certificate that does not match the key is accepted with a warning. */
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
  ...SHARED,
  applyDefaults: mergeStringData,
  validate: validateSecret,
  validateUpdate(object, old) {
    const errors = validateImmutable(object, old, ["data"]);
    if (object["type"] !== old["type"]) errors.unshift(invalid("type", object["type"], "field is immutable"));
    return [...errors, ...validateSecret(object)];
  },
  warnings,
};

export const secrets = builtIn("v1", "Secret", {
  columns: [
    NAME,
    column("Type", "What the content is for.", "type"),
    column("Data", "How many keys there are.", keysIn("data")),
    AGE,
  ],
  selectableFields: ["type"],
  strategy,
});
