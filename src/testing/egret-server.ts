// A server started by a test, with its test API.
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import type { PlannedChange } from "../features/analysis/planned-change.ts";
import type { PlanOptions } from "../features/analysis/verdicts.ts";
import type { ClockControl } from "../features/control-surface/clock.ts";
import type { Fault } from "../features/faults/fault.ts";
import type { Faults } from "../features/faults/faults.ts";
import type { HistoryKeeper } from "../features/history/history-keeper.ts";
import type { ImportReport } from "../features/import/report.ts";
import type { RequestLog } from "../features/request-log/request-log.ts";
import type { Restored, RestoreOptions, SavedState } from "../features/state/state-keeper.ts";
import type { WebhookLog } from "../features/webhook-calls/webhook-log.ts";
import type { Difference } from "../ovn/compare.ts";
import type { Explanation } from "../ovn/explain/explanation.ts";
import type { Trace } from "../ovn/trace/trace.ts";
import { type Kubeconfig, kubeconfigFor, writeKubeconfig } from "../server/files/kubeconfig.ts";
import { readSources } from "../server/import-sources.ts";
import type { Server } from "../server/server.ts";
import type { ImportOptions, ImportSource, ResetOptions, TracedPacket } from "./call-options.ts";
import {
  checkChanges,
  checkPacket,
  IMPORT_OPTIONS,
  PLAN_OPTIONS,
  RESET_OPTIONS,
  RESTORE_OPTIONS,
} from "./check-calls.ts";
import { checkOptions } from "./check-options.ts";
import type { TestClient } from "./client.ts";
import { createTestClient } from "./in-process-test-client.ts";
import type { AnyObject, Stored } from "./kinds.ts";
import { type ObjectsGiven, readObjects } from "./options.ts";
import { type WaitOptions, type WaitQueries, type WaitResult, waitFor } from "./waiting.ts";

/** A running server. `await using server = await startEgret()` closes it at the end of the block. */
export class EgretServer implements AsyncDisposable {
  /** "http://127.0.0.1:40123" */
  readonly url: string;
  /** The kubeconfig as an object, for client libraries: `new KubeConfig().loadFromString(JSON.stringify(…))`. */
  readonly kubeconfig: Kubeconfig;
  /** Reads and writes objects for the test. It bypasses faults and the request log. */
  readonly client: TestClient;
  /**
   * Freezes, sets and advances the server's clock.
   *
   * @example
   * const server = await startEgret({ clock: "frozen" });
   * await server.clock.advance(5 * 60_000);   // runs every timer that is due within five minutes
   */
  readonly clock: ClockControl;
  /**
   * Faults injected into HTTP requests: those of the controller under test.
   *
   * @example
   * server.faults.add({ match: { verb: "update", resource: "configmaps" }, count: 2, error: { code: 409 } });
   */
  readonly faults: Faults;
  /**
   * The log of HTTP requests: verb, path, user agent, status, time.
   *
   * @example
   * expect(server.requests.entries({ verb: "update", resource: "configmaps" })).toHaveLength(1);
   */
  readonly requests: RequestLog;
  /**
   * The log of admission webhook calls: verdict, duration, and the changes of their patches.
   *
   * @example
   * expect(server.webhookCalls.entries({ verdict: "denied" })).toHaveLength(1);
   */
  readonly webhookCalls: WebhookLog;
  /**
   * The revisions of objects: field changes with time, user and field managers.
   *
   * @example
   * const { revisions } = await server.history.of({ resource: "egressips", name: "web" });
   */
  readonly history: HistoryKeeper;
  readonly #server: Server;
  readonly #faultsAtStart: readonly Fault[];
  #folder: string | undefined;
  #closing: Promise<void> | undefined;

  /** Throws a StatusError 400 for an invalid fault. */
  constructor(server: Server, faults: readonly Fault[]) {
    this.#server = server;
    this.url = server.url;
    this.kubeconfig = kubeconfigFor(server.kubeconfig);
    this.client = createTestClient(server);
    this.clock = server.control.clock;
    this.faults = server.control.faults;
    this.requests = server.control.requests;
    this.webhookCalls = server.control.webhookCalls;
    this.history = server.control.history;
    this.#faultsAtStart = faults;
    this.#giveFaults();
  }

