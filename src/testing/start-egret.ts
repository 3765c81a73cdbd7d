// biome-ignore-all lint/performance/noBarrelFile: this is the one file that the package shows to tests.
// egret-apiserver/testing: an in-process, in-memory Kubernetes API server for tests.
import { createServer } from "../server/server.ts";
import { EgretServer } from "./egret-server.ts";
import { readObjects, type StartEgretOptions, serverOptionsOf } from "./options.ts";

export { StatusError } from "../apimachinery/meta/status.ts";
export type { PlannedChange } from "../features/analysis/planned-change.ts";
export type { GivenFacts } from "../features/analysis/store-snapshot.ts";
export type { PlanOptions } from "../features/analysis/verdicts.ts";
export type { ClockControl, ClockState } from "../features/control-surface/clock.ts";
export type { Fault, FaultMatch, FaultReport } from "../features/faults/fault.ts";
export type { ObjectHistory, ObjectRevision } from "../features/history/history-keeper.ts";
export type { ImportReport } from "../features/import/report.ts";
export type { RequestFilter, RequestLogEntry } from "../features/request-log/request-log.ts";
export type { ResetTarget, Restored, SavedState } from "../features/state/state-keeper.ts";
export type { Timeline, TimelineEntry } from "../features/waits/timeline.ts";
export { WaitEndedError, WaitTimeoutError } from "../features/waits/wait-for.ts";
export type { CallFilter, WebhookLogEntry } from "../features/webhook-calls/webhook-log.ts";
export type { Difference } from "../ovn/compare.ts";
export type { Explanation } from "../ovn/explain/explanation.ts";
export type { TracedOutcome } from "../ovn/trace/outcome.ts";
export type { Trace } from "../ovn/trace/trace.ts";
export { StartError } from "../server/errors.ts";
export type { Kubeconfig } from "../server/files/kubeconfig.ts";
export type { ImportOptions, ImportSource, ResetOptions, TracedPacket } from "./call-options.ts";
export type { CaseReport } from "./cases/format.ts";
export { EgretOptionsError } from "./check-options.ts";
export type * from "./client.ts";
export type { EgretServer } from "./egret-server.ts";
export { expectTrace, type TraceClaims, TraceMismatchError } from "./expect-trace.ts";
export type * from "./kinds.ts";
export type { ObjectsGiven, StartEgretOptions } from "./options.ts";
export { CaseFailedError, runCase } from "./run-case.ts";
export { createServingCertificate, type ServingCertificate } from "./serving-certificate.ts";
export type { WaitOptions, WaitQueries, WaitQuery, WaitResult } from "./waiting.ts";

/**
 * Starts a server on a free port of 127.0.0.1, by default in memory. Resolves once it serves requests and its controllers
 * run. A process can run any number of servers. Throws EgretOptionsError for an unknown option, and StartError when the
 * server cannot start, for example with invalid objects.
 *
 * @example
 * import { startEgret } from "egret-apiserver/testing";
 *
 * await using server = await startEgret({ objects: await readFile("nodes.yaml", "utf8") });
 * await server.client.create({
 *   apiVersion: "k8s.ovn.org/v1",
 *   kind: "EgressIP",
 *   metadata: { name: "web" },
 *   spec: { egressIPs: ["192.168.126.101"], namespaceSelector: {} },
 * });
 * await server.waitFor({ kind: "k8s.ovn.org/v1/EgressIP", name: "web" }, "object.status.items.size() == 1");
 */
export async function startEgret(options: StartEgretOptions = {}): Promise<EgretServer> {
  const serverOptions = serverOptionsOf(options);
  const objects = options.objects === undefined ? [] : readObjects(options.objects, "objects");
  const server = await createServer(serverOptions, { objects });
  try {
    return new EgretServer(server, options.faults ?? []);
  } catch (error) {
    await server.close();
    throw error;
  }
}
