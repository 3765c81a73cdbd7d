// Messages: structs with numbered fields. Written as a Go server writes them, to the byte: fields in the order of their
// numbers, keys of maps sorted, and what is no pointer in Go even when it is empty. Reading takes fields in any order,
// as often as they come.
import { isObject, type JsonObject, setOwn } from "../../meta/json.ts";
import { sortedKeys } from "../../meta/json-encode.ts";
import { STRING, type ValueType, type WireType } from "./value-types.ts";
import { narrow, ProtobufError, type Reader, type Writer, widen } from "./wire.ts";

export interface FieldFacts {
  readonly number: number;
  /** In JSON. An embedded message has none: its members stand in its owner's. */
  readonly name: string;
  readonly container: "list" | "map" | undefined;
  /** A scalar, a type that value-types.ts knows, or a message. */
  readonly type: string;
  /** No pointer in Go: it is written even without a value. */
  readonly alwaysWritten: boolean;
  readonly isEmbedded: boolean;
}

export interface MessageFacts {
  /** The name of the Go type, as errors show it. */
  readonly goType: string;
  /** In the order of their numbers. */
  readonly fields: readonly FieldFacts[];
}

interface MessageField {
  readonly number: number;
  /** Writes what the object holds of the field, with its tag. */
  write(writer: Writer, object: Readonly<JsonObject>): void;
  /** Reads one occurrence behind its tag into the object. */
  read(reader: Reader, wireType: number, object: JsonObject, depth: number): void;
}

interface FieldPlan extends Omit<FieldFacts, "type"> {
  readonly type: ValueType;
}

function makeField(plan: FieldPlan): MessageField {
  if (plan.container === "list") return listField(plan);
  if (plan.container === "map") return mapField(plan);
  const { type } = plan;
  if (!(type instanceof MessageType)) return singleField(plan);
  return plan.isEmbedded ? embeddedField(plan, type) : messageField(plan, type);
}

const tagOf = (number: number, wireType: WireType): number => ((number << 3) | wireType) >>> 0;

function expectWireType(
  { name, type }: FieldPlan,
  wireType: number,
  expected: WireType = type.wireType,
): void {
  if (wireType === expected) return;
  const goName = name.charAt(0).toUpperCase() + name.slice(1);
  throw new ProtobufError(`proto: wrong wireType = ${wireType} for field ${goName}`);
}

function singleField(plan: FieldPlan): MessageField {
  const { number, name, type } = plan;
  const tag = tagOf(number, type.wireType);
  const isWritten = plan.alwaysWritten && type.zero !== undefined;
  return {
    number,
    write(writer, object) {
      const value = object[name];
      if (value !== undefined && value !== null) type.write(writer.uint32(tag), value);
      else if (isWritten) type.write(writer.uint32(tag), type.zero);
    },
    read(reader, wireType, object, depth) {
      expectWireType(plan, wireType);
      object[name] = type.read(reader, depth + 1);
    },
  };
}

/** A message that comes twice is one message, field by field. */
function messageField(plan: FieldPlan, type: MessageType): MessageField {
  const { name } = plan;
  return {
    ...singleField(plan),
    read(reader, wireType, object, depth) {
      expectWireType(plan, wireType);
      const known = object[name];
      object[name] = type.readInto(reader, isObject(known) ? known : {}, depth + 1);
    },
  };
}

function embeddedField(plan: FieldPlan, type: MessageType): MessageField {
  const tag = tagOf(plan.number, 2);
  return {
    number: plan.number,
    write(writer, object) {
      writer.uint32(tag).fork();
      type.writeFields(writer, object);
      writer.ldelim();
    },
    read(reader, wireType, object, depth) {
      expectWireType(plan, wireType);
      type.readInto(reader, object, depth + 1);
    },
  };
}

function listField(plan: FieldPlan): MessageField {
  const { number, name, type } = plan;
  const tag = tagOf(number, type.wireType);
  return {
    number,
    write(writer, object) {
      const list = object[name];
      if (Array.isArray(list)) for (const item of list) type.write(writer.uint32(tag), item ?? type.zero);
    },
    read(reader, wireType, object, depth) {
      const known = object[name];
      const list: unknown[] = Array.isArray(known) ? known : [];
      object[name] = list;
      if (wireType === 2 && type.wireType !== 2) {
        const outer = narrow(reader); // numbers may come packed, although Go does not send them so
        while (reader.pos < reader.len) list.push(type.read(reader, depth + 1));
        widen(reader, outer);
        return;
      }
      expectWireType(plan, wireType);
      list.push(type.read(reader, depth + 1));
    },
  };
}

const KEY_TAG = tagOf(1, 2);

/** What an entry holds that comes without its value. */
function withoutValue(type: ValueType): unknown {
  if (type instanceof MessageType) return {};
  return type.zero === undefined ? "" : type.zero; // bytes are a text, too
}

/** Each member is a message of its own: { key = 1, value = 2 }. */
function mapField(plan: FieldPlan): MessageField {
  const { number, name, type } = plan;
  const tag = tagOf(number, 2);
  const valueTag = tagOf(2, type.wireType);
  return {
    number,
    write(writer, object) {
      const map = object[name];
      if (!isObject(map)) return;
      for (const key of writer.isCounting ? Object.keys(map) : sortedKeys(map)) {
        const value = map[key] ?? type.zero;
        writer.uint32(tag).fork().uint32(KEY_TAG).string(key);
        if (value !== undefined) type.write(writer.uint32(valueTag), value);
        writer.ldelim();
      }
    },
    read(reader, wireType, object, depth) {
      expectWireType(plan, wireType, 2);
      const known = object[name];
      const map: JsonObject = isObject(known) ? known : {};
      object[name] = map;
      let key = "";
      let value = withoutValue(type);
      const outer = narrow(reader);
      while (reader.pos < reader.len) {
        const entryTag = reader.uint32();
        if (entryTag === KEY_TAG)
          key = STRING.read(reader, depth) as string; // the type of keys
        else if (entryTag === valueTag) value = type.read(reader, depth + 1);
        else reader.skipType(entryTag & 7);
      }
      widen(reader, outer);
      setOwn(map, key, value);
    },
  };
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

  read(reader: Reader, depth: number): JsonObject {
    return this.readInto(reader, {}, depth);
  }

  /** Reads the length-delimited message into the object. */
  readInto(reader: Reader, object: JsonObject, depth: number): JsonObject {
    const outer = narrow(reader);
    this.readFields(reader, object, depth);
    widen(reader, outer);
    return object;
  }

  /** Reads all that the reader has. */
  readFields(reader: Reader, object: JsonObject, depth: number): void {
    if (depth > DEPTH_MAX) throw new ProtobufError("exceeded max depth");
    this.#plan();
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      const wireType = tag & 7;
      const number = tag >>> 3;
      if (wireType === 4) throw this.#malformed("wiretype end group for non-group");
      if (number === 0) throw this.#malformed(`illegal tag 0 (wire type ${wireType})`);
      const field = this.#byNumber.get(number);
      if (field === undefined) reader.skipType(wireType);
      else field.read(reader, wireType, object, depth);
    }
  }

  #malformed(what: string): ProtobufError {
    return new ProtobufError(`proto: ${this.#facts.goType}: ${what}`);
  }

  #plan(): readonly MessageField[] {
    if (this.#fields !== undefined) return this.#fields;
    this.#fields = this.#facts.fields.map((facts) =>
      makeField({ ...facts, type: this.#resolve(facts.type) }),
    );
    this.#byNumber = new Map(this.#fields.map((field) => [field.number, field]));
    return this.#fields;
  }
}
