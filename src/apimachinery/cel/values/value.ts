// The values of the expression language as JavaScript values: int is a bigint, double a number, null is null. Other
// types are classes with a celType.
import type { CelType } from "../language/types.ts";

/**
 * An error of the language, which ends an evaluation unless
 * or && ignores it.
 */
export class CelError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CelError";
  }
}

/** A value of a type that the operation does not take. */
export const noSuchOverload = (of?: string): CelError =>
  new CelError(of === undefined ? "no such overload" : `no such overload: ${of}`);

/** Ends the evaluation; no operator can ignore it. */
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

/** The value of a type name, the result of type(x). */
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

/** Elements are created lazily, so that a rule pays only for those it reads. */
export interface ListValue {
  readonly tag: "list";
  readonly size: number;
  /** The element at 0 <= index < size. May throw a CelError if the data does not match its schema. */
  at(index: number): Value;
  equals(other: ListValue): boolean;
  /** The error of a lookup outside of the list. */
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

/** A type that a library adds. Expressions cannot access the content of its values. */
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
  /** The content of a value of this type; undefined for any other value. */
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
