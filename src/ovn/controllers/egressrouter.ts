// The EgressRouter controller of the cluster-network-operator (pkg/controller/egress_router). It reconciles a router on each
// change and every five minutes, which restores edited or deleted objects of the router. As in upstream, the status of a
// router is never written; a lasting failure is reported by ClusterOperator "network". Owner references handle deletion.

import {
  equalJson,
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
} from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import { conditionOf } from "../../apimachinery/meta/conditions.ts";
import { parseCidr, parseIp } from "../../apimachinery/meta/ip.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { ignoring, isGoing, keyOfObject, NADS, placeOf, resourceIn } from "../../controller/api.ts";
import type { Client } from "../../controller/client.ts";
import { defineController } from "../../controller/define-controller.ts";
import type { Kit, World } from "../../controller/definition.ts";
import { errorText } from "../../controller/logging.ts";
import { type ControllerSettings, isNewest } from "../../controller/settings.ts";

const EGRESS_ROUTERS = resourceIn("network.operator.openshift.io", "v1", "egressrouters");
const DEPLOYMENTS = resourceIn("apps", "v1", "deployments");
export const CLUSTER_OPERATORS = resourceIn("config.openshift.io", "v1", "clusteroperators");
const OPERATOR = { namespace: "", name: "network" };
const REASON = "EgressRouterError";
const RESYNC_MS = 300_000;
/** Shorter failures are not reported; OpenShift 4.13 reports at once. */
const REPORT_AFTER_MS = 120_000;

type Failures = Map<string, { readonly message: string; readonly sinceMs: number }>;

export const egressRouter = defineController({
  name: "egressrouter",
  summary: "the objects behind EgressRouters",
  fieldManager: "cluster-network-operator/egress_router",
  workers: 1,
  retry: { firstMs: 5, maxMs: 1_000_000, attemptsMax: Number.POSITIVE_INFINITY },
  memory: (_: Kit): Failures => new Map(),
  watches: { routers: { resource: EGRESS_ROUTERS } },
  async reconcile(key, world) {
    const { routers, client, clock, settings, memory: failures } = world;
    const router = routers.get(key);
    try {
      const objects = router && !isGoing(router) ? renderEgressRouter(router, settings) : [];
      for (const object of objects) await apply(client, object);
    } catch (error) {
      const message = `could not reconcile Egress Router ${key}: ${errorText(error)}`;
      failures.set(key, { message, sinceMs: failures.get(key)?.sinceMs ?? clock.now() });
      await report(world);
      throw error;
    }
    failures.delete(key);
    await report(world);
    return router && { requeueAfterMs: RESYNC_MS };
  },
});

async function apply(client: Client, object: KubeObject): Promise<void> {
  const { apiVersion, kind } = object;
  const resource = kind === "Deployment" ? DEPLOYMENTS : NADS;
  const live = await ignoring([404], client.get(resource, placeOf(object)));
  if (live && covers(withOwnersOf(live, object), object)) return;
  try {
    await client.patch(resource, placeOf(object), { type: "apply", force: true, body: object });
  } catch (error) {
    const what = `(${apiVersion}, Kind=${kind}) ${keyOfObject(object)}`;
    throw new Error(`failed to apply / update ${what}: ${errorText(error)}`, { cause: error });
  }
}

/** The live object without owner references that the rendered one lacks, since other owners are left alone. */
function withOwnersOf(live: KubeObject, { metadata }: KubeObject): KubeObject {
  const ours = new Set(metadata.ownerReferences?.map(({ uid }) => uid));
  const ownerReferences = (live.metadata.ownerReferences ?? []).filter(({ uid }) => ours.has(uid));
  return { ...live, metadata: { ...live.metadata, ownerReferences } };
}

/** Reports whether applying `wanted` would change nothing. Lists must be equal item by item. */
function covers(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(live) || live.length !== wanted.length) return false;
    return wanted.every((item, index) => covers(live[index], item));
  }
  if (!isObject(wanted)) return equalJson(live, wanted);
  return isObject(live) && Object.entries(wanted).every(([key, value]) => covers(live[key], value));
}

/**
 * Reports failures in condition Degraded of ClusterOperator "network". Without failures it resets the condition only if its
 * reason is EgressRouterError. No-op if the kind is not served or the object does not exist.
 */
