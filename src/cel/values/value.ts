// The values of the expression language as JavaScript values: int is a bigint, double a number, null is null.
// Everything else that JavaScript has no type for is a class with a celType of its own.
import type { CelType } from "../language/types.ts";

/** How an evaluation ends without a value: an outcome of the language, which || and && may swallow. */
export class CelError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CelError";
  }
}

/** A value of a type that the operation does not take. */
export const noSuchOverload = (of?: string): CelError =>
  new CelError(of === undefined ? "no such overload" : `no such overload: ${of}`);

/** Ends the evaluation whatever stands around. */
export class CostExceeded extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
    this.name = "CostExceeded";
  }
}

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** Nanoseconds. */
export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** Nanoseconds since the epoch. */
export class Timestamp {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** The value of a type name: what type(x) gives. */
export class TypeValue {
  readonly type: CelType;
  constructor(type: CelType) {
    this.type = type;
  }
}

export class Optional {
  readonly value: Value | undefined;
  constructor(value: Value | undefined) {
    this.value = value;
  }
}

export const OPTIONAL_NONE = new Optional(undefined);

/** Elements are made when they are asked for, so that a rule pays for what it looks at. */
export interface ListValue {
  readonly tag: "list";
  readonly size: number;
  /** The element, which is there: 0 <= index < size. May throw a CelError if the data does not fit its schema. */
  at(index: number): Value;
  equals(other: ListValue): boolean;
  /** The text of a lookup outside of the list. */
  outOfRange(index: bigint): string;
}

export interface MapValue {
  readonly tag: "map";
  readonly size: number;
  find(key: Value): Value | undefined;
  keys(): Iterable<Value>;
  equals(other: MapValue): boolean;
}

/** A value of a library: an address, a URL, a quantity … */
export interface OpaqueValue {
  readonly tag: "opaque";
  readonly celType: CelType;
  equals(other: OpaqueValue): boolean;
}

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Duration
  | Timestamp
  | TypeValue
  | Optional
  | ListValue
  | MapValue
  | OpaqueValue;

/** A type that a library adds. Its values hold something that expressions cannot look into. */
export class LibraryType<T> {
  readonly type: CelType;
  readonly same: (a: T, b: T) => boolean;
  constructor(type: CelType, same: (a: T, b: T) => boolean) {
    this.type = type;
    this.same = same;
  }
  of(content: T): LibraryValue<T> {
    return new LibraryValue(this, content);
  }
  /** What a value holds if it is of this type. */
  contentOf(value: Value | undefined): T | undefined {
    return this.#has(value) ? value.content : undefined;
  }
  #has(value: Value | undefined): value is LibraryValue<T> {
    return value instanceof LibraryValue && value.library === this;
  }
}

export class LibraryValue<T> implements OpaqueValue {
  readonly tag = "opaque";
  readonly library: LibraryType<T>;
  readonly content: T;
  constructor(library: LibraryType<T>, content: T) {
    this.library = library;
    this.content = content;
  }
  get celType(): CelType {
    return this.library.type;
  }
  equals(other: OpaqueValue): boolean {
    const content = this.library.contentOf(other as LibraryValue<T>);
    return content !== undefined && this.library.same(this.content, content);
  }
}

const hasTag = (value: Value | undefined, tag: string): boolean =>
  typeof value === "object" && value !== null && "tag" in value && value.tag === tag;

export const isList = (value: Value | undefined): value is ListValue => hasTag(value, "list");
export const isMap = (value: Value | undefined): value is MapValue => hasTag(value, "map");
export const isOpaque = (value: Value | undefined): value is OpaqueValue => hasTag(value, "opaque");
