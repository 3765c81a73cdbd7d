// The releases that can be emulated, and the platforms of a cluster.

/** Emulated releases: they determine the served kinds and the behavior of controllers. */
export const PROFILES = ["ovn-kubernetes-2026", "openshift-4.13"] as const;
export type Profile = (typeof PROFILES)[number];

export const PLATFORMS = ["none", "aws", "gcp", "azure", "openstack"] as const;
export type Platform = (typeof PLATFORMS)[number];
