// Keys of the store ↔ keys of etcd. Objects have the keys of a kube-apiserver, whose prefix is configurable:
//
//   /registry/pods/shop/f                          /kubernetes.io/pods/shop/f
//
// The store's own bookkeeping is not an object. Below the prefix a kube-apiserver would decode it as one, so it has a
// prefix of its own:
//
//   /egret/absent-owners/UID                       /egret/kubernetes.io/absent-owners/UID
//   /registry/ranges/servicenodeports/80           /egret/kubernetes.io/ranges/servicenodeports/80
//
// Node ports of the Service range share one value, as in a kube-apiserver (storage-layout.ts):
//
//   /registry/ranges/servicenodeports/30000        /kubernetes.io/ranges/servicenodeports, bit 0
//
// Only the part before the resource is replaced, so that keys of one resource keep their order. etcd orders keys by
// bytes, and an in-memory store by UTF-16 units: the orders differ for names with characters beyond U+FFFF.
import { LayoutError, type SharedAllocations, type StorageLayout } from "../../storage/layout.ts";

/** Prefix of object keys in the store. */
const OBJECTS = "/registry/";
/** Bookkeeping of servers below that prefix. */
const RANGES = "ranges/";
const NODE_PORTS = `${RANGES}servicenodeports`;
const NO_OBJECT = /^(?:ranges|masterleases|peerserverleases)(?:\/|$)|^health$/;
const OWN = "/egret/";

/** The prefix is invalid. The message is the reason. */
export class BadPrefix extends Error {}

export type LayoutKeys = Pick<StorageLayout, "prefixes" | "toEtcdKey" | "toEgretKey"> & {
  /** Whether the store key is that of an object. */
  isObject(key: string): boolean;
  /** The etcd key of the shared node port bitmap, and the prefix of the store's node port keys. */
  readonly nodePorts: Pick<SharedAllocations, "etcdKey" | "prefix">;
};

/** Key mapping for a prefix as `--etcd-prefix` accepts it: "foo", "/foo" and "/foo/" are equal. Throws BadPrefix. */
export function layoutKeys(prefix = OBJECTS): LayoutKeys {
  const segments = prefix.split("/").filter((segment) => segment !== "");
  if (segments.length === 0) throw new BadPrefix("a prefix of keys must not be empty");
  if (segments.some((segment) => segment === "." || segment === ".."))
    throw new BadPrefix(`a prefix of keys has no "." and "..": ${prefix}`);
  const objects = `/${segments.join("/")}/`;
  if (objects.startsWith(OWN)) throw new BadPrefix(`${OWN} is where other things than objects are kept`);
  const own = `${OWN}${segments.join("/")}/`;
  const ownRanges = own + RANGES;

  return {
    prefixes: [own, objects],
    isObject: isObjectKey,
    nodePorts: { etcdKey: objects + NODE_PORTS, prefix: `${OBJECTS}${NODE_PORTS}/` },
    toEtcdKey(key) {
      if (isObjectKey(key)) return objects + key.slice(OBJECTS.length);
      if (key.startsWith(OBJECTS + RANGES)) return own + key.slice(OBJECTS.length);
      if (key.startsWith(OWN) && !key.startsWith(OWN + RANGES)) return own + key.slice(OWN.length);
      throw new LayoutError("UNKNOWN_KEY", key, `nothing in etcd stands for the key ${key}`);
    },
    toEgretKey(etcdKey) {
      if (etcdKey.startsWith(objects)) {
        const rest = etcdKey.slice(objects.length);
        return rest === "" || NO_OBJECT.test(rest) ? undefined : OBJECTS + rest;
      }
      if (etcdKey.startsWith(ownRanges)) return OBJECTS + etcdKey.slice(own.length);
      return etcdKey.startsWith(own) ? OWN + etcdKey.slice(own.length) : undefined;
    },
  };
}

const isObjectKey = (key: string): boolean =>
  key.startsWith(OBJECTS) && key.length > OBJECTS.length && !NO_OBJECT.test(key.slice(OBJECTS.length));
