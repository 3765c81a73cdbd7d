// The types of the expression language, and their format in messages.

type Kind =
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "null"
  | "timestamp"
  | "duration"
  | "dyn"
  | "error"
  | "list"
  | "map"
  | "struct"
  | "opaque"
  | "type"
  | "param";

export interface CelType {
  readonly kind: Kind;
  readonly name: string;
  readonly params: readonly CelType[];
  /** The number of types in its notation, itself included. */
  readonly size: number;
  /** For a struct: the type of a field, if there is one. The fields of a struct without this function are unknown. */
  readonly field: ((name: string) => CelType | undefined) | undefined;
}

/** A type with a longer notation than this is not followed further: it counts as dyn. */
const SIZE_MAX = 1000;

const simple = (kind: Kind, name: string): CelType => ({ kind, name, params: [], size: 1, field: undefined });

/** The type with other parameters. */
export function withParams(type: CelType, params: readonly CelType[]): CelType {
  const size = params.reduce((sum, inner) => sum + inner.size, 1);
  return size > SIZE_MAX ? DYN : { ...type, params, size };
}

export const BOOL = simple("bool", "bool");
export const INT = simple("int", "int");
export const UINT = simple("uint", "uint");
export const DOUBLE = simple("double", "double");
export const STRING = simple("string", "string");
export const BYTES = simple("bytes", "bytes");
export const NULL = simple("null", "null_type");
export const TIMESTAMP = simple("timestamp", "google.protobuf.Timestamp");
export const DURATION = simple("duration", "google.protobuf.Duration");
export const DYN = simple("dyn", "dyn");
export const ERROR = simple("error", "!error!");
export const TYPE = simple("type", "type");

const LIST = simple("list", "list");
const MAP = simple("map", "map");

export const listOf = (item: CelType): CelType => withParams(LIST, [item]);
export const mapOf = (key: CelType, value: CelType): CelType => withParams(MAP, [key, value]);
export const typeOf = (of: CelType): CelType => withParams(TYPE, [of]);
export const param = (name: string): CelType => simple("param", name);
export const opaque = (name: string, ...params: CelType[]): CelType =>
  withParams(simple("opaque", name), params);
export const optionalOf = (of: CelType): CelType => opaque("optional_type", of);
export const struct = (name: string, field?: (name: string) => CelType | undefined): CelType => ({
  ...simple("struct", name),
  field,
});

export const isDyn = (type: CelType): boolean => type.kind === "dyn";
export const isDynOrError = (type: CelType): boolean => type.kind === "dyn" || type.kind === "error";
const isOptional = (type: CelType): boolean => type.kind === "opaque" && type.name === "optional_type";

/** The type inside an optional; undefined if the type is no optional. */
export const unwrapOptional = (type: CelType): CelType | undefined =>
  isOptional(type) ? type.params[0] : undefined;

const SHORT = new Set<Kind>(["null", "timestamp", "duration"]);

export function formatType({ kind, name, params }: CelType): string {
  if (SHORT.has(kind)) return kind;
  return params.length === 0 ? name : `${name}(${params.map(formatType).join(", ")})`;
}

/** The format of a call in "no matching overload": "(int, string)", with a receiver "string.(int)". */
export function formatSignature(args: readonly CelType[], isMember: boolean): string {
  const shown = args.map(formatType);
  return isMember ? `${shown[0]}.(${shown.slice(1).join(", ")})` : `(${shown.join(", ")})`;
}

export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((item, index) => sameType(item, b.params[index] ?? DYN));
}

/** True if the type contains no dyn, so that values need no type check at run time. */
export function isConcrete(type: CelType): boolean {
  return (
    type.kind !== "dyn" && type.kind !== "param" && type.kind !== "error" && type.params.every(isConcrete)
  );
}
