// Messages: structs with numbered fields. Written as a Go server writes them, to the byte: fields in the order of their
// numbers, keys of maps sorted, and what is no pointer in Go even when it is empty. Reading takes fields in any order,
// as often as they come.
import { isObject, type JsonObject } from "../../meta/json.ts";
import type { MessageFacts } from "./message-facts.ts";
import { type MessageField, makeField } from "./message-field.ts";
import type { ValueType } from "./value-type.ts";
import { narrow, ProtobufError, type Reader, type Writer, widen } from "./wire.ts";

/** Messages in messages; only the schemas of CustomResourceDefinitions nest without an end of their own. */
const DEPTH_MAX = 500;

export type ResolveType = (name: string) => ValueType;

export class MessageType implements ValueType {
  readonly wireType = 2;
  readonly zero = Object.freeze({});
  readonly #facts: MessageFacts;
  readonly #resolve: ResolveType;
  /** Made with the first use: messages may contain themselves. */
  #fields: readonly MessageField[] | undefined;
  #byNumber: ReadonlyMap<number, MessageField> = new Map();

  constructor(facts: MessageFacts, resolve: ResolveType) {
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
