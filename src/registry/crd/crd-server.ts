// Keeps what is served in step with the CustomResourceDefinitions in the store: names are accepted, kinds are
// established and served, and a deleted definition takes its objects and paths with it. Level-triggered: each pass
// looks at all definitions and does what is left to do.
import { type Clock, formatTime } from "../../meta/clock.ts";
import type { Ids } from "../../meta/ids.ts";
import { cloneJson, equalJson, type JsonObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { StatusError } from "../../meta/status.ts";
import type { StoreWatch } from "../../storage/store.ts";
import { definitionFromCrd } from "../custom-resource.ts";
import { collectionRange } from "../keys.ts";
import { trackCreate, trackWrite } from "../managed-fields.ts";
import { decodeStored } from "../object-codec.ts";
import { conformObject } from "../object-decoder.ts";
import type { RequestContext } from "../request-context.ts";
import type { ResourceView } from "../resource-definition.ts";
import { storageView, strategyOf } from "../resource-registry.ts";
import type { ResourceStore } from "../resource-store.ts";
import type { Strategy } from "../strategy.ts";
import { conditionsOf, isEstablished, setCondition, statusWithNames } from "./names.ts";

export const CRD_GROUP = "apiextensions.k8s.io";
export const CRD_RESOURCE = "customresourcedefinitions";
export const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

/** Objects with finalizers of their own hold a definition; they are looked at again after this. */
const CLEANUP_RETRY_MS = 250;

export interface CrdServerDeps {
  readonly resources: ResourceStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly onError: (error: unknown) => void;
}

export class CrdServer {
  readonly #deps: CrdServerDeps;
  readonly #view: ResourceView;
  readonly #context: RequestContext;
  /** What is served now, by the CRD's name, with the spec and names it was made from. */
  readonly #served = new Map<string, { crd: Readonly<KubeObject>; group: string; resource: string }>();
  #watch: StoreWatch | undefined;

  constructor(deps: CrdServerDeps) {
    this.#deps = deps;
    const view = deps.resources.deps.resources.findStorage(CRD_GROUP, CRD_RESOURCE);
    if (view === undefined) throw new Error("CustomResourceDefinition itself is not served");
    this.#view = view;
    const user = { name: "system:apiserver", groups: ["system:masters"] };
    this.#context = {
      user,
      fieldManager: "kube-apiserver",
      dryRun: false,
      clock: deps.clock,
      ids: deps.ids,
      warn: () => {},
    };
  }

  /** Makes sure that these definitions exist, serves all there are, and goes on doing so until close(). */
  async start(shipped: readonly KubeObject[]): Promise<void> {
    const { store } = this.#deps.resources.deps;
    await Promise.all(shipped.map((manifest) => this.#ensure(manifest)));
    this.#watch = store.watch(collectionRange(this.#view.definition, ""), { after: store.revision });
    await this.#pass();
    void this.#follow(this.#watch);
  }

  close(): void {
    this.#watch?.close();
  }

  async #follow(watch: StoreWatch): Promise<void> {
    try {
      while ((await watch.next()) !== undefined) await this.#pass();
    } catch (error) {
      this.#deps.onError(error);
    }
  }

  /** One look at all definitions, the oldest first. */
  async #pass(): Promise<void> {
    const { store } = this.#deps.resources.deps;
    const items = [...store.list(collectionRange(this.#view.definition, "")).items];
    items.sort((a, b) => a.createRevision - b.createRevision);
    const crds = items.map(decodeStored);
    const known = new Set(crds.map((crd) => crd.metadata.name));
    for (const name of [...this.#served.keys()]) if (!known.has(name)) this.#stopServing(name);
    // Names are given out one after the other; only the writing is done at once.
    const work = crds.map((crd, index) => {
      if (crd.metadata.deletionTimestamp) return () => this.#cleanUp(crd);
      const status = statusWithNames(crd, crds, this.#deps.clock.now());
      const current = { ...crd, status };
      crds[index] = current;
      return () => this.#settle(current, status !== crd["status"]);
    });
    await Promise.all(work.map((step) => step().catch((error: unknown) => this.#report(error))));
  }

  async #settle(crd: Readonly<KubeObject>, changed: boolean): Promise<void> {
    if (changed) await this.#writeStatus(crd);
    if (isEstablished(crd)) this.#serve(crd);
  }

  #serve(crd: Readonly<KubeObject>): void {
    const name = crd.metadata.name ?? "";
    const known = this.#served.get(name);
    if (known && equalJson(known.crd["spec"], crd["spec"]) && equalJson(known.crd["status"], crd["status"]))
      return;
    const definition = definitionFromCrd(crd);
    this.#served.set(name, { crd, group: definition.group, resource: definition.resource });
    this.#deps.resources.deps.resources.set(definition);
  }

  #stopServing(name: string): void {
    const served = this.#served.get(name);
    if (served === undefined) return;
    this.#served.delete(name);
    this.#deps.resources.deps.resources.remove(served.group, served.resource);
  }

  /** Deletes the objects of a definition that is going away, then lets it go. */
  async #cleanUp(crd: Readonly<KubeObject>): Promise<void> {
    if (!(crd.metadata.finalizers ?? []).includes(CLEANUP_FINALIZER)) return;
    const { resources, clock } = this.#deps;
    const view = storageView(definitionFromCrd(crd));
    const { items } = resources.deps.store.list(collectionRange(view.definition, ""));
    for (const kv of items) {
      const { name = "", namespace = "", deletionTimestamp } = decodeStored(kv).metadata;
      if (deletionTimestamp === undefined)
        await resources.delete({ view, namespace, name }, {}, this.#context).catch(ignoreGone);
    }
    if (resources.deps.store.count(collectionRange(view.definition, "")) > 0) {
      clock.after(CLEANUP_RETRY_MS, () => void this.#pass().catch((error: unknown) => this.#report(error)));
      return;
    }
    this.#stopServing(crd.metadata.name ?? "");
    await this.#update(crd, "", strategyOf(this.#view), (next) => {
      const finalizers = (next.metadata.finalizers ?? []).filter((item) => item !== CLEANUP_FINALIZER);
      if (finalizers.length > 0) next.metadata.finalizers = finalizers;
      else delete next.metadata.finalizers;
    }).catch(ignoreGone);
  }

  #writeStatus(crd: Readonly<KubeObject>): Promise<void> {
    return this.#update(crd, "status", this.#view.version.status ?? {}, (next) => {
      next["status"] = cloneJson(crd["status"]);
    });
  }

  async #update(
    crd: Readonly<KubeObject>,
    subresource: string,
    strategy: Strategy,
    change: (next: KubeObject) => void,
  ): Promise<void> {
    const context = this.#context;
    await this.#deps.resources.update({
      address: { view: this.#view, namespace: "", name: crd.metadata.name ?? "" },
      subresource,
      strategy,
      context,
      allowCreate: false,
      next: (live) => {
        const next: KubeObject = cloneJson(live ?? crd);
        change(next);
        return trackWrite(this.#view, { live, next, context, strategy, subresource });
      },
    });
  }

  /** Creates a shipped definition, or brings its spec up to date. */
  async #ensure(manifest: KubeObject): Promise<void> {
    const { resources } = this.#deps;
    const context = this.#context;
    const { object } = conformObject(this.#view, cloneJson(manifest));
    const name = object.metadata.name ?? "";
    try {
      const live = decodeStored(resources.get({ view: this.#view, namespace: "", name }));
      if (equalJson(live["spec"], object["spec"]) || live.metadata.deletionTimestamp) return;
      await this.#update(live, "", strategyOf(this.#view), (next) => {
        next["spec"] = object["spec"];
      });
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 404) throw error;
      await resources.create({
        view: this.#view,
        namespace: "",
        object,
        context,
        track: (next) => trackCreate(this.#view, next, context),
      });
    }
  }

  #report(error: unknown): void {
    if (error instanceof StatusError && error.code === 404) return;
    this.#deps.onError(error);
  }
}

/** Marks a definition whose deletion begins: the strategy's prepareForDelete. */
export function markTerminating(crd: KubeObject, nowMs: number): void {
  const conditions = conditionsOf(crd);
  const message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
  setCondition(
    conditions,
    { type: "Terminating", status: "True", reason: "InstanceDeletionPending", message },
    formatTime(nowMs),
  );
  const status = (crd["status"] ?? {}) as JsonObject; // the schema makes it an object
  crd["status"] = { ...status, conditions };
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof StatusError) || error.code !== 404) throw error;
}
