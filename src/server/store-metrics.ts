// Metrics of the store, under the names and labels of a kube-apiserver where it has them. Lists of a folder or
// memory count as lists "from storage". With etcd all reads count as reads from the watch cache.

import { describeResource } from "../apimachinery/meta/status.ts";
import type { Transformations } from "../apimachinery/meta/transformation-metrics.ts";
import { counter, gauge, histogram, type Metric } from "../apiserver/http/metrics.ts";
import type { ResourceDefinition } from "../apiserver/registry/definition/resource-definition.ts";
import { collectionRange, resourcePrefix } from "../apiserver/registry/definition/view.ts";
import type { ResourceRegistry } from "../apiserver/registry/resource-registry.ts";
import type { ClientMetrics } from "../storage/client-metrics.ts";
import type { KeyValueReader, StoreMeasurements } from "../storage/store.ts";
import type { CollectionMetrics, OperationMetrics } from "../storage/store-metrics.ts";

const RESOURCE = ["group", "resource"];
/** One history and one revision cover all resources. */
const ALL = { group: "", resource: "" };
/** A kube-apiserver shows no more digits of a revision. */
const REVISION_END = 10 ** 15;

export function storeMetrics(
  store: KeyValueReader & StoreMeasurements,
  registry: ResourceRegistry,
): readonly Metric[] {
  const { client } = store.metrics;
  const of = metricsByResource(store, registry);
  return [
    ...storedMetrics(store, registry),
    ...requestMetrics(of),
    ...(client === undefined ? listMetrics(of) : cachedListMetrics(of)),
    ...watchMetrics(store, of),
    ...(client === undefined ? [] : [...followingMetrics(client, of), ...clientMetrics(client)]),
  ];
}

type Labels = Readonly<Record<"group" | "resource", string>>;
type ByResource = () => readonly (readonly [Labels, CollectionMetrics])[];

function metricsByResource(
  { metrics }: KeyValueReader & StoreMeasurements,
  registry: ResourceRegistry,
): ByResource {
  return () => {
    const served = new Map(
      registry.definitions.map((definition) => [resourcePrefix(definition), definition]),
    );
    return [...metrics].map((one) => [labelsOf(one.prefix, served.get(one.prefix)), one] as const);
  };
}

/**
 * Labels of a key prefix, also of resources that are not served: "/registry/GROUP/RESOURCE/" or
 * "/registry/RESOURCE/".
 */
function labelsOf(prefix: string, definition: ResourceDefinition | undefined): Labels {
  if (definition !== undefined) return { group: definition.group, resource: definition.resource };
  const [, , ...parts] = prefix.split("/").slice(0, -1);
  return { group: parts.slice(0, -1).join("/"), resource: parts.at(-1) ?? "" };
}

/** A counter per resource. Resources without a count are left out. */
const counted = (
  of: ByResource,
  name: string,
  help: string,
  count: (metrics: CollectionMetrics) => number,
  more: Readonly<Record<string, string>> = {},
): Metric =>
  counter(name, help, [...RESOURCE, ...Object.keys(more)], () =>
    of()
      .filter(([, metrics]) => count(metrics) > 0)
      .map(([labels, metrics]) => [{ ...labels, ...more }, count(metrics)] as const),
  );

function storedMetrics(
  store: KeyValueReader & StoreMeasurements,
  registry: ResourceRegistry,
): readonly Metric[] {
  const counts = () =>
    registry.definitions
      .filter(({ review, observe }) => review === undefined && observe === undefined)
      .map((definition) => [definition, store.count(collectionRange(definition, ""))] as const);
  return [
    gauge("egret_store_revision", "The newest revision of the store.", [], () => [[{}, store.revision]]),
    gauge("apiserver_storage_objects", "Objects in the store, by resource.", ["resource"], () =>
      counts().map(([definition, count]) => [{ resource: describeResource(definition) }, count] as const),
    ),
    gauge("apiserver_resource_objects", "Objects in the store, by group and resource.", RESOURCE, () =>
      counts().map(([{ group, resource }, count]) => [{ group, resource }, count] as const),
    ),
    gauge(
      "apiserver_storage_size_bytes",
      "What the store takes: LevelDB's files, or the database of the etcd member that is connected.",
      ["storage_cluster_id"],
      async () => {
        const bytes = await store.sizeBytes();
        const id = store.metrics.client === undefined ? "level-0" : "etcd-0";
        return bytes === undefined ? [] : [[{ storage_cluster_id: id }, bytes]];
      },
    ),
  ];
}

