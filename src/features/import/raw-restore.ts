// Writes objects of another cluster into the store unchanged, bypassing admission and validation: objects of old
// clusters may be invalid today. Controllers are stopped meanwhile and resync afterwards, as after a process start.
// CRDs are written first, all other objects in the order of their resourceVersions. Each object is its own commit. The
// number of pending commits is bounded, and the loop yields to other work.
import { inSlices } from "../../apimachinery/meta/lists.ts";
import type { KubeObject, OwnerReference } from "../../apimachinery/meta/object-meta.ts";
import type { Revision } from "../../apimachinery/meta/revision.ts";
import { describeResource, StatusError } from "../../apimachinery/meta/status.ts";
import { yieldIfDue } from "../../apimachinery/scheduling/event-loop.ts";
import { decodeStored, encodeStored } from "../../apiserver/registry/codec/object-codec.ts";
import { storedOrder } from "../../apiserver/registry/codec/versions.ts";
import type { RequestContext } from "../../apiserver/registry/definition/request-context.ts";
import type { ResourceView } from "../../apiserver/registry/definition/resource-definition.ts";
import { objectKey, storageView, strategyOf } from "../../apiserver/registry/definition/view.ts";
import type { ResourceRegistry } from "../../apiserver/registry/resource-registry.ts";
import { WriteClaims } from "../../apiserver/registry/write/prepare.ts";
import { type KeyValueReader, type KeyValueWriter, StoreError, type TxnOp } from "../../storage/store.ts";
import type { SavedState } from "../state/state-keeper.ts";
import type { AbsentOwners } from "./absent-owners.ts";
import type { Arrivals, Arrived } from "./arrivals.ts";
import { type Placed, type PlaceOptions, placeAll } from "./place.ts";
import type { ImportReport } from "./report.ts";
import { standingObject, standingView, Undecodable } from "./stored-form.ts";

export interface LayInDeps {
  readonly store: KeyValueReader & KeyValueWriter;
  readonly registry: ResourceRegistry;
  /** Supplies uid and creation time for objects that were never in a server. */
  readonly context: RequestContext;
  /** Resolves once the kinds of all CRDs are served. */
  readonly settled: () => Promise<void>;
  /** Runs a change between stop and restart of the controllers. */
  readonly renew: <T>(change: () => Promise<T>) => Promise<T>;
  readonly emptyState: () => Promise<SavedState>;
  readonly absentOwners: AbsentOwners;
  /** Returns notes on the resulting cluster. */
  readonly hints: (isOfImport: (object: Readonly<KubeObject>) => boolean) => Promise<readonly string[]>;
}

export interface LayInOptions extends Pick<PlaceOptions, "secrets" | "webhooks"> {
  /** Called with the number of written objects and the total. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Limit of commits that wait for the disk. */
const TOGETHER = 256;
/** Limit of reported reasons: their texts may contain data. */
const REASONS_MAX = 100;
/** Limit of attempts after conflicts with concurrent writes. */
const TRIES = 10;

export async function restoreRaw(
  arrivals: Arrivals,
  deps: LayInDeps,
  options: LayInOptions = {},
): Promise<Omit<ImportReport, "seconds">> {
  return deps.renew(() => new Laying(arrivals, deps, options).run());
}

class Laying {
  readonly #arrivals: Arrivals;
  readonly #deps: LayInDeps;
  readonly #options: LayInOptions;
  readonly #counts = new Map<string, number>();
  readonly #uids = new Set<string>();
  /** By owner uid: the reference, and the namespace of an object that has it. */
  readonly #owners = new Map<string, { readonly owner: OwnerReference; readonly namespace: string }>();
  #replaced = 0;
  #done = 0;
  #total = 0;

  constructor(arrivals: Arrivals, deps: LayInDeps, options: LayInOptions) {
    this.#arrivals = arrivals;
    this.#deps = deps;
    this.#options = options;
  }

