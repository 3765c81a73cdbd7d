// Validation of an EncryptionConfiguration, with the messages of a kube-apiserver.
import { base64Error } from "../../apimachinery/go/base64.ts";
import {
  isObject,
  type JsonObject,
  lookupTable,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { type FieldError, forbidden, invalid, required } from "../../apimachinery/meta/field-error.ts";
import { type GroupResource, groupResource } from "./group-resource.ts";

const SIZES: Readonly<Record<string, readonly number[]>> = lookupTable({
  aesgcm: [16, 24, 32],
  aescbc: [16, 24, 32],
  secretbox: [32],
});
const PROVIDERS = ["kms", "aesgcm", "aescbc", "secretbox", "identity"];

export function findMistakes(config: JsonObject): FieldError[] {
  const entries = objectsAt(config, "resources");
  if (entries.length === 0) return [required("resources", "at least one resources is required")];
  return entries.flatMap((entry, index) => {
    const [resources, providers] = [`resources[${index}].resources`, `resources[${index}].providers`];
    const names = textsAt(entry, "resources");
    const given = objectsAt(entry, "providers");
    return [
      ...(names.length === 0 ? [required(resources, `at least one ${resources} is required`)] : []),
      ...overlaps(resources, names),
      ...names.flatMap((name, place) => nameMistakes(`${resources}[${place}]`, name)),
      ...(given.length === 0 ? [required(providers, `at least one ${providers} is required`)] : []),
      ...given.flatMap((provider, place) => providerMistakes(`${providers}[${place}]`, provider)),
    ];
  });
}

function overlaps(field: string, names: readonly string[]): FieldError[] {
  const all = names.map(groupResource);
  const isDouble = all.some((one, at) => all.findIndex((other) => isSame(one, other)) < at);
  const isMasked = all.some((one) => all.some((other) => !isSame(one, other) && masks(one, other)));
  return [
    ...(isDouble ? [invalid(field, names, "the same resource cannot be specified multiple times")] : []),
    ...(isMasked ? [invalid(field, names, MASKED)] : []),
  ];
}

const MASKED =
  "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked";

const isSame = (a: GroupResource, b: GroupResource): boolean =>
  a.group === b.group && a.resource === b.resource;

/** Whether an entry for resource `a` also covers resource `b`. */
const masks = (a: GroupResource, b: GroupResource): boolean =>
  a.resource === "*" && (a.group === "*" || a.group === b.group);

const NO_API = ["apiserveripinfo", "serviceipallocations", "servicenodeportallocations"];

function nameMistakes(field: string, name: string): FieldError[] {
  const rule = nameRule(name);
  return rule === undefined ? [] : [invalid(field, name, rule)];
}

function nameRule(name: string): string | undefined {
  const { group, resource } = groupResource(name);
  if (name.toLowerCase() !== name) return "resource name should not contain capital letters";
  if (name === "*")
    return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  if (NO_API.includes(name)) return "resources which do not have REST API/s cannot be encrypted";
  if (group === "events.k8s.io")
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file";
  if (group === "extensions") return "'extensions' group has been removed and cannot be used for encryption";
  if (group === "*" && resource !== "*") return "encrypting the same resource across groups is not supported";
  return undefined;
}

function providerMistakes(field: string, provider: JsonObject): FieldError[] {
  const [name, ...others] = PROVIDERS.filter((known) => isObject(provider[known]));
  if (name === undefined)
    return [
      invalid(
        field,
        "",
        "provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity",
      ),
    ];
  if (others.length > 0)
    return [
      invalid(
        field,
        "",
        "more than one provider specified in a single element, should split into different list elements",
      ),
    ];
  if (name === "kms") return [forbidden(`${field}.kms`, "no plugins are asked for keys here")];
  return name === "identity" ? [] : keyMistakes(`${field}.${name}.keys`, provider[name], SIZES[name] ?? []);
}

function keyMistakes(field: string, provider: unknown, sizes: readonly number[]): FieldError[] {
  const keys = objectsAt(isObject(provider) ? provider : undefined, "keys");
  if (keys.length === 0) return [required(field, "at least one keys is required")];
  return keys.flatMap((key, index) => [
    ...(textAt(key, "name") === ""
      ? [required(`${field}[${index}].name`, "name is a mandatory field for a key")]
      : []),
    ...secretMistakes(`${field}[${index}].secret`, textAt(key, "secret"), sizes),
  ]);
}

/** Messages never contain parts of a secret. */
function secretMistakes(field: string, secret: string, sizes: readonly number[]): FieldError[] {
  if (secret === "") return [required(field, "secret is a mandatory field for a key")];
  if (base64Error(secret) !== undefined)
    return [invalid(field, "REDACTED", "secrets must be base64 encoded")];
  const { length } = Buffer.from(secret, "base64");
  if (sizes.includes(length)) return [];
  const rule = `secret is not of the expected length, got ${length}, expected one of [${sizes.join(" ")}]`;
  return [invalid(field, "REDACTED", rule)];
}
