// All that a source holds, one state of each object: sources that were gathered over minutes hold several, and some hold an
// object in several of its versions.
import { type KubeObject, partsOfApiVersion } from "../meta/object-meta.ts";
import { KindTable } from "./kinds.ts";
import type { ClusterNotes, SkippedPart, SourceItem } from "./source.ts";

export interface Collected {
  readonly objects: readonly KubeObject[];
  readonly kinds: KindTable;
  readonly notes: ClusterNotes;
  readonly skipped: SkipSummary;
}

/** How many of each reason, and where the first of them are. */
export class SkipSummary {
  readonly #byReason = new Map<string, { count: number; origins: string[] }>();

  add({ reason, origin }: Pick<SkippedPart, "reason" | "origin">): void {
    const known = this.#byReason.get(reason) ?? { count: 0, origins: [] };
    known.count++;
    if (known.origins.length < ORIGINS_MAX) known.origins.push(origin);
    this.#byReason.set(reason, known);
  }

  /** The most frequent first. */
  get reasons(): readonly { reason: string; count: number; origins: readonly string[] }[] {
    return [...this.#byReason]
      .map(([reason, rest]) => ({ reason, ...rest }))
      .sort((a, b) => b.count - a.count);
  }

  get count(): number {
    return [...this.#byReason.values()].reduce((sum, { count }) => sum + count, 0);
  }
}

const ORIGINS_MAX = 5;

/** Reads all of a source. Of each object only what `keep` returns is held; undefined: nothing. */
export async function collect(
  items: AsyncIterable<SourceItem>,
  keep: (object: KubeObject) => KubeObject | undefined = (object) => object,
): Promise<Collected> {
  const [newest, kinds, skips] = [new NewestObjects(), new KindTable(), new SkipSummary()];
  let notes: ClusterNotes = {};
  for await (const item of items) {
    if (item.type === "skipped") skips.add(item);
    else if (item.type === "notes") notes = { ...notes, ...item.notes };
    else if (item.type === "kinds") kinds.add(item.kinds);
    else {
      const why = whyLeftOut(item.object);
      if (why !== undefined) skips.add({ reason: why, origin: item.origin });
      else {
        kinds.see(item);
        const kept = keep(item.object);
        if (kept !== undefined) newest.add(kept);
      }
    }
  }
  return { objects: [...newest.values()], kinds, notes, skipped: skips };
}

/** Kinds whose objects are computed when somebody asks for them, and kept nowhere. */
const COMPUTED_GROUPS =
  /^((custom\.|external\.)?metrics\.k8s\.io|authentication\.k8s\.io|authorization\.k8s\.io)$/;

/** Why an object that was read is none that a store holds. */
export function whyLeftOut({ apiVersion, kind = "" }: Readonly<KubeObject>): string | undefined {
  const [group] = partsOfApiVersion(apiVersion);
  const isComputed = COMPUTED_GROUPS.test(group) || (group === "" && kind === "ComponentStatus");
  return isComputed ? `is a ${kind}, which servers compute and do not keep` : undefined;
}

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

  add(object: KubeObject): void {
    const kin = kinOf(object);
    const identity = identityOf(object);
    if (kin !== undefined) {
      const first = this.#kin.get(kin);
      if (first === undefined) this.#kin.set(kin, identity);
      else if (first !== identity) {
        if (this.#isBetterKnown(first, object)) return;
        this.#found.delete(first);
        this.#kin.set(kin, identity);
      }
    }
    const known = this.#found.get(identity);
    if (known === undefined || versionOf(object) >= versionOf(known)) this.#found.set(identity, object);
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

/** Of two groups that serve one object one has a version that is stable, or is the core group, which stores it. */
const rankOf = ({ apiVersion = "" }: KubeObject): number =>
  (/\d(alpha|beta)\d/.test(apiVersion) ? 2 : 0) + (apiVersion.includes("/") ? 1 : 0);

/** Nobody but the server may compare versions, save for those who have nobody to ask: they are numbers of revisions. */
function versionOf({ metadata }: KubeObject): bigint {
  const { resourceVersion = "" } = metadata;
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : 0n;
}
