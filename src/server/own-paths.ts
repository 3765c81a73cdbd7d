// Paths that are not Kubernetes' own: figures, and the store as a backup.
import type { ApiResponse } from "../apiserver/api-request.ts";
import type { OwnPaths } from "../apiserver/pipeline.ts";
import { CONTROL_PREFIX, type ControlRoute } from "../control/control-route.ts";
import { ControlSurface } from "../control/control-surface.ts";
import type { Inflight } from "../http/inflight.ts";
import { Metrics, type MetricsSource } from "../http/metrics.ts";
import { describeResource } from "../meta/status.ts";
import { collectionRange } from "../registry/keys.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import { backupLines } from "../storage/backup.ts";
import type { Store } from "../storage/store.ts";

export const BACKUP_PATH = `${CONTROL_PREFIX}/backup`;

export function ownPaths(store: Store, metrics: Metrics): OwnPaths {
  const control = new ControlSurface([backupRoute(store)]);
  return {
    handle: (request) => (request.path === "/metrics" ? metricsResponse(metrics) : control.handle(request)),
  };
}

const backupRoute = (store: Store): ControlRoute => ({
  method: "GET",
  path: "/backup",
  operationId: "backup",
  summary: "The store as lines of JSON, while the server goes on.",
  answer: { description: "One line for each record." },
  handle: () => ({ response: backupResponse(store) }),
});

async function metricsResponse(metrics: Metrics): Promise<ApiResponse> {
  const { contentType, text } = await metrics.text();
  return { status: 200, headers: { "content-type": contentType }, body: Buffer.from(text) };
}

function backupResponse(store: Store): ApiResponse {
  return {
    status: 200,
    headers: { "content-type": "application/x-ndjson" },
    body: async (sink, signal) => {
      for await (const line of backupLines(store)) {
        if (signal.aborted) return;
        await sink.write(Buffer.from(line));
      }
    },
  };
}

export function createMetrics(
  store: Store,
  registry: ResourceRegistry,
  queues: MetricsSource["queues"],
  inflight: Inflight,
): Metrics {
  return new Metrics({
    queues,
    inflight: () => inflight.now,
    revision: () => store.revision,
    objectCounts: () =>
      registry.definitions
        .filter((definition) => definition.review === undefined)
        .map(
          (definition) =>
            [describeResource(definition), store.count(collectionRange(definition, ""))] as const,
        ),
  });
}
