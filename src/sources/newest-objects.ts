// One state of each object: sources that were gathered over minutes hold several, and some hold an object in several of its
// versions.
import { type KubeObject, partsOfApiVersion } from "../meta/object-meta.ts";

/** One kind in one namespace has one object of a name, whatever version it was read in. */
export function identityOf({ apiVersion, kind = "", metadata }: Readonly<KubeObject>): string {
  const [group] = partsOfApiVersion(apiVersion);
  return `${group}/${kind}/${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

/** Some kinds are served by two groups: the same object of both has one uid. */
function kinOf({ kind = "", metadata }: Readonly<KubeObject>): string | undefined {
  const { uid, namespace = "", name = "" } = metadata;
  return uid === undefined ? undefined : `${kind}/${namespace}/${name}/${uid}`;
}

/**
 * Objects of which one source may hold several states, as one that was gathered over minutes does: the newest counts, and
 * of those that have no version the last. What was created anew in between is two states of one name, too.
 */
export class NewestObjects {
  readonly #found = new Map<string, KubeObject>();
  readonly #kin = new Map<string, string>();

  /** Whether another state of it is known, of which one counts and the other does not. */
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

  /** Whether of two groups that serve one object the one that is known is to be kept. */
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

/** Of two groups that serve one object one has a version that is stable, or is the core group, which stores it. */
const rankOf = ({ apiVersion = "" }: KubeObject): number =>
  (/\d(alpha|beta)\d/.test(apiVersion) ? 2 : 0) + (apiVersion.includes("/") ? 1 : 0);

/** Nobody but the server may compare versions, save for those who have nobody to ask: they are numbers of revisions. */
function versionOf({ metadata }: KubeObject): bigint {
  const { resourceVersion = "" } = metadata;
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : 0n;
}
