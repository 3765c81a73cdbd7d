// What a decoded body says of its type, and what a real server says where it does not know that type.
import { goJsonType, isObject, type JsonObject } from "../../meta/json.ts";
import type { ResourceView } from "../definition/resource-definition.ts";

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** In front of what keeps a body from being read at all. */
export const jsonParseError = (why: string): string => `couldn't get version/kind; json parse error: ${why}`;

export interface SaidType {
  readonly apiVersion: string;
  readonly kind: string;
  readonly value: JsonObject;
}

/** The value with what it says of its type, "" for what it does not say. Throws what refuse makes of a complaint. */
export function readTypeMeta(decoded: unknown, refuse: (why: string) => Error): SaidType {
  const misfit = (what: string) => refuse(jsonParseError(`json: cannot unmarshal ${what}`));
  const value = decoded ?? {}; // to Go null is a struct in which nothing is said
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

/** Where a real server registers its types; it says so when one is not there. */
export const SCHEME = "pkg/api/legacyscheme/scheme.go:30";

/** An object without a version is taken for one of the internal type. */
export function notRegistered(kind: string, apiVersion: string, { definition }: ResourceView): string {
  const version =
    apiVersion === "" ? `the internal version of group "${definition.group}"` : `version "${apiVersion}"`;
  return `no kind "${kind}" is registered for ${version} in scheme "${SCHEME}"`;
}
