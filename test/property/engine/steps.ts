// Changes of a cluster, as data: a failing sequence can be written, read and replayed.

import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import type { ResourceName } from "../../../src/controller/client.ts";
import type { Profile } from "../../../src/controller/emulated-release.ts";

const core = (resource: string): ResourceName => ({ group: "", version: "v1", resource });
const ovn = (resource: string): ResourceName => ({ group: "k8s.ovn.org", version: "v1", resource });

export const RESOURCES = {
  nodes: core("nodes"),
  egressips: ovn("egressips"),
  services: core("services"),
  endpointslices: { group: "discovery.k8s.io", version: "v1", resource: "endpointslices" },
  egressservices: ovn("egressservices"),
  cloudprivateipconfigs: {
    group: "cloud.network.openshift.io",
    version: "v1",
    resource: "cloudprivateipconfigs",
  },
} satisfies Record<string, ResourceName>;

export type Resource = keyof typeof RESOURCES;

/** The namespace of all namespaced objects. */
export const NAMESPACE = "default";

export const keyOf = (resource: Resource, name: string) => ({
  namespace: ["services", "endpointslices", "egressservices"].includes(resource) ? NAMESPACE : "",
  name,
});

export const DISTURBANCES = [
  "settle",
  "breathe",
  "restart",
  "end watches",
  "lose history",
  "tell twice",
  "tell once",
  "release",
  "five seconds",
] as const;

export type Step =
  | { readonly do: "create"; readonly resource: Resource; readonly object: KubeObject }
  | {
      readonly do: "merge";
      readonly resource: Resource;
      readonly name: string;
      readonly body: unknown;
      readonly subresource?: "status";
    }
  | { readonly do: "delete"; readonly resource: Resource; readonly name: string }
  | { readonly do: "hold"; readonly resource: Resource }
  | { readonly do: (typeof DISTURBANCES)[number] };

/** A merge patch of an object, or of its status. */
export const merge = (resource: Resource, name: string, body: unknown, subresource?: "status"): Step => ({
  do: "merge",
  resource,
  name,
  body,
  ...(subresource ? { subresource } : {}),
});
/** The kind of cluster. */
export interface Setting {
  readonly cloud: boolean;
  readonly profile: Profile;
}

/** A sequence and the kind of cluster to which it applies. */
export interface Story extends Setting {
  readonly steps: readonly Step[];
}
