// Keeps one state of each object. A source gathered over minutes may contain several states, and some sources contain
// an object in several versions.
import { type KubeObject, partsOfApiVersion } from "../../../apimachinery/meta/object-meta.ts";

/** A name is unique per kind and namespace, in whatever version the object was read. */
export function identityOf({ apiVersion, kind = "", metadata }: Readonly<KubeObject>): string {
  const [group] = partsOfApiVersion(apiVersion);
  return `${group}/${kind}/${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

/** Some kinds are served by two groups: the object has the same uid in both. */
function kinOf({ kind = "", metadata }: Readonly<KubeObject>): string | undefined {
  const { uid, namespace = "", name = "" } = metadata;
  return uid === undefined ? undefined : `${kind}/${namespace}/${name}/${uid}`;
}

/**
 * The newest state counts; of states without resourceVersion the last one. An object that was deleted and created again
 * in the meantime counts as two states of one name, too.
 */
export class NewestObjects {
  readonly #found = new Map<string, KubeObject>();
  readonly #kin = new Map<string, string>();

  /** Adds a state. Returns whether another state of the object is known, so that one of them is dropped. */
  add(object: KubeObject): boolean {
    const kin = kinOf(object);
    const identity = identityOf(object);
    if (kin !== undefined) {
      const first = this.#kin.get(kin);
      if (first === undefined) this.#kin.set(kin, identity);
      else if (first !== identity) {
        if (this.#isBetterKnown(first, object)) return false;
        this.#found.delete(first);
        this.#kin.set(kin, identity);
      }
    }
    const known = this.#found.get(identity);
    if (known === undefined || versionOf(object) >= versionOf(known)) this.#found.set(identity, object);
    return known !== undefined && isOther(known, object);
  }

  /** For an object that two groups serve: whether the known state is kept. */
  #isBetterKnown(first: string, object: KubeObject): boolean {
    const known = this.#found.get(first);
    if (known === undefined) return false;
    const [own, other] = [versionOf(object), versionOf(known)];
    if (own !== other) return own < other;
    return rankOf(known) <= rankOf(object);
  }

  values(): Iterable<KubeObject> {
    return this.#found.values();
  }
}

const isOther = ({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean =>
  a.resourceVersion !== b.resourceVersion || a.uid !== b.uid;

/** Of two groups with the same object one is preferred: a stable version, then the core group, which stores it. */
const rankOf = ({ apiVersion = "" }: KubeObject): number =>
  (/\d(alpha|beta)\d/.test(apiVersion) ? 2 : 0) + (apiVersion.includes("/") ? 1 : 0);

/** Clients must not compare resourceVersions. Without a server it is the only way here: they are revision numbers. */
function versionOf({ metadata }: KubeObject): bigint {
  const { resourceVersion = "" } = metadata;
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : 0n;
}
