// The fields of a message: single values, lists, maps, and messages whose members stand in their owner's JSON.

import { isObject, type JsonObject, setOwn } from "../../meta/json.ts";
import { sortedKeys } from "../../meta/json-encode.ts";
import type { FieldFacts } from "./message-facts.ts";
import { STRING, type ValueType, type WireType } from "./value-type.ts";
import { narrow, ProtobufError, type Reader, type Writer, widen } from "./wire.ts";

export interface MessageField {
  readonly number: number;
  /** Writes what the object holds of the field, with its tag. */
  write(writer: Writer, object: Readonly<JsonObject>): void;
  /** Reads one occurrence behind its tag into the object. */
  read(reader: Reader, wireType: number, object: JsonObject, depth: number): void;
}

/** A message type, as far as fields need to know. */
interface Message extends ValueType {
  writeFields(writer: Writer, object: Readonly<JsonObject>): void;
  readInto(reader: Reader, object: JsonObject, depth: number): JsonObject;
}

export interface FieldPlan extends Omit<FieldFacts, "type"> {
  readonly type: ValueType;
}

export function makeField(plan: FieldPlan): MessageField {
  if (plan.container === "list") return listField(plan);
  if (plan.container === "map") return mapField(plan);
  const { type } = plan;
  if (!isMessage(type)) return singleField(plan);
  return plan.isEmbedded ? embeddedField(plan, type) : messageField(plan, type);
}

const isMessage = (type: ValueType): type is Message => "readInto" in type;
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
function messageField(plan: FieldPlan, type: Message): MessageField {
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

function embeddedField(plan: FieldPlan, type: Message): MessageField {
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
  if (isMessage(type)) return {};
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
