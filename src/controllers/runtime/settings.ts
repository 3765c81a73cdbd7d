// What the command line says to the controllers, in one object from which each takes what concerns it.

export const PLATFORMS = ["none", "aws", "gcp", "azure", "openstack"] as const;
export type Platform = (typeof PLATFORMS)[number];

export const CLOUDS = ["internal", "external"] as const;

export interface ControllerSettings {
  /** Where the cluster stands: on a cloud, egress addresses are asked of the cloud. */
  readonly platform: Platform;
  /** Who plays the cloud: Egret itself, or somebody outside. */
  readonly cloud: (typeof CLOUDS)[number];
}

export const DEFAULT_SETTINGS: ControllerSettings = { platform: "none", cloud: "internal" };
