// Allocated node ports in the store, for the repair controller. Services allocate and release ports themselves.
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { isPortIn, type PortRange, portRangeText } from "../apimachinery/meta/port-range.ts";
import { toRevision } from "../apimachinery/meta/revision.ts";
import { objectKey } from "../apiserver/registry/definition/view.ts";
import { specOf } from "../apiserver/registry/strategy/fields.ts";
import { heldPorts } from "../kube/core/service/allocation.ts";
import { ALLOCATED_PORTS, keyOfPort } from "../kube/core/service/allocator.ts";
import { services } from "../kube/core/services.ts";
import { type FencingToken, prefixRange, type Store, StoreError, type TxnOp } from "../storage/store.ts";

export class NodePortAllocations {
  readonly #store: Store;
  readonly #ports: PortRange;
  readonly #fencingToken: () => FencingToken | undefined;

  /** `fencingToken` returns the fencing token of the leader. */
  constructor(
    store: Store,
    ports: PortRange,
    fencingToken: () => FencingToken | undefined = () => undefined,
  ) {
    this.#store = store;
    this.#ports = ports;
    this.#fencingToken = fencingToken;
  }

  /** "30000-32767" */
  get range(): string {
    return portRangeText(this.#ports);
  }

  isInRange(port: number): boolean {
    return isPortIn(this.#ports, port);
  }

  /** Returns the allocated ports after catching up with the store, so that no earlier allocation is missing. */
  async taken(): Promise<number[]> {
    await this.#store.caughtUp();
    const { items } = this.#store.list(prefixRange(ALLOCATED_PORTS));
    return items.map(({ key }) => Number(key.slice(ALLOCATED_PORTS.length)));
  }

  readonly portsOf = (service: Readonly<KubeObject>): number[] => [...new Set(heldPorts(specOf(service)))];

  /**
   * Allocates a port for a Service. False: the Service has changed since it was read, or the port is allocated
   * already.
   */
  take(port: number, { metadata }: Readonly<KubeObject>): Promise<boolean> {
    const { namespace = "", name = "", resourceVersion } = metadata;
    const op: TxnOp = { type: "create", key: keyOfPort(port), value: Buffer.from(`${namespace}/${name}`) };
    const modRevision = toRevision(Number(resourceVersion));
    return this.#committed(op, { key: objectKey(services, namespace, name), modRevision });
  }

  /** Releases a port. False: it is not allocated, or has changed concurrently. */
  async giveBack(port: number): Promise<boolean> {
    const present = this.#store.get(keyOfPort(port));
    if (present === undefined) return false;
    return this.#committed(
      { type: "delete", key: present.key, ifModRevision: present.modRevision },
      this.#fencingToken(),
    );
  }

  async #committed(op: TxnOp, fencingToken: FencingToken | undefined): Promise<boolean> {
    try {
      await this.#store.commit([op], fencingToken);
      return true;
    } catch (error) {
      const isPast =
        error instanceof StoreError && ["KEY_EXISTS", "REVISION_MISMATCH", "GUARDED"].includes(error.code);
      if (isPast) return false;
      throw error;
    }
  }
}
