// Decodes DER as Go's encoding/asn1 unmarshals it into a type, with its errors. A shape describes the type; the result
// is the elements, nested like the shape.
import {
  checkAny,
  checkBigInteger,
  checkBits,
  checkBoolean,
  checkInteger,
  checkObjectId,
  readBase128,
  structural,
  syntax,
  TAG,
} from "./asn1-values.ts";

export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  /** Tag and length included. */
  readonly bytes: Buffer;
  /** The members of a struct; an absent optional one is empty. The items of a list. */
  readonly items: readonly Element[];
}

/** The name of Go's type in error messages. */
export type Shape = { readonly name: string } & (
  | { readonly is: "raw" | "any" }
  | { readonly is: "boolean" | "integer" | "bigInteger" | "bits" | "octets" | "oid" }
  | { readonly is: "struct"; readonly members: readonly Member[] }
  | { readonly is: "list"; readonly tag: number; readonly item: Shape }
);

export interface Member {
  readonly shape: Shape;
  readonly isOptional?: boolean;
  /** Context-specific, in place of the universal tag. */
  readonly tag?: number;
}

export const RAW: Shape = { is: "raw", name: "RawValue" };
export const ANY: Shape = { is: "any", name: "" };
export const BOOLEAN: Shape = { is: "boolean", name: "bool" };
export const OCTETS: Shape = { is: "octets", name: "" };
export const INTEGER: Shape = { is: "integer", name: "int" };
/** Of any length. */
export const BIG_INTEGER: Shape = { is: "bigInteger", name: "" };
export const BITS: Shape = { is: "bits", name: "BitString" };
export const OBJECT_ID: Shape = { is: "oid", name: "ObjectIdentifier" };

export const struct = (name: string, ...members: readonly (Shape | Member)[]): Shape => ({
  is: "struct",
  name,
  members: members.map((member) => ("shape" in member ? member : { shape: member })),
});

export const listOf = (name: string, item: Shape): Shape => ({ is: "list", name, tag: TAG.sequence, item });
export const setListOf = (name: string, item: Shape): Shape => ({ is: "list", name, tag: TAG.set, item });

const TAGS = { ...TAG, bigInteger: TAG.integer, struct: TAG.sequence };
const CONTEXT = 2;

/** The value at the beginning of the bytes, and the bytes after it. Throws Asn1Error. */
export function unmarshal(bytes: Buffer, shape: Shape): { readonly value: Element; readonly rest: Buffer } {
  const { element, end } = readField(bytes, 0, { shape });
  return { value: element, rest: bytes.subarray(end) };
}

interface Read {
  readonly element: Element;
  /** End offset in the enclosing bytes. */
  readonly end: number;
}

/** The bits of a bit string as bytes, with the unused bits before the first instead of after the last. */
export function rightAligned({ content }: Element): Buffer {
  const unused = content[0] ?? 0;
  const bytes = content.subarray(1);
  if (unused === 0) return bytes;
  return Buffer.from(
    bytes.map((byte, at) => (byte >> unused) | ((at === 0 ? 0 : (bytes[at - 1] ?? 0)) << (8 - unused))),
  );
}

const NOTHING: Element = { tag: 0, content: Buffer.alloc(0), bytes: Buffer.alloc(0), items: [] };

function readField(around: Buffer, at: number, { shape, isOptional = false, tag }: Member): Read {
  if (at === around.length) {
    if (isOptional) return { element: NOTHING, end: at };
    throw syntax("sequence truncated");
  }
  const head = readHead(around, at);
  const takesAll = shape.is === "raw" || shape.is === "any";
  if (!takesAll || tag !== undefined) {
    const wanted = tag ?? usualTag(shape);
    const isThis = head.tag === wanted && head.class === (tag === undefined ? 0 : CONTEXT);
    if (!isThis || (!takesAll && head.isCompound !== isCompound(shape))) {
      if (isOptional) return { element: NOTHING, end: at };
      throw structural(
        `tags don't match (${wanted} vs ${headText(head)}) ${optionsText(isOptional, tag)} ${shape.name} @${head.end}`,
      );
    }
  }
  const end = head.end + head.length;
  if (end > around.length) throw syntax("data truncated");
  const content = around.subarray(head.end, end);
  const bytes = around.subarray(at, end);
  return {
    element: { tag: around.readUInt8(at), content, bytes, items: readContent(shape, head, content) },
    end,
  };
}

