// Messages: structs with numbered fields. Written as a Go server writes them, to the byte: fields in the order of their
// numbers, keys of maps sorted, and what is no pointer in Go even when it is empty. Reading takes fields in any order,
// as often as they come.
import { isObject, type JsonObject, setOwn } from "../../meta/json.ts";
import { sortedKeys } from "../../meta/json-encode.ts";
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
  /** In JSON. An embedded message has none: its members stand in its owner's. */
  readonly name: string;
  readonly form: "single" | "list" | "map" | "embedded";
  /** A scalar, a type that value-types.ts knows, or a message. */
  readonly type: string;
  /** No pointer in Go: it is written even without a value. */
  readonly alwaysWritten: boolean;
}

export interface MessageFacts {
  /** The name of the Go type, as errors show it. */
  readonly goType: string;
  /** In the order of their numbers. */
  readonly fields: readonly FieldFacts[];
}

interface MessageField {
  readonly facts: FieldFacts;
  readonly wireType: WireType;
  /** Writes what the object holds of the field, with its tag. */
  write(writer: Writer, object: Readonly<JsonObject>): void;
  /** Reads one occurrence behind its tag into the object. */
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

/** Each member is a message of its own: { key = 1, value = 2 }. */
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

/** Of a map of very many members: neither sorted nor written. Tags of keys and values are of one byte. */
function entriesLength(tag: number, map: Readonly<JsonObject>, bytesOf: (value: unknown) => number): number {
  let bytes = 0;
  for (const key of Object.keys(map)) {
    bytes += varintBytes(tag) + delimited(1 + delimited(Buffer.byteLength(key)) + 1 + bytesOf(map[key]));
  }
  return bytes;
}

/** What an entry holds that comes without its value. */
function withoutValue(type: ValueType): unknown {
  if (type instanceof MessageType) return {};
  return type.zero === undefined ? "" : type.zero; // bytes are a text, too
}

/** Messages in messages; only the schemas of CustomResourceDefinitions nest without an end of their own. */
const DEPTH_MAX = 500;

export class MessageType implements ValueType {
  readonly wireType = 2;
  readonly zero = Object.freeze({});
  readonly #facts: MessageFacts;
  readonly #resolve: (name: string) => ValueType;
  /** Made with the first use: messages may contain themselves. */
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

  /** A message that comes twice is one message, field by field. */
  read(reader: Reader, depth: number, known?: unknown): JsonObject {
    const object = isObject(known) ? known : {};
    within(reader, () => this.readFields(reader, object, depth));
    return object;
  }

  /** Reads all that the reader has. */
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

/** Numbers of a list may come in one piece, although Go does not send them so; nothing else has another wire type. */
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
