// The EndpointSlices of one controller, by the name that they say they are of. What the controller writes is known
// here at once: it must not make a slice a second time only because the watch has not told of the first.

import type { Client } from "../../client/client.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { byName, ENDPOINT_SLICES, ignoring, isGoing } from "../kit/api.ts";
import type { Change, Keys, Watch } from "../kit/definition.ts";
import { NestedMap } from "../kit/nested-map.ts";

export const SERVICE_NAME = "kubernetes.io/service-name";
export const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";

interface Keeping {
  readonly memory: { readonly slices: SliceCache };
}

/** The slices of that controller, which has them in its memory: what others do to them leads to the keys of their Services. */
export const slicesOf = (controller: string): Watch<Keeping> => ({
  resource: ENDPOINT_SLICES,
  list: { labelSelector: `${MANAGED_BY}=${controller}` },
  take: (change, { memory }) => memory.slices.observe(change),
});

export class SliceCache {
  readonly #client: Client;
  /** By key of the Service and uid. */
  readonly #slices = new NestedMap<KubeObject>();
  /** The uids of slices that were deleted here while the watch has not told of it. */
  readonly #deleted = new Set<string>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Takes in what the watch tells; answers with whom it concerns, if it is news. */
  observe({ type, object: slice, old }: Change): Keys {
    const { uid = "" } = slice.metadata;
    if (type === "delete") {
      this.#deleted.delete(uid);
      return this.#drop(slice) ? [keyOf(slice)] : [];
    }
    const left = old && keyOf(old) !== keyOf(slice) && this.#drop(old) ? [keyOf(old)] : [];
    const isNews = !this.#deleted.has(uid) && this.#set(slice);
    return isNews ? [...left, keyOf(slice)] : left;
  }

  /** The slices that are there and stay, by name. */
  of(key: string): KubeObject[] {
    const slices = [...this.#slices.of(key).values()];
    return slices.filter((slice) => !isGoing(slice)).sort(byName);
  }

  async create(slice: KubeObject): Promise<void> {
    this.#set(await this.#client.create(ENDPOINT_SLICES, slice));
  }

  async update(slice: KubeObject): Promise<void> {
    this.#set(await this.#client.update(ENDPOINT_SLICES, slice));
  }

  async delete(slice: KubeObject): Promise<void> {
    const { namespace = "", name = "", uid = "" } = slice.metadata;
    // It may have gone, or be another one.
    await ignoring([404, 409], this.#client.delete(ENDPOINT_SLICES, { namespace, name }, { uid }));
    if (this.#drop(slice)) this.#deleted.add(uid);
  }

  /** False: it is known already in this version or a later one. */
  #set(slice: KubeObject): boolean {
    const key = keyOf(slice);
    const { uid = "" } = slice.metadata;
    const known = this.#slices.of(key).get(uid);
    if (known && versionOf(known) >= versionOf(slice)) return false;
    this.#slices.set(key, uid, slice);
    return true;
  }

  #drop(slice: KubeObject): boolean {
    return this.#slices.delete(keyOf(slice), slice.metadata.uid ?? "");
  }
}

const keyOf = ({ metadata: { namespace = "", labels } }: KubeObject): string =>
  `${namespace}/${labels?.[SERVICE_NAME] ?? ""}`;

/** Versions of one object can be compared (KEP-5504). */
const versionOf = ({ metadata }: KubeObject): bigint => BigInt(metadata.resourceVersion ?? "0");
