// A small cluster of Services, pods and nodes for the endpoint controllers.

import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import type { ResourceName } from "../../../../../src/controller/client.ts";
import { controllerDescriptors } from "../../../../../src/server/controller-list.ts";
import { ApiWorld, core, NODES } from "../../../../support/api-world.ts";

export const SERVICES = core("services");
export const PODS = core("pods");
export const ENDPOINTS = core("endpoints");
export const SLICES: ResourceName = { group: "discovery.k8s.io", version: "v1", resource: "endpointslices" };

export const inA = (name: string) => ({ namespace: "a", name });

/** A world in which the controllers of these names work. */
export const openWorld = (...names: string[]): Promise<ApiWorld> =>
  ApiWorld.open(controllerDescriptors.filter(({ name }) => names.includes(name)));

export const LABELS = { app: "web" };

export function service(
  world: ApiWorld,
  spec: Record<string, unknown> = {},
  metadata: KubeObject["metadata"] = {},
): Promise<KubeObject> {
  const ports = [{ port: 80, targetPort: 8080 }];
  const full = { selector: LABELS, ports, ipFamilies: ["IPv4"], clusterIP: "10.96.0.10", ...spec };
  return world.create(SERVICES, { name: "web", namespace: "a", ...metadata }, { spec: full });
}

export interface PodOptions {
  readonly ips?: readonly string[];
  readonly ready?: boolean;
  readonly readySince?: string;
  readonly phase?: string;
  readonly node?: string;
  readonly spec?: Record<string, unknown>;
  readonly ports?: readonly Record<string, unknown>[];
  readonly metadata?: KubeObject["metadata"];
}

/** A ready pod with the address, on the node n. */
export async function pod(world: ApiWorld, name: string, options: PodOptions = {}): Promise<KubeObject> {
  const { node = "n", ports = [], spec = {}, metadata = {} } = options;
  await world.create(
    PODS,
    { name, namespace: "a", labels: LABELS, ...metadata },
    { spec: { nodeName: node, containers: [{ name: "c", image: "img:1", ports }], ...spec } },
  );
  return setStatus(world, name, options);
}

export async function setStatus(world: ApiWorld, name: string, options: PodOptions): Promise<KubeObject> {
  const {
    ips = ["10.0.0.1"],
    ready = true,
    readySince = "2026-01-01T00:00:05Z",
    phase = "Running",
  } = options;
  const podIPs = ips.map((ip) => ({ ip }));
  const conditions = [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: readySince }];
  const status = { phase, conditions, ...(ips.length > 0 ? { podIP: ips[0], podIPs } : {}) };
  return world.client.patch(PODS, inA(name), { type: "merge", body: { status }, subresource: "status" });
}

export const node = (world: ApiWorld, name = "n", labels: Record<string, string> = {}): Promise<KubeObject> =>
  world.create(NODES, { name, labels });

/** Returns and clears the API calls of the controllers so far. */
export const takeCalls = (world: ApiWorld): string[] =>
  world.calls.splice(0).map(({ verb, resource }) => `${verb} ${resource}`);