const isCompound = (shape: Shape): boolean => shape.is === "struct" || shape.is === "list";

function usualTag(shape: Shape): number {
  if (shape.is === "raw" || shape.is === "any") return -1;
  return shape.is === "list" ? shape.tag : TAGS[shape.is];
}

function readContent(shape: Shape, head: Head, content: Buffer): readonly Element[] {
  switch (shape.is) {
    case "struct":
      return readMembers(shape.members, content);
    case "list":
      return readItems(shape.item, content);
    case "boolean":
      checkBoolean(content);
      return [];
    case "integer":
      checkInteger(content);
      return [];
    case "bigInteger":
      checkBigInteger(content);
      return [];
    case "bits":
      checkBits(content);
      return [];
    case "oid":
      checkObjectId(content);
      return [];
    case "any":
      if (head.class === 0 && !head.isCompound) checkAny(head.tag, content);
      return [];
    default:
      return [];
  }
}

/** Ignores elements behind the last member. */
function readMembers(members: readonly Member[], content: Buffer): Element[] {
  let at = 0;
  return members.map((member) => {
    const { element, end } = readField(content, at, member);
    at = end;
    return element;
  });
}

/** Counts the items first, and then decodes them, as Go does. */
function readItems(item: Shape, content: Buffer): Element[] {
  const starts: number[] = [];
  for (let at = 0; at < content.length; ) {
    const head = readHead(content, at);
    const isThis = head.class === 0 && head.isCompound === isCompound(item) && head.tag === usualTag(item);
    if (item.is !== "raw" && !isThis) throw structural("sequence tag mismatch");
    if (head.end + head.length > content.length) throw syntax("truncated sequence");
    starts.push(at);
    at = head.end + head.length;
  }
  return starts.map((at) => readField(content, at, { shape: item }).element);
}

interface Head {
  readonly class: number;
  readonly tag: number;
  readonly length: number;
  readonly isCompound: boolean;
  /** Offset of the content. */
  readonly end: number;
}

const LENGTH_MAX = 1 << 23;

function readHead(bytes: Buffer, from: number): Head {
  let at = from;
  const next = (): number => {
    const byte = bytes[at++];
    if (byte === undefined) throw syntax("truncated tag or length");
    return byte;
  };
  const first = next();
  const head = { class: first >> 6, isCompound: (first & 0x20) !== 0 };
  let tag = first & 0x1f;
  if (tag === 0x1f) {
    [tag, at] = readBase128(bytes, at);
    if (tag < 0x1f) throw syntax("non-minimal tag");
  }
  const short = next();
  if (short < 0x80) return { ...head, tag, length: short, end: at };
  if (short === 0x80) throw syntax("indefinite length found (not DER)");
  let length = 0;
  for (let left = short & 0x7f; left > 0; left--) {
    const byte = next();
    if (length >= LENGTH_MAX) throw structural("length too large");
    length = length * 0x100 + byte;
    if (length === 0) throw structural("superfluous leading zeros in length");
  }
  if (length < 0x80) throw structural("non-minimal length");
  return { ...head, tag, length, end: at };
}

/** Formats the header as Go prints its struct. */
const headText = ({ class: klass, tag, length, isCompound }: Head): string =>
  `{class:${klass} tag:${tag} length:${length} isCompound:${isCompound}}`;

/** Formats the options of a member as Go prints them. A tag is a pointer there, so its address is arbitrary. */
const optionsText = (isOptional: boolean, tag: number | undefined): string =>
  `{optional:${isOptional} explicit:false application:false private:false defaultValue:<nil> tag:${tag === undefined ? "<nil>" : "0xc000012345"} stringType:0 timeType:0 set:false omitEmpty:false}`;
