// The order in which Go writes the members of a built-in kind: that of its structs, whose schemas list them so.
import type { MemberOrder, OrderedMember } from "../../meta/json-encode.ts";
import type { SchemaNode } from "../schema-node.ts";

const orders = new WeakMap<SchemaNode, MemberOrder>();

/** Undefined: there is no struct in it, and keys are sorted. */
export function structOrder(node: SchemaNode | true | undefined): MemberOrder | undefined {
  if (typeof node !== "object" || (node.go === undefined && !node.items && !node.additionalProperties))
    return undefined;
  let order = orders.get(node);
  if (order === undefined) {
    order = new NodeOrder(node);
    orders.set(node, order);
  }
  return order;
}

/** What lies below is looked at when it is needed: types may contain themselves. */
class NodeOrder implements MemberOrder {
  readonly #node: SchemaNode;
  readonly members: ReadonlyMap<string, OrderedMember> | undefined;

  constructor(node: SchemaNode) {
    this.#node = node;
    if (node.go === undefined) return;
    const properties = [...node.properties].map(
      ([key, property], place) => [key, new NodeMember(property, place)] as const,
    );
    this.members = new Map(properties);
  }

  get values(): MemberOrder | undefined {
    return structOrder(this.#node.additionalProperties);
  }

  get items(): MemberOrder | undefined {
    return structOrder(this.#node.items);
  }
}

class NodeMember implements OrderedMember {
  readonly #node: SchemaNode;
  readonly place: number;

  constructor(node: SchemaNode, place: number) {
    this.#node = node;
    this.place = place;
  }

  get order(): MemberOrder | undefined {
    return structOrder(this.#node);
  }
}