function requestMetrics(of: ByResource): readonly Metric[] {
  const labelNames = ["operation", ...RESOURCE];
  const each = <Value>(take: (metrics: OperationMetrics) => Value) =>
    of().flatMap(([labels, { operations }]) =>
      Object.entries(operations).map(
        ([operation, metrics]) => [{ operation, ...labels }, take(metrics)] as const,
      ),
    );
  return [
    histogram(
      "etcd_request_duration_seconds",
      "Time of a request to etcd; of a store in a folder or in memory, from a write to its being durable.",
      labelNames,
      () => each(({ seconds }) => seconds),
    ),
    counter("etcd_requests_total", "Requests to etcd, or writes to the store.", labelNames, () =>
      each(({ seconds }) => seconds.count),
    ),
    counter(
      "etcd_request_errors_total",
      "Those that failed; to find that somebody else was faster is no failure.",
      labelNames,
      () => each(({ errors }) => errors).filter(([, errors]) => errors > 0),
    ),
  ];
}

const listMetrics = (of: ByResource): readonly Metric[] => [
  counted(of, "apiserver_storage_list_total", "Lists answered from the store.", ({ lists }) => lists),
  counted(
    of,
    "apiserver_storage_list_fetched_objects_total",
    "Objects read from the store for lists.",
    ({ fetched }) => fetched,
  ),
  counted(
    of,
    "apiserver_storage_list_evaluated_objects_total",
    "Objects tested for lists.",
    ({ evaluated }) => evaluated,
  ),
  counted(
    of,
    "apiserver_storage_list_returned_objects_total",
    "Objects returned by lists.",
    ({ returned }) => returned,
  ),
];

/** Lists use no index. */
const NO_INDEX = { index: "" };

const cachedListMetrics = (of: ByResource): readonly Metric[] => [
  counted(of, "apiserver_cache_list_total", "Lists answered from the cache.", ({ lists }) => lists, NO_INDEX),
  counted(
    of,
    "apiserver_cache_list_fetched_objects_total",
    "Objects read from the cache for lists.",
    ({ fetched }) => fetched,
    NO_INDEX,
  ),
  counted(
    of,
    "apiserver_cache_list_returned_objects_total",
    "Objects returned by lists.",
    ({ returned }) => returned,
  ),
];

function watchMetrics(store: KeyValueReader & StoreMeasurements, of: ByResource): readonly Metric[] {
  return [
    gauge(
      "egret_store_watches",
      "Watches of the store that are open now, those of controllers too.",
      [],
      () => [[{}, store.watches.open]],
    ),
    counter(
      "egret_store_watches_dropped_total",
      "Watches cut off because they fell too far behind.",
      [],
      () => [[{}, store.watches.dropped]],
    ),
    counted(
      of,
      "apiserver_terminated_watchers_total",
      "Watches cut off because they fell too far behind, by resource.",
      ({ cutOff }) => cutOff,
    ),
    counted(
      of,
      "apiserver_init_events_total",
      "Objects that watches began with.",
      ({ begunWith }) => begunWith,
    ),
    counted(
      of,
      "apiserver_watch_cache_events_dispatched_total",
      "Changes offered to watches.",
      ({ dispatched }) => dispatched,
    ),
    gauge(
      "apiserver_watch_cache_resource_version",
      "The newest revision that watches and lists know, one for all resources; its last 15 digits.",
      RESOURCE,
      () => [[ALL, store.revision % REVISION_END]],
    ),
  ];
}

