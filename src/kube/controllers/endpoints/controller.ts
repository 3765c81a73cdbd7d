// The Endpoints controller: Endpoints of Services with a selector, as kube-controller-manager maintains them. The
// endpointslice controller maintains the EndpointSlices.

import { equalJson } from "../../../apimachinery/json/json.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import {
  core,
  deleteObject,
  ignoring,
  isNamespaceEnding,
  isOvertaken,
  keyOfObject,
} from "../../../controller/api.ts";
import { defineController } from "../../../controller/define-controller.ts";
import type { KitWith } from "../../../controller/definition.ts";
import { errorText } from "../../../controller/logging.ts";
import {
  HEADLESS,
  SERVICE_WATCHES,
  type Service,
  ServiceWorld,
  TRIGGER_TIME,
  TriggerTimes,
} from "./service.ts";
import { desiredSubsets, truncated } from "./subsets.ts";

export const ENDPOINTS = core("endpoints");
const COMPONENT = "endpoint-controller";
const MANAGED_BY = "endpoints.kubernetes.io/managed-by";
const OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity";

type Names = "services" | "endpoints" | "pods";

export const endpoints = defineController({
  name: "endpoints",
  summary: "Endpoints of Services that select pods",
  fieldManager: "kube-controller-manager",
  events: COMPONENT,
  memory: (kit: KitWith<Names>) => ({
    world: new ServiceWorld(kit),
    times: new TriggerTimes(),
    /** Keys of deleted Services, whose Endpoints are deleted too. */
    ended: new Set<string>(),
  }),
  watches: {
    services: {
      ...SERVICE_WATCHES.services,
      take: ({ type, object }, { memory }) => {
        if (type === "delete") memory.ended.add(keyOfObject(object));
      },
    },
    endpoints: {
      resource: ENDPOINTS,
      toKeys: ({ object }, { memory }) => {
        const key = keyOfObject(object);
        return isOurs(object) || memory.world.selecting(key) ? [key] : [];
      },
    },
    pods: SERVICE_WATCHES.pods,
  },
  async reconcile(key, kit) {
    const { services, client, memory } = kit;
    const { world, times, ended } = memory;
    const hasEnded = ended.delete(key);
    if (!services.get(key)) {
      times.forget(key);
      const left = kit.endpoints.get(key);
      // Endpoints that another client created, and that never had a Service, are left alone.
      if (left && (hasEnded || isOurs(left))) await deleteObject(client, ENDPOINTS, left);
      return;
    }
    const service = world.selecting(key);
    if (!service) return;
    const pods = await world.podsOf(service);
    const old = await ignoring([404], client.get(ENDPOINTS, service));
    const trigger = times.note(service, pods);
    const all = desiredSubsets(service, pods);
    const fewer = truncated(all);
    const annotations = {
      ...(trigger.time ? { [TRIGGER_TIME]: trigger.time } : {}),
      ...(fewer ? { [OVER_CAPACITY]: "truncated" } : {}),
    };
    const next = endpointsOf(service, old, fewer ?? all, annotations);
    if (old && saysTheSame(old, next)) return;
    try {
      await (old ? client.update(ENDPOINTS, next) : client.create(ENDPOINTS, next));
    } catch (error) {
      if (isNamespaceEnding(error)) return;
      trigger.undo();
      if (!isOvertaken(error)) complain(kit, service, { uid: old?.metadata.uid, error });
      throw error;
    }
  },
});

/** `uid` is that of the Endpoints to update; undefined for a creation. */
function complain(
  { recordEvent }: KitWith<Names>,
  { key, namespace, name }: Service,
  { uid, error }: { readonly uid: string | undefined; readonly error: unknown },
): void {
  const subject = { apiVersion: "v1", kind: "Endpoints", namespace, name, ...(uid ? { uid } : {}) };
  const text = errorText(error);
  const [reason, message] = uid
    ? ["FailedToUpdateEndpoint", `Failed to update endpoint ${key}: ${text}`]
    : ["FailedToCreateEndpoint", `Failed to create endpoint for service ${key}: ${text}`];
  recordEvent({ subject, type: "Warning", reason, message }, key);
}

const isOurs = ({ metadata }: KubeObject): boolean => metadata.labels?.[MANAGED_BY] === COMPONENT;

/** The desired Endpoints. Fields of other clients beside labels and subsets are kept. */
function endpointsOf(
  service: Service,
  old: KubeObject | undefined,
  subsets: readonly unknown[],
  said: Readonly<Record<string, string>>,
): KubeObject {
  const { namespace, name } = service;
  const { [HEADLESS]: _headless, ...labels } = service.labels;
  const { [TRIGGER_TIME]: _time, [OVER_CAPACITY]: _over, ...annotations } = old?.metadata.annotations ?? {};
  const { subsets: _subsets, ...rest }: Partial<KubeObject> = old ?? { apiVersion: "v1", kind: "Endpoints" };
  return {
    ...rest,
    metadata: {
      ...old?.metadata,
      namespace,
      name,
      labels: { ...labels, ...(service.withoutAddress ? { [HEADLESS]: "" } : {}), [MANAGED_BY]: COMPONENT },
      annotations: { ...annotations, ...said },
    },
    ...(subsets.length > 0 ? { subsets } : {}),
  };
}

/** Compares without the trigger time annotation: a new trigger time alone causes no write. */
function saysTheSame(old: KubeObject, next: KubeObject): boolean {
  const over = ({ metadata }: KubeObject): unknown => metadata.annotations?.[OVER_CAPACITY];
  return (
    over(old) === over(next) &&
    equalJson(old.metadata.labels ?? {}, next.metadata.labels ?? {}) &&
    equalJson(old["subsets"] ?? [], next["subsets"] ?? [])
  );
}
