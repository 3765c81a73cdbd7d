// The objects that special transports depend on. They are followed only where the transport is allowed at all.
import type { ResourceName } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { informerFor } from "../kit/informers.ts";
import type { ControllerDeps } from "../runtime/controller.ts";
import type { NetworkFeatures } from "./features.ts";
import type { NetworkSpec } from "./network-spec.ts";
import { vtepOf } from "./transport.ts";

const VTEPS: ResourceName = { group: "k8s.ovn.org", version: "v1", resource: "vteps" };
const ROUTE_ADVERTISEMENTS: ResourceName = {
  group: "k8s.ovn.org",
  version: "v1",
  resource: "routeadvertisements",
};

export class TransportWorld {
  readonly informers: readonly Informer[];
  readonly #vteps: Informer | undefined;
  readonly #routeAdvertisements: Informer | undefined;

  constructor(deps: ControllerDeps, controller: string, features: NetworkFeatures, onChange: () => void) {
    this.#vteps = features.evpn ? informerFor(deps, controller, VTEPS) : undefined;
    this.#routeAdvertisements = features.routeAdvertisements
      ? informerFor(deps, controller, ROUTE_ADVERTISEMENTS)
      : undefined;
    this.informers = [this.#vteps, this.#routeAdvertisements].filter((informer) => informer !== undefined);
    for (const informer of this.informers) {
      informer.addHandlers({ add: onChange, update: onChange, delete: onChange });
    }
  }

  /** The VTEP that the network goes over. */
  vtep(spec: NetworkSpec): KubeObject | undefined {
    const name = vtepOf(spec);
    return name === undefined ? undefined : this.#vteps?.get(name);
  }

  routeAdvertisements(): KubeObject[] {
    return [...(this.#routeAdvertisements?.list() ?? [])];
  }
}
