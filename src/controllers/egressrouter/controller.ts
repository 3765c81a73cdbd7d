// The controller of EgressRouters, as the cluster network operator has it. It looks at each router when that changes,
// and again every five minutes, which is when an edited or deleted object of a router is put back. A router's status is
// never written: what is wrong shows at the operator, once it has lasted for a while. Deletion is the owner
// references' matter.
import type { Client, ResourceName } from "../../client/client.ts";
import { formatTime } from "../../meta/clock.ts";
import { equalJson, isObject, objectAt, objectsAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ignoring, isGoing, NADS } from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import type { Kit, World } from "../kit/definition.ts";
import { errorText } from "../kit/logging.ts";
import { isNewest } from "../kit/settings.ts";
import { type RenderOptions, renderEgressRouter } from "./render.ts";

const EGRESS_ROUTERS: ResourceName = {
  group: "network.operator.openshift.io",
  version: "v1",
  resource: "egressrouters",
};
const DEPLOYMENTS: ResourceName = { group: "apps", version: "v1", resource: "deployments" };
export const CLUSTER_OPERATORS: ResourceName = {
  group: "config.openshift.io",
  version: "v1",
  resource: "clusteroperators",
};
const OPERATOR = { namespace: "", name: "network" };
const REASON = "EgressRouterError";
const IMAGE = "egress-router-cni:latest";
const RESYNC_MS = 300_000;
/** A failure that is over sooner is not reported; 4.13 reported at once. */
const REPORT_AFTER_MS = 120_000;

interface Failure {
  readonly message: string;
  readonly sinceMs: number;
}

type Failures = Map<string, Failure>;

export const egressRouter = ({
  image = IMAGE,
  releaseVersion = "",
}: Partial<Pick<RenderOptions, "image" | "releaseVersion">> = {}) =>
  defineController({
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
        const options = { image, releaseVersion, profile: settings.profile };
        const objects = router && !isGoing(router) ? renderEgressRouter(router, options) : [];
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
  const { apiVersion, kind, metadata } = object;
  const { namespace = "", name = "" } = metadata;
  const resource = kind === "Deployment" ? DEPLOYMENTS : NADS;
  const live = await ignoring([404], client.get(resource, { namespace, name }));
  if (live && covers(withOwnersOf(live, object), object)) return;
  try {
    await client.patch(resource, { namespace, name }, { type: "apply", force: true, body: object });
  } catch (error) {
    const what = `(${apiVersion}, Kind=${kind}) ${namespace}/${name}`;
    throw new Error(`failed to apply / update ${what}: ${errorText(error)}`, { cause: error });
  }
}

/** The live object with only those owners that the rendered one names too: what others own beside us is theirs. */
function withOwnersOf(live: KubeObject, { metadata }: KubeObject): KubeObject {
  const ours = new Set(metadata.ownerReferences?.map(({ uid }) => uid));
  const ownerReferences = (live.metadata.ownerReferences ?? []).filter(({ uid }) => ours.has(uid));
  return { ...live, metadata: { ...live.metadata, ownerReferences } };
}

/** True if applying wanted would change nothing in live. Lists have to agree item by item. */
function covers(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(live) || live.length !== wanted.length) return false;
    return wanted.every((item, index) => covers(live[index], item));
  }
  if (!isObject(wanted)) return equalJson(live, wanted);
  return isObject(live) && Object.entries(wanted).every(([key, value]) => covers(live[key], value));
}

/**
 * Tells in the condition Degraded of the ClusterOperator "network" what cannot be done; with nothing to tell, takes back
 * what was said of egress routers and nothing else. That kind is somebody else's: where it is not served, or nobody made
 * the object, there is nothing to write.
 */
async function report({ client, clock, settings, memory }: World<never, Failures>): Promise<void> {
  const reportAfterMs = isNewest(settings) ? REPORT_AFTER_MS : 0;
  const lasting = [...memory].filter(([, { sinceMs }]) => clock.now() - sinceMs >= reportAfterMs);
  const messages = lasting.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { message }]) => message);
  const message = messages.join(", ");
  const operator = await ignoring([404], client.get(CLUSTER_OPERATORS, OPERATOR));
  if (!operator) return;
  const conditions = objectsAt(objectAt(operator, "status"), "conditions");
  const said = conditions.find(({ type }) => type === "Degraded");
  if (message === "" && said?.["reason"] !== REASON) return;
  const wanted = message === "" ? { status: "False" } : { status: "True", reason: REASON, message };
  if (said?.["status"] === wanted.status && (said["message"] ?? "") === message) return;
  const kept = said?.["status"] === wanted.status ? said["lastTransitionTime"] : undefined;
  const condition = { type: "Degraded", ...wanted, lastTransitionTime: kept ?? formatTime(clock.now()) };
  const { resourceVersion } = operator.metadata;
  const others = conditions.filter((item) => item !== said);
  const body = { metadata: { resourceVersion }, status: { conditions: [...others, condition] } };
  const options = { type: "merge", subresource: "status", body } as const;
  await ignoring([404], client.patch(CLUSTER_OPERATORS, OPERATOR, options));
}
