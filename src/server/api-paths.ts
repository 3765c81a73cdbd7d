// What is answered beside resources: discovery, OpenAPI, version and health.
import { createDiscovery } from "../apiserver/discovery/discovery.ts";
import { versionInfo } from "../apiserver/discovery/version-info.ts";
import { NonResourcePaths } from "../apiserver/non-resource.ts";
import { createOpenApiPaths } from "../apiserver/openapi-paths.ts";
import { type Clock, formatTime } from "../meta/clock.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";

export const EGRET_VERSION = "0.1.0";
const READY_NAME = "egret-bootstrap";

/** The paths that are no resources: discovery, OpenAPI, version, health. Health asks for the failure of the store. */
export function createNonResource(
  registry: ResourceRegistry,
  clock: Clock,
  state: { readonly ready: boolean; readonly url: string },
  storeFailure: () => Error | undefined,
): NonResourcePaths {
  return new NonResourcePaths({
    registry,
    discovery: createDiscovery(),
    openApi: createOpenApiPaths(registry),
    version: versionInfo({
      egretVersion: EGRET_VERSION,
      buildDate: formatTime(clock.now()),
      platform: "linux/amd64",
    }),
    healthChecks: [
      { name: "ping", check: () => undefined },
      { name: "log", check: () => undefined },
      { name: "etcd", check: () => storeFailure()?.message },
      { name: READY_NAME, only: "readyz", check: () => (state.ready ? undefined : "still starting") },
    ],
    serverAddress: () => state.url.replace(/^https?:\/\//, ""),
  });
}
