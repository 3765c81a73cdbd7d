// Message types: structs with numbered fields. Encoding equals that of a Go server byte by byte: fields in order of
// their numbers, map keys sorted, and non-pointer fields even when empty. Decoding accepts fields in any order, also
// repeatedly.
import { isObject, type JsonObject, setOwn } from "../../../apimachinery/json/json.ts";
import { sortedKeys } from "../../../apimachinery/json/json-encode.ts";
import {
  DELIMITED,
  delimited,
  ProtobufDecodeError,
  type Reader,
  tagOf,
  type ValueType,
  varintBytes,
  type WireType,
  type Writer,
  within,
} from "./value-types.ts";

export interface FieldFacts {
  readonly number: number;
  /** The JSON name. An embedded message has none: its fields belong to its owner in JSON. */
  readonly name: string;
  readonly form: "single" | "list" | "map" | "embedded";
  /** A scalar, a type of value-types.ts, or a message. */
  readonly type: string;
  /** A non-pointer field in Go: it is encoded even without a value. */
  readonly alwaysWritten: boolean;
}

export interface MessageFacts {
  /** The name of the Go type in errors. */
  readonly goType: string;
  /** In order of their numbers. */
  readonly fields: readonly FieldFacts[];
}

interface MessageField {
  readonly facts: FieldFacts;
  readonly wireType: WireType;
  /** Encodes the object's value of the field, with its tag. */
  write(writer: Writer, object: Readonly<JsonObject>): void;
  /** Decodes one occurrence after its tag into the object. */
  read(reader: Reader, object: JsonObject, depth: number): void;
}

type FieldForm = (
  facts: FieldFacts,
  type: ValueType,
  tag: number,
) => Pick<MessageField, "write" | "read"> & Partial<Pick<MessageField, "wireType">>;

const FORMS: Readonly<Record<FieldFacts["form"], FieldForm>> = {
  single({ name, alwaysWritten }, type, tag) {
    const missing = alwaysWritten ? type.zero : undefined;
    return {
      write(writer, object) {
        const value = object[name] ?? missing;
        if (value !== undefined) type.write(writer.uint32(tag), value);
      },
      read(reader, object, depth) {
        object[name] = type.read(reader, depth, object[name]);
      },
    };
  },
  embedded: (_facts, type, tag) => ({
    write: (writer, object) => type.write(writer.uint32(tag), object),
    read: (reader, object, depth) => void type.read(reader, depth, object),
  }),
  list: ({ name }, type, tag) => ({
    write(writer, object) {
      const list = object[name];
      if (Array.isArray(list)) for (const item of list) type.write(writer.uint32(tag), item ?? type.zero);
    },
    read(reader, object, depth) {
      const known = object[name];
      const list: unknown[] = Array.isArray(known) ? known : [];
      object[name] = list;
      list.push(type.read(reader, depth));
    },
  }),
  map: mapForm,
};

const KEY_TAG = tagOf(1, DELIMITED);

/** Each entry of a map is a message: { key = 1, value = 2 }. */
function mapForm({ number, name }: FieldFacts, type: ValueType): ReturnType<FieldForm> {
  const tag = tagOf(number, DELIMITED);
  const valueTag = tagOf(2, type.wireType);
  return {
    wireType: DELIMITED,
    write(writer, object) {
      const map = object[name];
      if (!isObject(map)) return;
      if (writer.counts && type.bytesOf !== undefined) {
        writer.raw(Buffer.allocUnsafe(entriesLength(tag, map, type.bytesOf)));
        return;
      }
      for (const key of sortedKeys(map)) {
        const value = map[key] ?? type.zero;
        writer.uint32(tag).fork().uint32(KEY_TAG).string(key);
        if (value !== undefined) type.write(writer.uint32(valueTag), value);
        writer.ldelim();
      }
    },
    read(reader, object, depth) {
      const known = object[name];
      const map: JsonObject = isObject(known) ? known : {};
      object[name] = map;
      let key = "";
      let value = withoutValue(type);
      within(reader, () => {
        while (reader.pos < reader.len) {
          const tag = reader.uint32();
          if (tag === KEY_TAG) key = reader.string();
          else if (tag === valueTag) value = type.read(reader, depth);
          else reader.skipType(tag & 7);
        }
      });
      setOwn(map, key, value);
    },
  };
}

