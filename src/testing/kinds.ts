// The types by which tests name kinds and get objects. A kind is named as "apiVersion/kind"; of those that Egret ships
// the compiler knows the fields. Of any other a call may say the type, or a test may make it known for all calls:
//
//   declare module "egret-apiserver/kinds" {
//     interface Kinds { "example.com/v1/Widget": Widget }
//   }
import type { Kinds } from "../../openapi/types/kinds.d.ts"; // the build puts them where this leads from dist/types as well
import type { ObjectMeta } from "../meta/object-meta.ts";

/** The names of the kinds that are known: "v1/ConfigMap", "k8s.ovn.org/v1/EgressIP", … */
export type KnownKind = keyof Kinds;

/** What every object has. */
export interface ApiObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/** An object of a kind about which nothing is known. */
export interface AnyObject extends ApiObject {
  // biome-ignore lint/suspicious/noExplicitAny: fields of unknown kinds are read in assertions, as JSON is.
  [field: string]: any;
}

/** The object of a kind by its name: `ObjectOf<"v1/Pod">`. */
export type ObjectOf<K extends string> = K extends KnownKind ? Kinds[K] : AnyObject;

/** An object as the server gives it: what a server sets is there. */
export type Stored<T> = T & {
  metadata: {
    name: string;
    uid: string;
    resourceVersion: string;
    creationTimestamp: string;
  };
};

/** An object to be written, checked against its kind where that is a shipped one. */
export type Written<A extends string, K extends string> = { apiVersion: A; kind: K } & ObjectOf<`${A}/${K}`>;
