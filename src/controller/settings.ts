// The command line settings of all controllers in one object. Each controller reads those that it needs.

import type { Platform, Profile } from "./emulated-release.ts";

export const CLOUDS = ["internal", "external"] as const;

export const ZONES = ["internal", "external"] as const;

/** The optional features that user-defined networks may be allowed to use. */
export const NETWORK_FEATURES = [
  "persistent-ips",
  "preconfigured-addresses",
  "route-advertisements",
  "evpn",
  "uplinks",
] as const;
export type NetworkFeature = (typeof NETWORK_FEATURES)[number];

export interface ControllerSettings {
  readonly profile: Profile;
  /** The platform of the cluster. On a cloud, egress addresses are requested through CloudPrivateIPConfigs. */
  readonly platform: Platform;
  /** The implementation of the cloud: Egret (internal) or another program (external). */
  readonly cloud: (typeof CLOUDS)[number];
  /**
   * The implementation of the agents on the nodes, which report on rules: Egret (internal) or another program
   * (external).
   */
  readonly zones: (typeof ZONES)[number];
  /** The pod networks, each with the prefix length of a node's subnet: "10.128.0.0/14/23,fd01::/48/64". */
  readonly clusterSubnets: string;
  /** The networks of Services: "10.96.0.0/16,fd00:10:96::/112". */
  readonly serviceClusterIpRange?: string;
  /** The optional features that user-defined networks may use. Omitted: none. */
  readonly networkFeatures?: readonly NetworkFeature[];
  /** Events carry the uid and apiVersion of their object also where ovn-kubernetes omits them. */
  readonly eventUids?: boolean;
}

export const DEFAULT_SETTINGS: ControllerSettings = {
  profile: "ovn-kubernetes-2026",
  platform: "none",
  cloud: "internal",
  zones: "internal",
  clusterSubnets: "10.128.0.0/14/23,fd01::/48/64",
};

/** OpenShift 4.13 lacks the kinds of the controllers that check this, or handles them differently. */
export const isNewest = ({ profile }: ControllerSettings): boolean => profile !== "openshift-4.13";
