// The types of kinds and objects in tests. A kind is named "apiVersion/kind"; the kinds that Egret ships are typed. For
// other kinds a call may pass the type, or a test may declare it for all calls:
//
//   declare module "egret-apiserver/kinds" {
//     interface Kinds { "example.com/v1/Widget": Widget }
//   }
import type { Kinds } from "../../openapi/types/kinds.d.ts"; // the path is also valid from dist/types
import type { ObjectMeta } from "../apimachinery/meta/object-meta.ts";

/** The names of the known kinds: "v1/ConfigMap", "k8s.ovn.org/v1/EgressIP", … */
export type KnownKind = keyof Kinds;

/** Members of every object. */
export interface ApiObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/** An object of an unknown kind. */
export interface AnyObject extends ApiObject {
  // biome-ignore lint/suspicious/noExplicitAny: fields of unknown kinds are read in assertions, as JSON is.
  [field: string]: any;
}

/** The object type of a kind's name: `ObjectOf<"v1/Pod">`. */
export type ObjectOf<K extends string> = K extends KnownKind ? Kinds[K] : AnyObject;

/** An object as the server returns it, with its server-set members. */
export type Stored<T> = T & {
  metadata: {
    name: string;
    uid: string;
    resourceVersion: string;
    creationTimestamp: string;
  };
};

/** An object to write, type-checked if Egret ships its kind. */
export type Written<A extends string, K extends string> = { apiVersion: A; kind: K } & ObjectOf<`${A}/${K}`>;
