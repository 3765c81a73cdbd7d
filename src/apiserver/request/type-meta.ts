// What a decoder looks at first: which type a body says that it is. Refusals are in the words of a real server.
import { goJsonType, isObject, type JsonObject } from "../../meta/json.ts";
import type { TypeIdentity } from "../protobuf/codec.ts";

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** In front of what keeps a body from being read at all. */
export const jsonParseError = (why: string): string => `couldn't get version/kind; json parse error: ${why}`;

export interface SaidType extends TypeIdentity {
  readonly value: JsonObject;
}

/** The value with what it says of its type, "" for what it does not say. Throws what refuse makes of a complaint. */
export function readTypeMeta(value: unknown, refuse: (why: string) => Error): SaidType {
  const misfit = (what: string) => refuse(jsonParseError(`json: cannot unmarshal ${what}`));
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