async function report({ client, clock, settings, memory }: World<never, Failures>): Promise<void> {
  const reportAfterMs = isNewest(settings) ? REPORT_AFTER_MS : 0;
  const lasting = [...memory].filter(([, { sinceMs }]) => clock.now() - sinceMs >= reportAfterMs);
  const messages = lasting.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { message }]) => message);
  const message = messages.join(", ");
  const operator = await ignoring([404], client.get(CLUSTER_OPERATORS, OPERATOR));
  if (!operator) return;
  const status = objectAt(operator, "status");
  const said = conditionOf(status, "Degraded");
  if (message === "" && said?.["reason"] !== REASON) return;
  const wanted = message === "" ? { status: "False" } : { status: "True", reason: REASON, message };
  if (said?.["status"] === wanted.status && (said["message"] ?? "") === message) return;
  const kept = said?.["status"] === wanted.status ? said["lastTransitionTime"] : undefined;
  const condition = { type: "Degraded", ...wanted, lastTransitionTime: kept ?? formatTime(clock.now()) };
  const { resourceVersion } = operator.metadata;
  const others = objectsAt(status, "conditions").filter((item) => item !== said);
  const body = { metadata: { resourceVersion }, status: { conditions: [...others, condition] } };
  const options = { type: "merge", subresource: "status", body } as const;
  await ignoring([404], client.patch(CLUSTER_OPERATORS, OPERATOR, options));
}

// The objects of an EgressRouter: a NetworkAttachmentDefinition for the CNI plugin and a Deployment with one pod. Their
// names are fixed, so two routers in one namespace overwrite each other's objects (upstream: bindata/egress-router).

const IMAGE = "egress-router-cni:latest";
const NAD_NAME = "egress-router-cni-nad";
const DEPLOYMENT_NAME = "egress-router-cni-deployment";
const LABELS = { app: "egress-router-cni" };

/** Renders the NetworkAttachmentDefinition and the Deployment. In OpenShift 4.13 the pod has no CPU request. */
function renderEgressRouter(router: KubeObject, settings: ControllerSettings): KubeObject[] {
  const spec = specOf(router);
  // Only the first address is used; an invalid one counts as missing.
  const [first] = objectsAt(spec, "addresses");
  if (!first) throw new Error(`${isNewest(settings) ? "" : "Error: "}router without addresses`);
  const [address, gateway] = [textAt(first, "ip"), textAt(first, "gateway")];
  if (!parseCidr(address)) throw missing("Addresses");
  if (!parseIp(gateway)) throw missing("Gateway");
  const redirect = objectAt(spec, "redirect");
  const fallbackIP = textAt(redirect, "fallbackIP");
  const config = {
    cniVersion: "0.4.0",
    type: "egress-router",
    name: NAD_NAME,
    ip: {
      addresses: [address],
      destinations: objectsAt(redirect, "redirectRules").map(destination),
      ...(fallbackIP === "" ? {} : { fallbackIP }),
      gateway,
    },
    log_file: "/tmp/egress-router-log",
    log_level: "debug",
  };
  const nad = {
    apiVersion: "k8s.cni.cncf.io/v1",
    kind: "NetworkAttachmentDefinition",
    metadata: metadataOf(router, NAD_NAME),
    spec: { config: JSON.stringify(config) },
  };
  return [nad, renderDeployment(router, gateway, settings)];
}

const missing = (key: string): Error =>
  new Error(`error rendering manifests: map has no entry for key "${key}"`);

/** "PORT PROTOCOL IP TARGETPORT" for the CNI plugin; the target port, or port and protocol, may be absent. */
function destination(rule: JsonObject): string {
  const { port = 0, protocol = "", destinationIP = "", targetPort = 0 } = rule;
  if (port === 0 || protocol === "") return String(destinationIP);
  const parts = [port, protocol, destinationIP, ...(targetPort === 0 ? [] : [targetPort])];
  return parts.join(" ");
}

function renderDeployment(router: KubeObject, gateway: string, settings: ControllerSettings): KubeObject {
  const networks = [{ name: NAD_NAME, "default-route": [gateway] }];
  const annotations = {
    "target.workload.openshift.io/management": '{"effect": "PreferredDuringScheduling"}',
    "k8s.v1.cni.cncf.io/networks": JSON.stringify(networks),
  };
  const container = {
    name: "egress-router-cni-pod",
    image: IMAGE,
    command: ["/bin/sh", "-c", "sleep infinity"],
    ...(isNewest(settings) ? { resources: { requests: { cpu: "100m" } } } : {}),
    terminationMessagePolicy: "FallbackToLogsOnError",
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { ...metadataOf(router, DEPLOYMENT_NAME), labels: LABELS },
    spec: {
      replicas: 1,
      selector: { matchLabels: LABELS },
      template: { metadata: { labels: LABELS, annotations }, spec: { containers: [container] } },
    },
  };
}

function metadataOf(router: KubeObject, name: string) {
  const { namespace = "", name: routerName = "", uid = "" } = router.metadata;
  const apiVersion = "network.operator.openshift.io/v1";
  return {
    name,
    namespace,
    annotations: { "release.openshift.io/version": "" }, // no platform version in this emulation
    ownerReferences: [{ apiVersion, kind: "EgressRouter", name: routerName, uid, controller: true }],
  };
}
