// CRD controllers: accept names, set Established, serve the kinds of the CustomResourceDefinitions in the store, and
// clean up deleted ones. Level-triggered: each pass reconciles all CRDs.

import { cloneJson, equalJson, isObject, objectAt } from "../../apimachinery/json/json.ts";
import type { Clock } from "../../apimachinery/meta/clock.ts";
import type { Ids } from "../../apimachinery/meta/ids.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { StatusError } from "../../apimachinery/meta/status.ts";
import type { KeyRange, KeyValue, Store, StoreWatch } from "../../storage/store.ts";
import { decodeStored } from "../registry/codec/object-codec.ts";
import { conformObject } from "../registry/codec/object-decoder.ts";
import { decodeInVersion } from "../registry/codec/versions.ts";
import { definitionFromCrd } from "../registry/custom-resource.ts";
import type { RequestContext } from "../registry/definition/request-context.ts";
import type { ResourceDefinition, ResourceView } from "../registry/definition/resource-definition.ts";
import { collectionRange, objectKey } from "../registry/definition/view.ts";
import type { ResourceStore } from "../registry/resource-store.ts";
import type { PostWebhook } from "../registry/webhook.ts";
import { CrdCleanup } from "./cleanup.ts";
import { isEstablished } from "./conditions.ts";
import { statusWithNames } from "./names.ts";
import { unservableReason } from "./validation/servable.ts";
import { trustSchemas } from "./validation/spec-form.ts";
import { callWebhook } from "./webhook-call.ts";
import { type WebhookConverterDeps, webhookConverter } from "./webhook-converter.ts";

const CRD_GROUP = "apiextensions.k8s.io";
const CRD_RESOURCE = "customresourcedefinitions";
/** Delay before the next pass over all CRDs after a failure. */
const RETRY_MS = 1000;

export interface CrdServerDeps {
  /** For reads; all writes go through `resources`. */
  readonly store: Store;
  readonly resources: ResourceStore;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Sends a request to a conversion webhook. */
  readonly post: PostWebhook;
  readonly onError: (error: unknown) => void;
  /** Called once for each stored CRD that is not served because of its names. */
  readonly onUnservable?: (name: string, reason: string) => void;
}

/** A stored CRD as the last pass read it. */
interface Seen {
  readonly kv: KeyValue;
  readonly crd: Readonly<KubeObject>;
  /** Reason why it is not served; undefined: it can be. */
  readonly unservable: string | undefined;
  /** Reconciled: the CRD has all of its names and is served. A pass skips it until it changes. */
  isAtRest: boolean;
}

interface Served {
  readonly definition: ResourceDefinition;
  /** Spec and accepted names that the definition was built from. */
  readonly madeFrom: readonly unknown[];
}

export class CrdServer {
  readonly #deps: CrdServerDeps;
  readonly #view: ResourceView;
  readonly #range: KeyRange;
  readonly #context: RequestContext;
  readonly #webhooks: WebhookConverterDeps;
  readonly #closing = new AbortController();
  /** Served definitions by CRD name. */
  readonly #served = new Map<string, Served>();
  /** CRDs of the last pass by key: a pass decodes only changed ones. */
  #seen: ReadonlyMap<string, Seen> = new Map();
  #watch: StoreWatch | undefined;
  #life: Life;
  #last: Promise<void> = Promise.resolve();

  constructor(deps: CrdServerDeps) {
    this.#deps = deps;
    const view = deps.resources.registry.findStorage(CRD_GROUP, CRD_RESOURCE);
    if (view === undefined) throw new Error("CustomResourceDefinition itself is not served");
    this.#view = view;
    this.#range = collectionRange(view.definition, "");
    const { clock, ids } = deps;
    const user = { name: "system:apiserver", groups: ["system:masters"] };
    this.#context = { user, fieldManager: "kube-apiserver", dryRun: false, clock, ids, warn: () => {} };
    this.#webhooks = { ids, call: (target, body) => callWebhook(target, body, deps) };
    this.#life = this.#begin();
  }

  /**
   * Aborts pending writes and suspends writes while the store's state is replaced. The returned function resumes them;
   * the next pass reconciles everything.
   */
  hold(): () => void {
    this.#life.over.abort(new Interrupted());
    return () => {
      this.#life = this.#begin();
    };
  }