  /**
   * Writes the kubeconfig, readable by its owner only, and returns its path. Without a path it is a temporary file, which
   * close() removes.
   *
   * @example
   * spawn("kubectl", ["get", "nodes"], { env: { ...process.env, KUBECONFIG: await server.writeKubeconfig() } });
   */
  async writeKubeconfig(path?: string): Promise<string> {
    const target = path ?? join(await this.#ownFolder(), "kubeconfig");
    await writeKubeconfig(target, this.#server.kubeconfig);
    return target;
  }

  /**
   * Applies objects in order, as `kubectl apply --server-side` does: YAML text, objects, or several of both. A CRD may
   * precede objects of its kind.
   *
   * @example
   * await server.apply(await readFile("deploy/crd.yaml", "utf8"));
   */
  async apply(objects: ObjectsGiven): Promise<Stored<AnyObject>[]> {
    const applied: Stored<AnyObject>[] = [];
    for (const object of readObjects(objects, "apply()")) {
      const { apiVersion = "", kind = "" } = object;
      if (this.#server.registry.findByKind(apiVersion, kind) === undefined) {
        await this.#server.settled();
      }
      applied.push(await this.client.apply({ ...object, apiVersion, kind }));
    }
    return applied;
  }

  /**
   * Raw import of a cluster, without validation: from files, folders or archives (collected by kubectl or must-gather),
   * or from objects. Uids, timestamps, owners, status and assignments are preserved. Controllers restart and resync.
   *
   * @example
   * const { skipped } = await server.import("must-gather.tar.gz");
   */
  async import(source: ImportSource, options: ImportOptions = {}): Promise<ImportReport> {
    checkOptions("import", options, IMPORT_OPTIONS);
    const given = typeof source === "string" ? [source] : source;
    const paths = given.filter((one) => typeof one === "string");
    const { objects, skipped } = await readSources(paths);
    const others = given.filter((one) => typeof one !== "string") as KubeObject[]; // the same to this server
    const report = await this.#server.control.imports.import([...objects, ...others], options);
    return { ...report, skipped: [...skipped, ...report.skipped] };
  }

  /**
   * Restores the state after the start: its objects, the faults of startEgret(), and empty logs of requests and webhook
   * calls. Open watches get every difference, or with `{ watches: "expire" }` end with 410 Expired. Resource versions
   * keep increasing, as in any cluster. The clock is not changed.
   *
   * @example
   * afterEach(() => server.reset());
   */
  async reset(resetting: ResetOptions = {}): Promise<Restored> {
    checkOptions("reset", resetting, RESET_OPTIONS);
    const { to = "start", ...options } = resetting;
    this.#giveFaults();
    const restored = await this.#server.control.state.reset(to, options);
    this.requests.clear();
    this.webhookCalls.clear();
    return restored;
  }

  /**
   * Explains the state of an object and possible remedies: an EgressIP, an EgressService, a Node, a Pod and others, with
   * kubectl's names of kinds. Throws a StatusError 400 for a kind that cannot be explained, and 404.
   *
   * @example
   * const { summary } = server.explain("egressip", "web");   // "192.168.126.105 has no node: no network of …"
   */
  explain(kind: string, name: string, namespace = "default"): Explanation {
    return this.#server.control.verdicts.explain(kind, namespace, name);
  }

  /**
   * Traces a packet that leaves a pod, with all outcomes that ovn-kubernetes allows. Throws a StatusError 400 for an
   * invalid destination, and 404. Use expectTrace() for assertions.
   *
   * @example
   * expectTrace(server.trace({ namespace: "shop", pod: "web", to: "8.8.8.8:443" })).toLeaveBy("192.168.126.101");
   */
  trace(traced: TracedPacket): Trace {
    checkPacket(traced);
    const { protocol = "tcp", facts, ...packet } = traced;
    return this.#server.control.verdicts.trace({ ...packet, protocol }, facts);
  }

  /**
   * Returns the differences after some changes, once the controllers are idle. The server's state is not changed. The
   * result lists rejected changes.
   *
   * @example
   * const { moved } = await server.plan([{ delete: "node/n1" }]);
   */
  async plan(changes: readonly PlannedChange[], options: PlanOptions = {}): Promise<Difference> {
    checkChanges(changes);
    checkOptions("plan", options, PLAN_OPTIONS);
    return await this.#server.control.verdicts.plan(changes, options);
  }

  /**
   * Saves the current state for restore(). It costs one pointer per object.
   *
   * @example
   * const ready = server.snapshot();
   * // … the test changes things …
   * await server.restore(ready);
   */
  snapshot(): SavedState {
    return this.#server.control.state.save();
  }

  /** Restores a state: objects regain their uid and content. */
  async restore(snapshot: SavedState, options: RestoreOptions = {}): Promise<Restored> {
    checkOptions("restore", options, RESTORE_OPTIONS);
    return await this.#server.control.state.restore(snapshot, options);
  }

  /**
   * Waits until a condition holds and returns the values of its queries. The condition is CEL: over `object` (null while
   * there is none) for a query with a name, over `objects` for one without, or over the names of several queries. It is
   * evaluated at every revision, so a state that holds only briefly is found, too.
   *
   * Throws EgretOptionsError for an unknown option, and WaitTimeoutError. The message of the latter lists each change
   * during the wait with its time and fields.
   *
   * @example
   * const eip = await server.waitFor(
   *   { kind: "k8s.ovn.org/v1/EgressIP", name: "web" },
   *   "object != null && has(object.status) && object.status.items.size() == 2",
   * );
   * await server.waitFor(
   *   { eip: { kind: "k8s.ovn.org/v1/EgressIP", name: "web" }, nodes: { kind: "v1/Node" } },
   *   "eip.status.items.all(item, nodes.exists(node, node.metadata.name == item.node))",
   * );
   */
  async waitFor<const Q extends WaitQueries>(
    query: Q,
    condition: string,
    options: WaitOptions = {},
  ): Promise<WaitResult<Q>> {
    return await waitFor(this.#server.control.waits, query, condition, options);
  }

  /** Stops the server and resolves when it has released all resources. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #giveFaults(): void {
    this.faults.clear();
    for (const fault of this.#faultsAtStart) this.faults.add(fault);
  }

  async #close(): Promise<void> {
    await this.#server.close();
    if (this.#folder === undefined) return;
    process.off("exit", this.#removeFolder);
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #ownFolder(): Promise<string> {
    if (this.#folder === undefined) {
      this.#folder = await mkdtemp(join(tmpdir(), "egret-test-"));
      process.on("exit", this.#removeFolder); // for a test that ends without closing
    }
    return this.#folder;
  }

  readonly #removeFolder = (): void => {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  };
}
