// The controller of EgressRouters, as the cluster network operator has it. It looks at each router when that changes,
// and again every five minutes, which is when an edited or deleted object of a router is put back. A router's status is
// never written: what is wrong shows at the operator, once it has lasted for a while. Deletion is the owner
// references' matter.

import type { Client, ResourceName } from "../../client/client.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ignoring, isGoing, NADS } from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import type { Kit, World } from "../kit/definition.ts";
import { errorText } from "../kit/logging.ts";
import { isNewest } from "../kit/settings.ts";
import { covers } from "./covers.ts";
import { reportDegraded } from "./operator-status.ts";
import { type RenderOptions, renderEgressRouter } from "./render.ts";

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

async function report({ client, clock, settings, memory }: World<never, Failures>): Promise<void> {
  const reportAfterMs = isNewest(settings) ? REPORT_AFTER_MS : 0;
  const lasting = [...memory].filter(([, { sinceMs }]) => clock.now() - sinceMs >= reportAfterMs);
  const messages = lasting.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { message }]) => message);
  await reportDegraded(client, messages.join(", "), clock.now());
}

/** The live object with only those owners that the rendered one names too: what others own beside us is theirs. */
function withOwnersOf(live: KubeObject, { metadata }: KubeObject): KubeObject {
  const ours = new Set(metadata.ownerReferences?.map(({ uid }) => uid));
  const ownerReferences = (live.metadata.ownerReferences ?? []).filter(({ uid }) => ours.has(uid));
  return { ...live, metadata: { ...live.metadata, ownerReferences } };
}