  #begin(): Life {
    const { store, resources: all, onError } = this.#deps;
    const over = new AbortController();
    const resources = all.until(over.signal);
    const cleanup = new CrdCleanup({
      store,
      resources,
      context: this.#context,
      signal: AbortSignal.any([this.#closing.signal, over.signal]),
      onError,
      isBeingDeleted: (crd) => this.#isBeingDeleted(crd),
      writeStatus: (crd, change) => this.#change(resources, crd, "status", change),
    });
    return { over, resources, cleanup };
  }

  /**
   * Ensures that these CRDs exist, serves all stored ones, and reconciles until close(). Shipped CRDs are trusted; the
   * others are validated like those of clients.
   */
  async start(shipped: readonly KubeObject[], others: readonly KubeObject[] = []): Promise<void> {
    const { store } = this.#deps;
    await Promise.all(shipped.map((manifest) => this.#ensure(manifest, true)));
    await Promise.all(others.map((manifest) => this.#ensure(manifest, false)));
    this.#watch = store.watch(this.#range, { after: store.revision });
    await this.#pass();
    void this.#follow();
  }

  /** Resolves once all stored CRDs have their names and their kinds are served, as far as possible. */
  async settled(): Promise<void> {
    let before: string;
    do {
      before = this.#marks();
      await this.#pass();
    } while (this.#marks() !== before && !this.#closing.signal.aborted);
  }

  /** Names of the stored CRDs that cannot be served, with the reason. */
  get unservable(): ReadonlyMap<string, string> {
    const found = [...this.#seen.values()].filter(({ unservable }) => unservable !== undefined);
    return new Map(found.map(({ crd, unservable = "" }) => [crd.metadata.name ?? "", unservable]));
  }

  close(): void {
    this.#closing.abort();
    this.#watch?.close();
  }

  async #follow(): Promise<void> {
    const { store, clock, onError } = this.#deps;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        while ((await this.#watch?.next()) !== undefined) await this.#pass();
        return;
      } catch (error) {
        onError(error);
        await clock.sleep(RETRY_MS, signal).catch(() => {});
        if (signal.aborted) return;
        this.#watch = store.watch(this.#range, { after: store.revision });
        await this.#pass().catch(onError);
      }
    }
  }

  /** Fingerprint of all CRDs: changes with each of them. */
  #marks(): string {
    const { items } = this.#deps.store.list(this.#range);
    return items.map(({ key, modRevision }) => `${key}@${modRevision}`).join();
  }

  /** Passes run one after the other, so that no two assign the same name. */
  #pass(): Promise<void> {
    const run = () => this.#look();
    this.#last = this.#last.then(run, run);
    return this.#last;
  }

  /** Reconciles all CRDs, the oldest first. */
  async #look(): Promise<void> {
    const { resources, cleanup } = this.#life;
    const items = [...this.#deps.store.list(this.#range).items];
    items.sort((a, b) => a.createRevision - b.createRevision);
    const seen = items.map((kv) => this.#see(kv));
    this.#seen = new Map(seen.map((one) => [one.kv.key, one]));
    const crds = seen.flatMap(({ crd, unservable }) => (unservable === undefined ? [crd] : []));
    const known = new Set(crds.map((crd) => crd.metadata.name));
    for (const name of [...this.#served.keys()]) if (!known.has(name)) this.#stopServing(name);
    // Names are assigned sequentially; only the writes run concurrently.
    const work = seen.flatMap((one) => {
      const { crd, isAtRest, unservable } = one;
      if (isAtRest) return [];
      if (unservable !== undefined) {
        if (crd.metadata.deletionTimestamp) cleanup.begin(crd);
        return [];
      }
      if (crd.metadata.deletionTimestamp) return [() => this.#settleDeleted(crd, cleanup)];
      const { status, hasConflict } = statusWithNames(crd, crds, this.#deps.clock.now());
      const current = { ...crd, status };
      crds[crds.indexOf(crd)] = current;
      const isChanged = status !== crd["status"];
      return [
        async () => {
          await this.#settle(current, isChanged ? resources : undefined);
          one.isAtRest = !isChanged && !hasConflict;
        },
      ];
    });
    await Promise.all(work.map((step) => step().catch((error: unknown) => this.#report(error))));
  }

  #see(kv: KeyValue): Seen {
    const before = this.#seen.get(kv.key);
    if (before?.kv === kv) return before;
    const object = decodeStored(kv);
    const { managedFields: _managedFields, ...metadata } = object.metadata; // as large as the rest, and not used
    const unservable = unservableReason(object);
    const { name = "" } = metadata;
    if (unservable !== undefined && before?.unservable !== unservable)
      this.#deps.onUnservable?.(name, unservable);
    return { kv, crd: { ...object, metadata }, unservable, isAtRest: false };
  }

  /** Serves an established CRD. `changed`, if given, first writes its new status. */
  async #settle(crd: Readonly<KubeObject>, changed: ResourceStore | undefined): Promise<void> {
    if (changed) {
      const { acceptedNames, conditions } = objectAt(crd, "status") ?? {};
      await this.#change(changed, crd, "status", (next) => {
        next["status"] = { ...objectAt(next, "status"), acceptedNames, conditions: cloneJson(conditions) };
      });
    }
    if (isEstablished(crd)) this.#serve(crd);
  }

  /** A CRD under deletion is served until it is removed, because clients may have to remove finalizers of its objects. */
  async #settleDeleted(crd: Readonly<KubeObject>, cleanup: CrdCleanup): Promise<void> {
    if (isEstablished(crd)) this.#serve(crd);
    cleanup.begin(crd);
  }

  #serve(crd: Readonly<KubeObject>): void {
    const { registry } = this.#deps.resources;
    const name = crd.metadata.name ?? "";
    const madeFrom = [crd["spec"], objectAt(crd, "status")?.["acceptedNames"]];
    const terminating = crd.metadata.deletionTimestamp !== undefined;
    const known = this.#served.get(name);
    const same = known !== undefined && equalJson(known.madeFrom, madeFrom);
    if (same && known.definition.terminating === terminating) return;
    // Open watches continue as long as the version objects stay the same. The converter module is loaded for CRDs with a
    // conversion webhook only.
    const { strategy } = objectAt(objectAt(crd, "spec"), "conversion") ?? {};
    const converter = same || strategy !== "Webhook" ? undefined : webhookConverter(crd, this.#webhooks);
    const made = same ? known.definition : { ...definitionFromCrd(crd), ...(converter ? { converter } : {}) };
    const definition = { ...made, terminating };
    this.#served.set(name, { definition, madeFrom });
    registry.set(definition);
  }

  #stopServing(name: string): void {
    const served = this.#served.get(name);
    if (served === undefined) return;
    this.#served.delete(name);
    const { group, resource } = served.definition;
    this.#deps.resources.registry.remove(group, resource);
  }

  #isBeingDeleted({ metadata: { name = "", uid } }: Readonly<KubeObject>): boolean {
    const kv = this.#deps.store.get(objectKey(this.#view.definition, "", name));
    const live = kv && decodeStored(kv).metadata;
    return live?.uid === uid && live?.deletionTimestamp !== undefined;
  }

  /** Updates a CRD with retries on conflict. Rejects with 404, and with 409 if its uid differs. */
  async #change(
    resources: ResourceStore,
    crd: Readonly<KubeObject>,
    subresource: string,
    change: (next: KubeObject) => void,
  ): Promise<void> {
    const { name = "", uid } = crd.metadata;
    const address = { view: this.#view, namespace: "", name };
    for (;;) {
      const kv = resources.get(address);
      const object: KubeObject = cloneJson(decodeInVersion(this.#view, kv));
      if (uid !== undefined) object.metadata.uid = uid; // precondition: the same uid
      change(object);
      try {
        const decoded = { object, findings: [] };
        await resources.update({ address, subresource, decoded, context: this.#context });
        return;
      } catch (error) {
        const isRace = error instanceof StatusError && error.code === 409;
        if (!isRace || resources.find(address)?.modRevision === kv.modRevision) throw error;
      }
    }
  }

  /** Creates a required CRD, or updates its spec. */
  async #ensure(manifest: KubeObject, trusted: boolean): Promise<void> {
    const { resources } = this.#deps;
    const { object } = conformObject(this.#view, cloneJson(manifest));
    const name = object.metadata.name ?? "";
    if (this.#deps.store.unreadable.get(objectKey(this.#view.definition, "", name)) !== undefined) return;
    if (trusted && isObject(object["spec"])) trustSchemas(object["spec"]);
    try {
      const live = decodeStored(resources.get({ view: this.#view, namespace: "", name }));
      if (equalJson(live["spec"], object["spec"]) || live.metadata.deletionTimestamp) return;
      await this.#change(resources, live, "", (next) => {
        next["spec"] = object["spec"];
      });
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 404) throw error;
      const decoded = { object, findings: [] };
      await unlessThere(
        resources.create({ view: this.#view, namespace: "", decoded, context: this.#context }),
      );
    }
  }

  /** A CRD that was deleted or recreated meanwhile is no failure: the next pass reconciles it. */
  #report(error: unknown): void {
    if (error instanceof Interrupted) return;
    if (error instanceof StatusError && (error.code === 404 || error.code === 409)) return;
    this.#deps.onError(error);
  }
}

/** Another server on the same store may have created the CRD first. */
async function unlessThere(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== "AlreadyExists") throw error;
  }
}

class Interrupted extends Error {}

/** Background work between two replacements of the store's state. */
interface Life {
  readonly over: AbortController;
  readonly resources: ResourceStore;
  readonly cleanup: CrdCleanup;
}
