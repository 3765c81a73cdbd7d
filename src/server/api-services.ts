// The APIServices, as a kube-apiserver maintains them itself: one object per served version of a group, created at
// the start and kept in sync with the CustomResourceDefinitions. The group of APIServices is not listed.

import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { StatusError } from "../apimachinery/meta/status.ts";
import { groupPriority } from "../apiserver/endpoints/discovery/group-index.ts";
import type { ResourceRegistry } from "../apiserver/registry/resource-registry.ts";
import type { Client, ClientFactory, ResourceName } from "../controller/client.ts";

const API_SERVICES: ResourceName = {
  group: "apiregistration.k8s.io",
  version: "v1",
  resource: "apiservices",
};
/** Label of objects that the server maintains: created at its start, or for a CustomResourceDefinition ("true"). */
const MANAGED = "kube-aggregator.kubernetes.io/automanaged";
const FIELD_MANAGER = "egret";
const CUSTOM_VERSION_PRIORITY = 100;
const VERSION_PRIORITY = 15;
/** Version priorities of built-in groups with several versions. */
const VERSION_PRIORITIES: ReadonlyMap<string, number> = new Map([
  ["v1.", 1],
  ["v2.autoscaling", 30],
  ["v1.flowcontrol.apiserver.k8s.io", 21],
  ["v1.resource.k8s.io", 21],
]);

export interface ApiServiceDeps {
  readonly clientFor: ClientFactory;
  readonly registry: ResourceRegistry;
  readonly onError: (error: unknown) => void;
}

export type KeptApiServices = Awaited<ReturnType<typeof syncApiServices>>;

/** Reconciles the list until it is stopped. */
export async function syncApiServices(deps: ApiServiceDeps) {
  let life = new AbortController();
  const once = async (): Promise<void> => {
    const { signal } = life;
    try {
      await reconcile(deps.clientFor(FIELD_MANAGER, signal), deps);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  let running = once();
  let isDirty = false;
  const look = (): Promise<void> => {
    if (isDirty) return running; // a run that has not begun sees this change too
    isDirty = true;
    running = running.then(() => {
      isDirty = false;
      return once().catch(deps.onError);
    });
    return running;
  };
  const unsubscribe = deps.registry.onChange(look);
  await running;
  return {
    /** Reconciles: creates missing objects and deletes superfluous ones. Resolves when done. */
    settled: look,
    /**
     * Pauses writes while the state is replaced, and aborts those in progress, until the returned function is
     * called.
     */
    hold: () => {
      life.abort();
      return () => {
        life = new AbortController();
      };
    },
    /** Resolves when the last reconciliation is done. */
    stop: async () => {
      unsubscribe();
      await running;
    },
  };
}

/** A rejected write is reported; the remaining writes and the start continue. */
async function reconcile(client: Client, { registry, onError }: ApiServiceDeps): Promise<void> {
  const unlessDone = async (write: Promise<unknown>): Promise<void> => {
    await write.catch((error: unknown) => {
      if (!(error instanceof StatusError)) throw error;
      if (!["AlreadyExists", "NotFound"].includes(error.reason)) onError(error); // another server may have done it
    });
  };
  const wanted = wantedServices(registry);
  const { items } = await client.list(API_SERVICES);
  const names = new Set(items.map(({ metadata }) => metadata.name));
  const missing = [...wanted].filter(([name]) => !names.has(name));
  const surplus = items.filter(
    ({ metadata }) => metadata.labels?.[MANAGED] !== undefined && !wanted.has(metadata.name ?? ""),
  );
  await Promise.all([
    ...missing.map(([, object]) => unlessDone(client.create(API_SERVICES, object))),
    ...surplus.map(({ metadata: { name = "" } }) =>
      unlessDone(client.delete(API_SERVICES, { namespace: "", name })),
    ),
  ]);
}

function wantedServices({ definitions }: ResourceRegistry): Map<string, KubeObject> {
  const wanted = new Map<string, KubeObject>();
  for (const { group, custom, versions } of definitions) {
    if (group === API_SERVICES.group) continue;
    for (const { name: version, served } of versions) {
      const name = `${version}.${group}`;
      if (served && !wanted.has(name)) wanted.set(name, apiService(group, version, custom));
    }
  }
  return wanted;
}

function apiService(group: string, version: string, custom: boolean): KubeObject {
  const name = `${version}.${group}`;
  const ofBuiltIn = VERSION_PRIORITIES.get(name) ?? VERSION_PRIORITY;
  return {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name, labels: { [MANAGED]: custom ? "true" : "onstart" } },
    spec: {
      ...(group === "" ? {} : { group }),
      version,
      groupPriorityMinimum: groupPriority(group),
      versionPriority: custom ? CUSTOM_VERSION_PRIORITY : ofBuiltIn,
    },
  };
}