/** The length of a map without sorting or encoding it. Tags of keys and values have one byte. */
function entriesLength(tag: number, map: Readonly<JsonObject>, bytesOf: (value: unknown) => number): number {
  let bytes = 0;
  for (const key of Object.keys(map)) {
    bytes += varintBytes(tag) + delimited(1 + delimited(Buffer.byteLength(key)) + 1 + bytesOf(map[key]));
  }
  return bytes;
}

/** The value of a map entry without a value. */
function withoutValue(type: ValueType): unknown {
  if (type instanceof MessageType) return {};
  return type.zero === undefined ? "" : type.zero; // bytes are a text, too
}

/** Maximum nesting of messages. Only the schemas of CustomResourceDefinitions nest without a bound of their own. */
const DEPTH_MAX = 500;

export class MessageType implements ValueType {
  readonly wireType = 2;
  readonly zero = Object.freeze({});
  readonly #facts: MessageFacts;
  readonly #resolve: (name: string) => ValueType;
  /** Built at the first use: messages may contain themselves. */
  #fields: readonly MessageField[] | undefined;
  #byNumber: ReadonlyMap<number, MessageField> = new Map();

  constructor(facts: MessageFacts, resolve: (name: string) => ValueType) {
    this.#facts = facts;
    this.#resolve = resolve;
  }

  write(writer: Writer, value: unknown): void {
    writer.fork();
    this.writeFields(writer, isObject(value) ? value : this.zero);
    writer.ldelim();
  }

  writeFields(writer: Writer, object: Readonly<JsonObject>): void {
    for (const field of this.#plan()) field.write(writer, object);
  }

  /** Repeated occurrences of a message are merged, field by field. */
  read(reader: Reader, depth: number, known?: unknown): JsonObject {
    const object = isObject(known) ? known : {};
    within(reader, () => this.readFields(reader, object, depth));
    return object;
  }

  /** Decodes all fields up to the end of the reader. */
  readFields(reader: Reader, object: JsonObject, depth: number): void {
    if (depth > DEPTH_MAX) throw new ProtobufDecodeError("exceeded max depth");
    this.#plan();
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      const wireType = tag & 7;
      const number = tag >>> 3;
      if (wireType === 4) throw this.#malformed("wiretype end group for non-group");
      if (number === 0) throw this.#malformed(`illegal tag 0 (wire type ${wireType})`);
      const field = this.#byNumber.get(number);
      if (field === undefined) reader.skipType(wireType);
      else if (wireType === field.wireType) field.read(reader, object, depth + 1);
      else readPacked(reader, wireType, field, object, depth + 1);
    }
  }

  #malformed(what: string): ProtobufDecodeError {
    return new ProtobufDecodeError(`proto: ${this.#facts.goType}: ${what}`);
  }

  #plan(): readonly MessageField[] {
    if (this.#fields !== undefined) return this.#fields;
    this.#fields = this.#facts.fields.map((facts) => {
      const type = this.#resolve(facts.type);
      const { wireType } = type;
      return { facts, wireType, ...FORMS[facts.form](facts, type, tagOf(facts.number, wireType)) };
    });
    this.#byNumber = new Map(this.#fields.map((field) => [field.facts.number, field]));
    return this.#fields;
  }
}

/** Numbers of a list may be packed, although Go does not send them so. Other types have only one wire type. */
function readPacked(
  reader: Reader,
  wireType: number,
  field: MessageField,
  object: JsonObject,
  depth: number,
): void {
  const { form, name } = field.facts;
  if (form !== "list" || wireType !== DELIMITED) {
    const goName = name.charAt(0).toUpperCase() + name.slice(1);
    throw new ProtobufDecodeError(`proto: wrong wireType = ${wireType} for field ${goName}`);
  }
  within(reader, () => {
    while (reader.pos < reader.len) field.read(reader, object, depth);
  });
}
