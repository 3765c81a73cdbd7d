// The controller of EgressRouters, as the cluster network operator has it. It looks at each router when that changes,
// and again every five minutes, which is when an edited or deleted object of a router is put back. A router's status is
// never written: what is wrong shows at the operator, once it has lasted for a while. Deletion is the owner
// references' matter.
import type { ResourceName } from "../../client/client.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { informerFor } from "../kit/informers.ts";
import { ReconcileLoop } from "../kit/reconcile-loop.ts";
import { NADS } from "../networks/resources.ts";
import { ignoring } from "../runtime/api-errors.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import { errorText } from "../runtime/logging/logger.ts";
import { DEFAULT_SETTINGS } from "../runtime/settings.ts";
import { covers } from "./covers.ts";
import { reportDegraded } from "./operator-status.ts";
import { type RenderOptions, renderEgressRouter } from "./render.ts";

export interface EgressRouterDeps extends ControllerDeps, Partial<RenderOptions> {}

export const EGRESS_ROUTER_FIELD_MANAGER = "cluster-network-operator/egress_router";
const NAME = "egressrouter";
const EGRESS_ROUTERS: ResourceName = {
  group: "network.operator.openshift.io",
  version: "v1",
  resource: "egressrouters",
};
const DEPLOYMENTS: ResourceName = { group: "apps", version: "v1", resource: "deployments" };
const IMAGE = "egress-router-cni:latest";
const RESYNC_MS = 300_000;
/** A failure that is over sooner is not reported; 4.13 reported at once. */
const REPORT_AFTER_MS = 120_000;
const RETRY_FIRST_MS = 5;
const RETRY_MAX_MS = 1_000_000;

interface Failure {
  readonly message: string;
  readonly sinceMs: number;
}

export function createEgressRouterController(deps: EgressRouterDeps): Controller {
  const { client, clock, image = IMAGE, releaseVersion = "", profile = DEFAULT_SETTINGS.profile } = deps;
  const reportAfterMs = profile === "openshift-4.13" ? 0 : REPORT_AFTER_MS;
  const routers = informerFor(deps, NAME, EGRESS_ROUTERS);
  const failures = new Map<string, Failure>();

  const loop = new ReconcileLoop({
    name: NAME,
    deps,
    informers: [routers],
    workers: 1,
    retry: { firstMs: RETRY_FIRST_MS, maxMs: RETRY_MAX_MS, attemptsMax: Number.POSITIVE_INFINITY },
    reconcile,
  });
  const look = ({ metadata }: KubeObject): void =>
    loop.queue.add(`${metadata.namespace ?? ""}/${metadata.name ?? ""}`);
  routers.addHandlers({ add: look, update: (_old, router) => look(router), delete: look });

  async function reconcile(key: string): Promise<void> {
    const router = routers.get(key);
    try {
      if (router) await ensure(router);
    } catch (error) {
      const message = `could not reconcile Egress Router ${key}: ${errorText(error)}`;
      failures.set(key, { message, sinceMs: failures.get(key)?.sinceMs ?? clock.now() });
      await report();
      throw error;
    }
    failures.delete(key);
    await report();
    if (router) loop.queue.addAfter(key, RESYNC_MS);
  }

  async function ensure(router: KubeObject): Promise<void> {
    if (router.metadata.deletionTimestamp !== undefined) return;
    for (const object of renderEgressRouter(router, { image, releaseVersion, profile })) await apply(object);
  }

  async function apply(object: KubeObject): Promise<void> {
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

  async function report(): Promise<void> {
    const lasting = [...failures].filter(([, { sinceMs }]) => clock.now() - sinceMs >= reportAfterMs);
    const messages = lasting.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { message }]) => message);
    await reportDegraded(client, messages.join(", "), clock.now());
  }

  return loop;
}

/** The live object with only those owners that the rendered one names too: what others own beside us is theirs. */
function withOwnersOf(live: KubeObject, { metadata }: KubeObject): KubeObject {
  const ours = new Set(metadata.ownerReferences?.map(({ uid }) => uid));
  const ownerReferences = (live.metadata.ownerReferences ?? []).filter(({ uid }) => ours.has(uid));
  return { ...live, metadata: { ...live.metadata, ownerReferences } };
}
