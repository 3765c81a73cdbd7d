// EncryptionConfiguration, the file of `--encryption-provider-config`: which providers encrypt which resources.
// Error messages are those of a kube-apiserver (apis/apiserver/validation, server/options/encryptionconfig).

import {
  isObject,
  type JsonObject,
  lookupTable,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { JsonSyntaxError } from "../../apimachinery/json/json-decode.ts";
import { describeFieldError } from "../../apimachinery/meta/field-error.ts";
import { describeResource } from "../../apimachinery/meta/status.ts";
import { TransformationMetrics } from "../../apimachinery/meta/transformation-metrics.ts";
import { decodeYaml } from "../../apimachinery/yaml/decode-yaml.ts";
import { YamlSyntaxError } from "../../apimachinery/yaml/yaml-error.ts";
import { findMistakes } from "./config-mistakes.ts";
import { type GroupResource, groupResource } from "./group-resource.ts";
import { loadSecretbox } from "./secretbox.ts";
import {
  aesCbc,
  aesGcm,
  byPrefix,
  type Counted,
  type FillRandom,
  identity,
  type MakeTransformer,
  type Prefixed,
  type Transformer,
} from "./transformers.ts";

/** The file is invalid, or has unsupported settings. The message lists all errors. */
export class EncryptionConfigError extends Error {}

/** Returns the transformer of a resource; identity for resources without an entry. */
export type Encryption = (resource: GroupResource) => Transformer;

/** Creates a provider's transformer with its counters. */
type MakePrefixed = (counted: Counted) => Prefixed;

/**
 * Throws EncryptionConfigError. `fill` generates nonces, which must never repeat with a key; `metrics` are
 * incremented.
 */
export async function readEncryptionConfig(
  text: string | Uint8Array,
  fill: FillRandom,
  metrics = new TransformationMetrics(),
): Promise<Encryption> {
  const config = configIn(text);
  const mistakes = findMistakes(config);
  if (mistakes.length > 0) throw new EncryptionConfigError(mistakes.map(describeFieldError).join("\n"));
  const providers = new Map<string, MakePrefixed[]>();
  for (const entry of objectsAt(config, "resources")) {
    const made = await Promise.all(objectsAt(entry, "providers").map((provider) => prefixed(provider, fill)));
    for (const resource of textsAt(entry, "resources")) {
      const name = nameOf(groupResource(resource));
      // An earlier entry for all resources, or for all of the group, takes precedence.
      if (masks(name).some((mask) => providers.has(mask))) continue;
      providers.set(name, [...(providers.get(name) ?? []), ...made]);
    }
  }
  const transformers = new Map<string, Transformer>();
  const transformerOf = (resource: GroupResource): Transformer => {
    const name = nameOf(resource);
    const speaking = [name, ...masks(name)].find((one) => providers.has(one));
    const made = speaking === undefined ? undefined : providers.get(speaking);
    if (made === undefined) return identity;
    const counted: Counted = (direction, prefix) => metrics.of(describeResource(resource), direction, prefix);
    return byPrefix(
      made.map((make) => make(counted)),
      "no matching prefix found",
      counted,
    );
  };
  return (resource) => {
    const name = nameOf(resource);
    const transformer = transformers.get(name) ?? transformerOf(resource);
    transformers.set(name, transformer);
    return transformer;
  };
}

function configIn(text: string | Uint8Array): JsonObject {
  const value = decoded(text);
  const [apiVersion, kind] = [textAt(value, "apiVersion"), textAt(value, "kind")];
  if (kind !== "EncryptionConfiguration" && kind !== "EncryptionConfig")
    throw new EncryptionConfigError(`is of the kind ${JSON.stringify(kind)}, and no EncryptionConfiguration`);
  if (apiVersion !== "apiserver.config.k8s.io/v1" && apiVersion !== "v1")
    throw new EncryptionConfigError(`no kind "${kind}" is registered for version "${apiVersion}"`);
  return value;
}

function decoded(text: string | Uint8Array): JsonObject {
  try {
    const { value } = decodeYaml(text);
    if (isObject(value)) return value;
  } catch (error) {
    if (!(error instanceof YamlSyntaxError || error instanceof JsonSyntaxError)) throw error;
    throw new EncryptionConfigError(error.message, { cause: error });
  }
  throw new EncryptionConfigError("is no EncryptionConfiguration");
}

const nameOf = ({ group, resource }: GroupResource): string => `${resource}.${group}`;

/** Wildcard names that cover a resource: all of its group, and all of all groups. */
const masks = (name: string): string[] => [`*${name.slice(name.indexOf("."))}`, "*.*"];

const MAKERS: Readonly<Record<string, () => MakeTransformer | Promise<MakeTransformer>>> = lookupTable({
  aescbc: () => aesCbc,
  aesgcm: () => aesGcm,
  secretbox: loadSecretbox,
});

/** Creates the configured provider, which has been validated. */
async function prefixed(provider: JsonObject, fill: FillRandom): Promise<MakePrefixed> {
  for (const [name, maker] of Object.entries(MAKERS)) {
    const given = objectAt(provider, name);
    if (given === undefined) continue;
    const make = await maker();
    const keys = objectsAt(given, "keys").map((key) => ({
      prefix: `${textAt(key, "name")}:`,
      transformer: make(Buffer.from(textAt(key, "secret"), "base64"), fill),
    }));
    const shown = name === "secretbox" ? "Secretbox" : "AES";
    const none = `no matching key was found for the provided ${shown} transformer`;
    return (counted) => ({ prefix: `k8s:enc:${name}:v1:`, transformer: byPrefix(keys, none, counted) });
  }
  return () => ({ prefix: "", transformer: identity });
}
