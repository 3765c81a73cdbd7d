// Explanations, traces and plans of a cluster, with API failures for invalid requests.

import { badRequest, failure, notFound } from "../../apimachinery/meta/status.ts";
import { runYielding } from "../../apimachinery/scheduling/coroutine.ts";
import { yieldIfDue } from "../../apimachinery/scheduling/event-loop.ts";
import type { Platform } from "../../controller/emulated-release.ts";
import type { Cluster } from "../../ovn/cluster/cluster.ts";
import type { Difference } from "../../ovn/compare.ts";
import { EXPLAINABLE, explain, explainableBy } from "../../ovn/explain/explain.ts";
import type { Explanation } from "../../ovn/explain/explanation.ts";
import { TraceError } from "../../ovn/trace/destinations.ts";
import { type ManyRequest, type ManyTraces, traceMany } from "../../ovn/trace/many.ts";
import { readForTraces, type Trace, type TraceRequest, trace } from "../../ovn/trace/trace.ts";
import type { MoveInTime } from "./moves.ts";
import type { PlannedChange } from "./planned-change.ts";
import type { AskedCluster } from "./store-snapshot.ts";

export interface PlanOptions {
  /** The revision of the state to change; absent: the current state. */
  readonly at?: number;
  /** The platform of the cluster; absent: its own. */
  readonly platform?: Platform;
}

export interface VerdictsDeps {
  /** The address moves of an EgressIP in the given number of milliseconds, up to a revision or until now. */
  readonly moves: (egressIp: string, agoMs: number, until?: number) => Promise<readonly MoveInTime[]>;
  /** Returns the cluster of a request, with the request's facts. Throws 400 and 410 for a revision that cannot be read. */
  readonly cluster: (asked: AskedCluster) => Cluster;
  /** Applies each list of changes to a copy of the current state. Returns the differences once the copy is idle. */
  readonly whatIf: (
    tries: readonly (readonly PlannedChange[])[],
    options: PlanOptions & { readonly signal?: AbortSignal },
  ) => Promise<readonly Difference[]>;
}

export interface MovedExplanation extends Explanation {
  /** Oldest first. */
  readonly moves: readonly MoveInTime[];
}

export interface NodeLoss extends Difference {
  readonly node: string;
}

const NEVER = new AbortController().signal;

/** Maps an invalid request to an API failure; other errors are returned unchanged. */
function asFailure(error: unknown): unknown {
  if (!(error instanceof TraceError)) return error;
  if (error.reason === "invalid") return badRequest(error.message);
  return failure({ code: 404, reason: "NotFound", message: error.message, details: {} });
}

/** Lost addresses weigh more than moved ones, and these more than pods. */
const badness = ({ moved, pods }: Difference): number =>
  moved.reduce((sum, { to }) => sum + (to === undefined ? 1_000_000 : 1_000), 0) + pods.length;

export class Verdicts {
  readonly #deps: VerdictsDeps;

  constructor(deps: VerdictsDeps) {
    this.#deps = deps;
  }

  /** Decodes the cluster with yielding, so that the following request need not decode it in one time slice. */
  readAhead(given: AskedCluster = {}): Promise<void> {
    return runYielding(readForTraces(this.#deps.cluster(given)), yieldIfDue);
  }

  /** Throws 400 for a kind that cannot be explained, and 404. */
  explain(word: string, namespace: string, name: string, given: AskedCluster = {}): Explanation {
    const what = explainableBy(word);
    if (!what)
      throw badRequest(
        `${word} cannot be explained, but: ${EXPLAINABLE.map(({ words }) => words[0]).join(", ")}`,
      );
    const found = explain(this.#deps.cluster(given), what, namespace, name);
    if (found) return found;
    const [resource = "", ...group] = what.resource.split(".");
    throw notFound({ group: group.join("."), resource }, name);
  }

  /** Explains an EgressIP, with the moves of its addresses in the given number of milliseconds. Throws 400 and 404. */
  async explainSince(
    word: string,
    name: string,
    agoMs: number,
    given: AskedCluster = {},
  ): Promise<MovedExplanation> {
    const explanation = this.explain(word, "", name, given);
    if (explanation.kind !== "EgressIP") throw badRequest("what changed is told of an EgressIP alone");
    const moves = await this.#deps.moves(name, agoMs, given.at);
    const rows = moves.map(({ time, address, from = "", to = "", why }) => [time, address, from, to, why]);
    const section = { title: "What changed", columns: ["TIME", "ADDRESS", "FROM", "TO", "WHY"], rows };
    return {
      ...explanation,
      moves,
      sections: [...(rows.length > 0 ? [section] : []), ...explanation.sections],
    };
  }

  /** Throws 400 and 404. */
  trace(request: TraceRequest, given: AskedCluster = {}): Trace {
    try {
      return trace(this.#deps.cluster(given), request);
    } catch (error) {
      throw asFailure(error);
    }
  }

  /** Traces many pods and destinations, with yielding. Throws 400 and 404. */
  async traceMany(
    request: ManyRequest,
    given: AskedCluster = {},
    signal: AbortSignal = NEVER,
  ): Promise<ManyTraces> {
    try {
      return await runYielding(traceMany(this.#deps.cluster(given), request), () => {
        signal.throwIfAborted();
        return yieldIfDue();
      });
    } catch (error) {
      throw asFailure(error);
    }
  }

  /** The differences after some changes; the state itself is not changed. */
  async plan(changes: readonly PlannedChange[], options: PlanOptions = {}): Promise<Difference> {
    const [difference] = await this.#deps.whatIf([changes], options);
    if (difference === undefined) throw new Error("a plan has come to no end");
    return difference;
  }

  /** The differences after the loss of each single node, the worst first. */
  async planEveryNode(options: PlanOptions = {}, signal: AbortSignal = NEVER): Promise<readonly NodeLoss[]> {
    const { at } = options;
    const nodes = [...this.#deps.cluster(at === undefined ? {} : { at }).nodes.keys()];
    const deaths = nodes.map((node) => [{ delete: `node/${node}` }]);
    const differences = await this.#deps.whatIf(deaths, { ...options, signal });
    const losses = differences.map((difference, index) => ({ node: nodes[index] ?? "", ...difference }));
    return losses.sort((a, b) => badness(b) - badness(a) || (a.node < b.node ? -1 : 1));
  }
}
