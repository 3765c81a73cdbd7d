// An object that is made when somebody looks into it. What makes a text of it can take the text from where the object
// would be made from, and most such objects are never made.
import type { JsonObject } from "../json.ts";

interface Late {
  make(): JsonObject;
  /** What encodeJson() would give. */
  text(): string;
}

/** By the object as others see it, until they look into it. */
const unseen = new WeakMap<object, Late>();

/** All ways of looking into an object, and of changing it. */
const WAYS = [
  "get",
  "has",
  "ownKeys",
  "getOwnPropertyDescriptor",
  "set",
  "defineProperty",
  "deleteProperty",
  "preventExtensions",
] as const satisfies readonly (keyof ProxyHandler<object>)[];

/** None takes more than three arguments beside its target. */
type Way = (target: JsonObject, one: unknown, two: unknown, three: unknown) => unknown;

export function lateObject(late: Late): JsonObject {
  const handler: Record<string, unknown> = {};
  const object = new Proxy<JsonObject>({}, handler);
  for (const way of WAYS) {
    handler[way] = (target: JsonObject, one: unknown, two: unknown, three: unknown) => {
      if (unseen.delete(object))
        Object.defineProperties(target, Object.getOwnPropertyDescriptors(late.make()));
      return (Reflect[way] as Way)(target, one, two, three);
    };
  }
  unseen.set(object, late);
  return object;
}

/** The JSON of an object that nobody has looked into yet; undefined for all others. */
export const lateText = (value: unknown): string | undefined =>
  typeof value === "object" && value !== null ? unseen.get(value)?.text() : undefined;
