// Keys of the store ↔ keys of etcd. Objects have the keys of a kube-apiserver, whose prefix may be another one:
//
//   /registry/pods/shop/f                          /kubernetes.io/pods/shop/f
//
// What the store keeps for itself is no object, and a kube-apiserver would take it for one: it lies beside the prefix.
//
//   /egret/absent-owners/UID                       /egret/kubernetes.io/absent-owners/UID
//   /registry/ranges/servicenodeports/80           /egret/kubernetes.io/ranges/servicenodeports/80
//
// Ports of the range that Services get stand together in one value, as with a kube-apiserver (storage-layout.ts).
//
//   /registry/ranges/servicenodeports/30000        /kubernetes.io/ranges/servicenodeports, bit 0
//
// Only what stands before a resource is replaced, so that keys of one resource keep their order. It is that of bytes in etcd,
// and of UTF-16 units in a store in memory: they differ where a name holds characters beyond U+FFFF.
import { LayoutError, type SharedClaims, type StorageLayout } from "../../storage/layout.ts";

/** Of the keys of objects in the store. */
const OBJECTS = "/registry/";
/** What servers keep there that is no object. */
const RANGES = "ranges/";
const NODE_PORTS = `${RANGES}servicenodeports`;
const NO_OBJECT = /^(?:ranges|masterleases|peerserverleases)(?:\/|$)|^health$/;
const OWN = "/egret/";

/** Of a prefix nothing can come of; the message is the complaint. */
export class BadPrefix extends Error {}

export type LayoutKeys = Pick<StorageLayout, "prefixes" | "toEtcdKey" | "toEgretKey"> & {
  /** Whether what has this key in the store is an object. */
  isObject(key: string): boolean;
  /** Where kube-apiservers keep which node ports are taken, and with what the store's keys of them begin. */
  readonly nodePorts: Pick<SharedClaims, "etcdKey" | "prefix">;
};

/** Keys below a prefix as `--etcd-prefix` takes it: "foo", "/foo" and "/foo/" are the same. Throws BadPrefix. */
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
