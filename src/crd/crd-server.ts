// Keeps what is served in step with the CustomResourceDefinitions in the store: names are accepted, kinds are
// established and served, and a deleted definition takes its objects and paths with it. Level-triggered: each pass
// looks at all definitions and does what is left to do.
import type { Clock } from "../meta/clock.ts";
import type { Ids } from "../meta/ids.ts";
import { cloneJson, equalJson, isObject, objectAt } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { StatusError } from "../meta/status.ts";
import { decodeStored } from "../registry/codec/object-codec.ts";
import { conformObject } from "../registry/codec/object-decoder.ts";
import { decodeInVersion } from "../registry/codec/versions.ts";
import { definitionFromCrd } from "../registry/custom-resource.ts";
import type { RequestContext } from "../registry/definition/request-context.ts";
import type { ResourceDefinition, ResourceView } from "../registry/definition/resource-definition.ts";
import { collectionRange, objectKey } from "../registry/definition/view.ts";
import type { ResourceStore } from "../registry/resource-store.ts";
import type { PostWebhook } from "../registry/webhook.ts";
import { isEstablished } from "../resources/apiextensions.k8s.io/conditions.ts";
import { unservableReason } from "../resources/apiextensions.k8s.io/validation/servable.ts";
import { trustSchemas } from "../resources/apiextensions.k8s.io/validation/spec-form.ts";
import type { KeyRange, KeyValue, Store, StoreWatch } from "../storage/store.ts";
import { CrdCleanup } from "./cleanup.ts";
import { statusWithNames } from "./names.ts";
import { callWebhook } from "./webhook-call.ts";
import { type WebhookConverterDeps, webhookConverter } from "./webhook-converter.ts";

const CRD_GROUP = "apiextensions.k8s.io";
const CRD_RESOURCE = "customresourcedefinitions";
/** After a failure all definitions are looked at again so much later. */
const RETRY_MS = 1000;

export interface CrdServerDeps {
  /** To look at; all writes go through the resources. */
  readonly store: Store;
  readonly resources: ResourceStore;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Sends a request to a conversion webhook. */
  readonly post: PostWebhook;
  readonly onError: (error: unknown) => void;
  /** Called once for each definition that is in the store and is not served because of its names. */
  readonly onUnservable?: (name: string, reason: string) => void;
}

/** A definition as it was found in the store. */
interface Seen {
  readonly kv: KeyValue;
  readonly crd: Readonly<KubeObject>;
  /** Why it is not served; undefined: it can be. */
  readonly unservable: string | undefined;
  /** There is nothing to do for it as long as it stays as it is: it has all of its names, and is served. */
  isAtRest: boolean;
}

interface Served {
  readonly definition: ResourceDefinition;
  /** The spec and the accepted names that it was made from. */
  readonly madeFrom: readonly unknown[];
}

export class CrdServer {
  readonly #deps: CrdServerDeps;
  readonly #view: ResourceView;
  readonly #range: KeyRange;
  readonly #context: RequestContext;
  readonly #webhooks: WebhookConverterDeps;
  readonly #closing = new AbortController();
  /** What is served now, by the CRD's name. */
  readonly #served = new Map<string, Served>();
  /** What the last pass has seen, by the CRD's key: a pass decodes what has changed alone. */
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
   * For an exchange of the state: what is under way is never written, and nothing is written until the function is called
   * that it returns. The next pass does what is left.
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
   * Makes sure that these definitions exist, serves all there are, and goes on doing so until close(). Those that come
   * with the server are taken as sound; the others are checked like any that a client writes.
   */
  async start(shipped: readonly KubeObject[], others: readonly KubeObject[] = []): Promise<void> {
    const { store } = this.#deps;
    await Promise.all(shipped.map((manifest) => this.#ensure(manifest, true)));
    await Promise.all(others.map((manifest) => this.#ensure(manifest, false)));
    this.#watch = store.watch(this.#range, { after: store.revision });
    await this.#pass();
    void this.#follow();
  }

  /** Resolves once all definitions that are there have their names and their kinds are served, as far as they can be. */
  async settled(): Promise<void> {
    let before: string;
    do {
      before = this.#marks();
      await this.#pass();
    } while (this.#marks() !== before && !this.#closing.signal.aborted);
  }

  /** The names of the definitions in the store that cannot be served, with the reason. */
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

  /** Changes with every change of a definition. */
  #marks(): string {
    const { items } = this.#deps.store.list(this.#range);
    return items.map(({ key, modRevision }) => `${key}@${modRevision}`).join();
  }

  /** Passes come one after the other, so that no two give out the same name. */
  #pass(): Promise<void> {
    const run = () => this.#look();
    this.#last = this.#last.then(run, run);
    return this.#last;
  }

  /** One look at all definitions, the oldest first. */
  async #look(): Promise<void> {
    const { resources, cleanup } = this.#life;
    const items = [...this.#deps.store.list(this.#range).items];
    items.sort((a, b) => a.createRevision - b.createRevision);
    const seen = items.map((kv) => this.#see(kv));
    this.#seen = new Map(seen.map((one) => [one.kv.key, one]));
    const crds = seen.flatMap(({ crd, unservable }) => (unservable === undefined ? [crd] : []));
    const known = new Set(crds.map((crd) => crd.metadata.name));
    for (const name of [...this.#served.keys()]) if (!known.has(name)) this.#stopServing(name);
    // Names are given out one after the other; only the writing is done at once.
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
    const { managedFields: _managedFields, ...metadata } = object.metadata; // as large as the rest, and not asked for
    const unservable = unservableReason(object);
    const { name = "" } = metadata;
    if (unservable !== undefined && before?.unservable !== unservable)
      this.#deps.onUnservable?.(name, unservable);
    return { kv, crd: { ...object, metadata }, unservable, isAtRest: false };
  }

  /** With where its status is to be written, if it has changed. */
  async #settle(crd: Readonly<KubeObject>, changed: ResourceStore | undefined): Promise<void> {
    if (changed) {
      const { acceptedNames, conditions } = objectAt(crd, "status") ?? {};
      await this.#change(changed, crd, "status", (next) => {
        next["status"] = { ...objectAt(next, "status"), acceptedNames, conditions: cloneJson(conditions) };
      });
    }
    if (isEstablished(crd)) this.#serve(crd);
  }

  /** Until it is gone a deleted definition is served: clients may have to let its objects go. */
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
    // Who watches objects keeps on doing so as long as their versions stay the same ones.
    // The converter is loaded where a definition names a webhook.
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

  /** Changes a definition as it is now, however often others are faster. Rejects with 404, and 409 if it is another one. */
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
      if (uid !== undefined) object.metadata.uid = uid; // another one of that name is not meant
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

  /** Creates a definition that has to be there, or brings its spec up to date. */
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

  /** That a definition has gone or was made anew in the meantime is no failure: the next pass sees it. */
  #report(error: unknown): void {
    if (error instanceof Interrupted) return;
    if (error instanceof StatusError && (error.code === 404 || error.code === 409)) return;
    this.#deps.onError(error);
  }
}

/** Another server on the same store may have been faster. */
async function unlessThere(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== "AlreadyExists") throw error;
  }
}

class Interrupted extends Error {}

/** What is done by itself, from one exchange of the state to the next. */
interface Life {
  readonly over: AbortController;
  readonly resources: ResourceStore;
  readonly cleanup: CrdCleanup;
}
