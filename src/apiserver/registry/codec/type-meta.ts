// kind and apiVersion of a decoded body, with upstream's texts for types that are not registered.
import { goJsonType, isObject, type JsonObject } from "../../../apimachinery/json/json.ts";
import type { ResourceView } from "../definition/resource-definition.ts";

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Prefix of the error for a body that cannot be decoded at all. */
export const jsonParseError = (why: string): string => `couldn't get version/kind; json parse error: ${why}`;

export interface SaidType {
  readonly apiVersion: string;
  readonly kind: string;
  readonly value: JsonObject;
}

/** The value with its kind and apiVersion, "" where it has none. Throws the error that `refuse` builds. */
export function readTypeMeta(decoded: unknown, refuse: (why: string) => Error): SaidType {
  const misfit = (what: string) => refuse(jsonParseError(`json: cannot unmarshal ${what}`));
  const value = decoded ?? {}; // Go decodes null as an empty struct
  if (!isObject(value)) throw misfit(`${goJsonType(value)} into Go value of type ${TYPE_META}`);
  const textAt = (key: string): string => {
    const item = value[key] ?? "";
    if (typeof item === "string") return item;
    throw misfit(`${goJsonType(item)} into Go struct field .${key} of type string`);
  };
  const [apiVersion, kind] = [textAt("apiVersion"), textAt("kind")];
  if (apiVersion.split("/").length > 2) throw refuse(`unexpected GroupVersion string: ${apiVersion}`);
  return { apiVersion, kind, value };
}

/** Source line of upstream's scheme, which errors for unregistered types name. */
export const SCHEME = "pkg/api/legacyscheme/scheme.go:30";

/** An object without a version is decoded as the internal type. */
export function notRegistered(kind: string, apiVersion: string, { definition }: ResourceView): string {
  const version =
    apiVersion === "" ? `the internal version of group "${definition.group}"` : `version "${apiVersion}"`;
  return `no kind "${kind}" is registered for ${version} in scheme "${SCHEME}"`;
}
