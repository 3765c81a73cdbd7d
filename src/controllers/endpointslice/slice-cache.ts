// The EndpointSlices of one controller, by the name that they say they are of. What the controller writes is known
// here at once: it must not make a slice a second time only because the watch has not told of the first.
import type { Client, ResourceName } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { isReason } from "../runtime/api-errors.ts";

export const ENDPOINT_SLICES: ResourceName = {
  group: "discovery.k8s.io",
  version: "v1",
  resource: "endpointslices",
};
export const SERVICE_NAME = "kubernetes.io/service-name";
export const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";

export class SliceCache {
  readonly #client: Client;
  readonly #changed: (key: string) => void;
  /** Key of the Service → uid → slice. */
  readonly #slices = new Map<string, Map<string, KubeObject>>();
  /** The uids of slices that were deleted here while the watch has not told of it. */
  readonly #deleted = new Set<string>();

  /** The informer is to give the slices of this controller only; `changed` is told of what others do to them. */
  constructor(client: Client, informer: Informer, changed: (key: string) => void) {
    this.#client = client;
    this.#changed = changed;
    informer.addHandlers({
      add: (slice) => this.#observe(slice),
      update: (old, slice) => {
        if (keyOf(old) !== keyOf(slice) && this.#drop(old)) this.#changed(keyOf(old));
        this.#observe(slice);
      },
      delete: (slice) => {
        this.#deleted.delete(slice.metadata.uid ?? "");
        if (this.#drop(slice)) this.#changed(keyOf(slice));
      },
    });
  }

  /** The slices that are there and stay, by name. */
  of(key: string): KubeObject[] {
    const slices = [...(this.#slices.get(key)?.values() ?? [])];
    return slices
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
  }

  async create(slice: KubeObject): Promise<void> {
    this.#set(await this.#client.create(ENDPOINT_SLICES, slice));
  }

  async update(slice: KubeObject): Promise<void> {
    this.#set(await this.#client.update(ENDPOINT_SLICES, slice));
  }

  async delete(slice: KubeObject): Promise<void> {
    const { namespace = "", name = "", uid = "" } = slice.metadata;
    try {
      await this.#client.delete(ENDPOINT_SLICES, { namespace, name }, { uid });
    } catch (error) {
      if (!isReason(error, "NotFound") && !isReason(error, "Conflict")) throw error; // it has gone, or is another one
    }
    if (this.#drop(slice)) this.#deleted.add(uid);
  }

  #observe(slice: KubeObject): void {
    if (this.#deleted.has(slice.metadata.uid ?? "")) return;
    if (this.#set(slice)) this.#changed(keyOf(slice));
  }

  /** False: it is known already in this version or a later one. */
  #set(slice: KubeObject): boolean {
    const key = keyOf(slice);
    const { uid = "" } = slice.metadata;
    const slices = this.#slices.get(key) ?? new Map<string, KubeObject>();
    const known = slices.get(uid);
    if (known && versionOf(known) >= versionOf(slice)) return false;
    this.#slices.set(key, slices.set(uid, slice));
    return true;
  }

  #drop(slice: KubeObject): boolean {
    const key = keyOf(slice);
    const slices = this.#slices.get(key);
    const dropped = slices?.delete(slice.metadata.uid ?? "") ?? false;
    if (slices?.size === 0) this.#slices.delete(key);
    return dropped;
  }
}

const keyOf = ({ metadata: { namespace = "", labels } }: KubeObject): string =>
  `${namespace}/${labels?.[SERVICE_NAME] ?? ""}`;

/** Versions of one object can be compared (KEP-5504). */
const versionOf = ({ metadata }: KubeObject): bigint => BigInt(metadata.resourceVersion ?? "0");
