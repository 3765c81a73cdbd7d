// What the command line says to the controllers, in one object from which each takes what concerns it.

import type { Platform, Profile } from "../../verdict/snapshot.ts";

export const CLOUDS = ["internal", "external"] as const;

export const ZONES = ["internal", "external"] as const;

/** What user-defined networks can be allowed to ask for. */
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
  /** Where the cluster stands: on a cloud, egress addresses are asked of the cloud. */
  readonly platform: Platform;
  /** Who plays the cloud: Egret itself, or somebody outside. */
  readonly cloud: (typeof CLOUDS)[number];
  /** Who plays the agents on the nodes, which report on rules: Egret itself, or somebody outside. */
  readonly zones: (typeof ZONES)[number];
  /** The networks of pods, each with the prefix length of a node's part: "10.128.0.0/14/23,fd01::/48/64". */
  readonly clusterSubnets: string;
  /** The networks of Services: "10.96.0.0/16,fd00:10:96::/112". */
  readonly serviceClusterIpRange?: string;
  /** What user-defined networks may ask for beyond the usual; nothing unless said. */
  readonly networkFeatures?: readonly NetworkFeature[];
  /** Events name their object with its uid and apiVersion also where ovn-kubernetes leaves these out. */
  readonly eventUids?: boolean;
}

export const DEFAULT_SETTINGS: ControllerSettings = {
  profile: "ovn-kubernetes-2026",
  platform: "none",
  cloud: "internal",
  zones: "internal",
  clusterSubnets: "10.128.0.0/14/23,fd01::/48/64",
};

/** OpenShift 4.13 had none of the kinds of the controllers that want this, or did their work otherwise. */
export const isNewest = ({ profile }: ControllerSettings): boolean => profile !== "openshift-4.13";