  async run(): Promise<Omit<ImportReport, "seconds">> {
    const { store, registry, context, settled, emptyState, absentOwners, hints } = this.#deps;
    const firstRevision = store.revision;
    this.#total = this.#arrivals.all.length;
    const empty = await emptyState();
    const placed = await placeAll(this.#arrivals, {
      ...{ registry, context, secrets: this.#options.secrets, webhooks: this.#options.webhooks },
      isOwn: (key) => empty.items.has(key),
      define: async (definitions) => {
        await this.#writeAll(definitions);
        await settled();
      },
    });
    await this.#writeAll(placed.objects);
    const isMissing = (name: string) => !this.#isThere(name);
    const made = placed.namespaces.needed.filter(isMissing);
    const missing = placed.namespaces.missing.filter(isMissing);
    await this.#makeNamespaces(made);
    const absent = await this.#absentOwners();
    await absentOwners.note(absent, this.#uids);
    await settled();
    const kinds = [...this.#counts].map(([resource, count]) => ({ resource, count }));
    return {
      objects: kinds.reduce((sum, { count }) => sum + count, 0),
      kinds: kinds.sort((a, b) => (a.resource < b.resource ? -1 : 1)),
      replaced: this.#replaced,
      kept: placed.kept,
      skipped: this.#arrivals.skips.reasons.slice(0, REASONS_MAX),
      derived: placed.derived,
      namespaces: { made, missing },
      absentOwners: absent.length,
      redacted: placed.redacted,
      hints: await hints(({ metadata }) => this.#uids.has(metadata.uid ?? "")),
      firstRevision: String(firstRevision),
      lastRevision: String(store.revision),
    };
  }

  /**
   * Objects are encoded one after the other, to keep their revisions in order and time slices short; commits are
   * batched.
   */
  async #writeAll(objects: readonly Placed[]): Promise<void> {
    let waiting: Promise<void>[] = [];
    for (const one of objects) {
      const pause = yieldIfDue();
      if (pause !== undefined) await pause;
      const made = await this.#make(one);
      if (made !== undefined) waiting.push(this.#put(one.view, one.key, made));
      this.#done++;
      if (waiting.length < TOGETHER) continue;
      await Promise.all(waiting);
      waiting = [];
      this.#options.onProgress?.(this.#done, this.#total);
    }
    await Promise.all(waiting);
  }

  /** undefined: the object cannot be decoded, and is skipped. */
  async #make({ arrived, view }: Placed): Promise<KubeObject | undefined> {
    try {
      return await standingObject(view, arrived.read(), this.#deps.context);
    } catch (error) {
      const isKnown = error instanceof Undecodable || error instanceof StatusError;
      if (!isKnown) throw error;
      this.#arrivals.skips.add({ reason: error.message, origin: nameOf(arrived) });
      return undefined;
    }
  }

  /** Retries when a concurrent write changes the object or takes its allocations. */
  async #put(view: ResourceView, key: string, object: KubeObject): Promise<void> {
    const { store, context } = this.#deps;
    const value = encodeStored(object, storedOrder(view.definition));
    this.#note(view, object);
    for (let tries = 1; ; tries++) {
      const live = store.get(key);
      const old = live && decodeStored(live);
      const claims = new WriteClaims(store, context);
      strategyOf(storageView(view.definition)).hold?.(object, old, claims);
      const isSame = old?.metadata.uid === object.metadata.uid;
      try {
        await Promise.all(
          commitsOf({ key, value, before: live?.modRevision, isSame, claims: claims.ops }).map((ops) =>
            store.commit(ops),
          ),
        );
        if (live !== undefined) this.#replaced++;
        return;
      } catch (error) {
        if (!isRace(error) || tries >= TRIES) throw error;
      }
    }
  }

  #note({ definition }: ResourceView, { metadata }: KubeObject): void {
    const { uid = "", namespace = "", ownerReferences = [] } = metadata;
    const resource = describeResource(definition);
    this.#counts.set(resource, (this.#counts.get(resource) ?? 0) + 1);
    this.#uids.add(uid);
    for (const owner of ownerReferences) this.#owners.set(owner.uid, { owner, namespace });
  }

  /** Owners that the garbage collector would not find. There can be as many as objects. */
  async #absentOwners(): Promise<OwnerReference[]> {
    const absent: OwnerReference[] = [];
    await inSlices(this.#owners.values(), ({ owner, namespace }) => {
      if (!this.#isOwnerThere(owner, namespace)) absent.push(owner);
    });
    return absent;
  }

  #isOwnerThere(owner: OwnerReference, namespace: string): boolean {
    const { store, registry } = this.#deps;
    const view = standingView(registry, owner);
    if (view === undefined || owner.name.includes("/")) return false;
    const inside = view.definition.namespaceScoped ? namespace : "";
    const live = store.get(objectKey(view.definition, inside, owner.name));
    return live !== undefined && decodeStored(live).metadata.uid === owner.uid;
  }

  async #makeNamespaces(names: readonly string[]): Promise<void> {
    const { registry, context } = this.#deps;
    const view = registry.findStorage("", "namespaces");
    if (view === undefined) return;
    for (const name of names) {
      const object = await standingObject(view, namespaceOf(name), context);
      await this.#put(view, objectKey(view.definition, "", name), object);
    }
  }

  #isThere(namespace: string): boolean {
    const { registry, store } = this.#deps;
    const view = registry.findStorage("", "namespaces");
    return view === undefined || store.get(objectKey(view.definition, "", namespace)) !== undefined;
  }
}

const nameOf = ({ kind, namespace, name }: Arrived): string =>
  `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`;

/** A namespace as the API server creates it from its name. */
const namespaceOf = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
  spec: { finalizers: ["kubernetes"] },
  status: { phase: "Active" },
});

interface Put {
  readonly key: string;
  readonly value: Uint8Array;
  /** The revision of the existing object; undefined: there is none. */
  readonly before: Revision | undefined;
  /** The existing object has the same uid. */
  readonly isSame: boolean;
  readonly claims: readonly TxnOp[];
}

/** A server never shows another object as MODIFIED: the old object is deleted at a revision of its own. */
function commitsOf({ key, value, before, isSame, claims }: Put): (readonly TxnOp[])[] {
  const others = claims.filter((op) => op.key !== key);
  if (before === undefined) return [[...others, { type: "create", key, value }]];
  if (isSame) return [[...others, { type: "update", key, value, ifModRevision: before }]];
  return [[{ type: "delete", key, ifModRevision: before }], [...others, { type: "create", key, value }]];
}

const isRace = (error: unknown): boolean =>
  error instanceof StoreError && (error.code === "KEY_EXISTS" || error.code === "REVISION_MISMATCH");
