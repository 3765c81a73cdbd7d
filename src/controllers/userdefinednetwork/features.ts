// What the network controllers are allowed to do; off unless said, as in the cluster manager that was looked at.
import type { NetworkFeature } from "../kit/settings.ts";

export interface NetworkFeatures {
  /** ipam.lifecycle Persistent. */
  readonly persistentIps: boolean;
  /** reservedSubnets, infrastructureSubnets and defaultGatewayIPs reach the configuration. */
  readonly preconfiguredAddresses: boolean;
  readonly routeAdvertisements: boolean;
  readonly evpn: boolean;
  readonly uplinks: boolean;
}

export const NO_FEATURES: NetworkFeatures = {
  persistentIps: false,
  preconfiguredAddresses: false,
  routeAdvertisements: false,
  evpn: false,
  uplinks: false,
};

/** The features of these names. */
export const networkFeatures = (names: readonly NetworkFeature[] = []): NetworkFeatures => ({
  persistentIps: names.includes("persistent-ips"),
  preconfiguredAddresses: names.includes("preconfigured-addresses"),
  routeAdvertisements: names.includes("route-advertisements"),
  evpn: names.includes("evpn"),
  uplinks: names.includes("uplinks"),
});