/** Metrics of a store that follows an etcd. */
const followingMetrics = (client: ClientMetrics, of: ByResource): readonly Metric[] => [
  counted(
    of,
    "apiserver_storage_events_received_total",
    "Changes that etcd has told, those of this process too.",
    ({ received }) => received,
  ),
  counted(
    of,
    "apiserver_watch_cache_events_received_total",
    "Changes taken into the cache; they are offered to watches at once.",
    ({ dispatched }) => dispatched,
  ),
  counter(
    "apiserver_watch_cache_initializations_total",
    "How often everything was read from etcd, once for all resources.",
    RESOURCE,
    () => [[ALL, client.loads]],
  ),
  counted(
    of,
    "apiserver_storage_decode_errors_total",
    "Values in etcd that could not be read.",
    ({ unreadable }) => unreadable,
  ),
  histogram(
    "apiserver_watch_cache_read_wait_seconds",
    "How long reads waited until the cache was new enough.",
    RESOURCE,
    () => of().map(([labels, { waits }]) => [labels, waits] as const),
  ),
  counter(
    "apiserver_watch_cache_consistent_read_total",
    "Requests that needed the newest state, answered from the cache.",
    [...RESOURCE, "success", "fallback"],
    () =>
      of().flatMap(([labels, { presentReads, presentReadsFailed }]) =>
        (
          [
            [{ ...labels, success: "true", fallback: "false" }, presentReads],
            [{ ...labels, success: "false", fallback: "false" }, presentReadsFailed],
          ] as const
        ).filter(([, count]) => count > 0),
      ),
  ),
];

const TRANSFORMATION = ["transformation_type", "transformer_prefix"];

function transformationMetrics({ transformations }: ClientMetrics): readonly Metric[] {
  const labelsOf = ({ direction, prefix }: Pick<Transformations, "direction" | "prefix">) => ({
    transformation_type: direction,
    transformer_prefix: prefix,
  });
  return [
    histogram(
      "apiserver_storage_transformation_duration_seconds",
      "How long values took to be encrypted or decrypted.",
      TRANSFORMATION,
      () => [...transformations.times].map((times) => [labelsOf(times), times.seconds] as const),
    ),
    counter(
      "apiserver_storage_transformation_operations_total",
      "Values that were encrypted or decrypted, or could not be.",
      ["resource", ...TRANSFORMATION, "status"],
      () =>
        [...transformations].flatMap((one) => {
          const labels = { resource: one.resource, ...labelsOf(one) };
          return (
            [
              [{ ...labels, status: "OK" }, one.succeeded],
              [{ ...labels, status: "unknown-non-grpc" }, one.failed],
            ] as const
          ).filter(([, count]) => count > 0);
        }),
    ),
  ];
}

const CALL = ["grpc_type", "grpc_service", "grpc_method"];

function clientMetrics(client: ClientMetrics): readonly Metric[] {
  const calls = () =>
    [...client.calls].map((call) => {
      const labels = { grpc_type: call.type, grpc_service: call.service, grpc_method: call.method };
      return [labels, call] as const;
    });
  const ofCalls = (name: string, help: string, count: "started" | "sent" | "received"): Metric =>
    counter(name, help, CALL, () => calls().map(([labels, call]) => [labels, call[count]] as const));
  return [
    ...transformationMetrics(client),
    counter(
      "etcd_request_retry_total",
      "Requests to etcd that were made once more, by what was wrong.",
      ["error"],
      () => [...client.retries].map(([error, count]) => [{ error }, count] as const),
    ),
    histogram("etcd_lease_object_counts", "Objects that one lease of etcd's was given.", [], () => [
      [{}, client.leaseKeys],
    ]),
    ofCalls("grpc_client_started_total", "Calls of etcd's API that were begun.", "started"),
    counter("grpc_client_handled_total", "Calls that have ended, by code.", [...CALL, "grpc_code"], () =>
      calls().flatMap(([labels, { handled }]) =>
        [...handled].map(([code, count]) => [{ ...labels, grpc_code: code }, count] as const),
      ),
    ),
    ofCalls("grpc_client_msg_sent_total", "Messages sent to etcd.", "sent"),
    ofCalls("grpc_client_msg_received_total", "Messages received from etcd.", "received"),
  ];
}
