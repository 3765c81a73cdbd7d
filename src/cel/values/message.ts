// A message that an expression makes itself: Name{field: value}. It reads like a map of its fields.
import { equals } from "./inspect.ts";
import type { MapValue, Value } from "./value.ts";

export class MessageValue implements MapValue {
  readonly tag = "map";
  /** The name of its type. */
  readonly name: string;
  readonly fields: ReadonlyMap<string, Value>;

  constructor(name: string, fields: ReadonlyMap<string, Value>) {
    this.name = name;
    this.fields = fields;
  }

  get size(): number {
    return this.fields.size;
  }

  find(key: Value): Value | undefined {
    return typeof key === "string" ? this.fields.get(key) : undefined;
  }

  keys(): Iterable<Value> {
    return this.fields.keys();
  }

  equals(other: MapValue): boolean {
    if (!(other instanceof MessageValue) || other.name !== this.name || other.size !== this.size)
      return false;
    return [...this.fields].every(([key, value]) => {
      const theirs = other.find(key);
      return theirs !== undefined && equals(value, theirs);
    });
  }
}
