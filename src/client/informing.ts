// What informers are telling their handlers of just now. Whoever is called by one can note it as the cause of what he
// does next; nobody has to.
import type { KubeObject } from "../meta/object-meta.ts";
import type { WatchEventType } from "./client.ts";

/** One place for all informers: handlers run to their end before another one is told. */
export const informing: { type: WatchEventType | undefined; object: Readonly<KubeObject> | undefined } = {
  type: undefined,
  object: undefined,
};

/** "Node node-a MODIFIED"; undefined while no informer speaks. */
export function informedChange(): string | undefined {
  const { type, object } = informing;
  if (type === undefined || object === undefined) return undefined;
  const { namespace = "", name = "" } = object.metadata;
  return `${object.kind ?? "object"} ${namespace === "" ? name : `${namespace}/${name}`} ${type}`;
}
