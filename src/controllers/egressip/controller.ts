// The EgressIP controller: places the addresses of EgressIPs on nodes and says so in their status. The decisions are
// made in plan.ts and node-events.ts, and how they reach the API is the placement's; here they are joined.
import type { ResourceName } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import {
  type LabelSelector,
  labelSelectorFromObject,
  parseLabelSelector,
} from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { informerFor } from "../kit/informers.ts";
import { LoopController } from "../kit/loop-controller.ts";
import { ReconcileLoop } from "../kit/reconcile-loop.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import type { EventSubject } from "../runtime/events/event-correlator.ts";
import { EventRecorder } from "../runtime/events/event-recorder.ts";
import { ReachabilityCheck } from "../runtime/reachability.ts";
import { CloudPlacement } from "./cloud/cloud-placement.ts";
import { type EgressIp, readEgressIp } from "./egress-ip.ts";
import { EgressIpIndex } from "./egress-ip-index.ts";
import { MarkAllocator } from "./mark-allocator.ts";
import { checkReachability, dropNode, takeNode } from "./node-events.ts";
import { type NodeState, readNodeState } from "./node-state.ts";
import { Allocator } from "./placement/allocator.ts";
import { createDirectPlacement } from "./placement/direct-placement.ts";
import { explainer } from "./placement/explain.ts";
import type { Placement, PlacementContext } from "./placement/placement.ts";
import { type Product, productOf } from "./product.ts";
import { isMisjudged } from "./reachability.ts";
import { EGRESS_IPS } from "./status-writer.ts";

const NODES: ResourceName = { group: "", version: "v1", resource: "nodes" };

export interface EgressIpControllerDeps extends ControllerDeps {
  /** Only nodes that have k8s.ovn.org/node-subnets are used. */
  readonly requireNodeSubnets?: boolean;
  /** Label selector of nodes that are not looked at in any way, their own addresses included. */
  readonly ignoredNodes?: string;
}

/** A controller that can be asked what it holds. */
export interface EgressIpController extends Controller {
  describe(): ReturnType<Allocator["describe"]>;
}

export function createEgressIpController(deps: EgressIpControllerDeps): EgressIpController {
  return new PlacingController(deps);
}

class PlacingController extends LoopController implements EgressIpController {
  readonly name = "egressip";
  readonly #deps: EgressIpControllerDeps;
  readonly #onCloud: boolean;
  readonly #product: Product;
  readonly #ignoredNodes: LabelSelector;
  readonly #allocator = new Allocator();
  readonly #marks = new MarkAllocator();
  readonly #index = new EgressIpIndex();
  readonly #nodes: Informer;
  readonly #egressIps: Informer;
  readonly #placement: Placement;
  protected readonly loop: ReconcileLoop;
  readonly #recorder: EventRecorder;
  readonly #reachability: ReachabilityCheck;
  /** Before that, handlers only gather; everything is looked at once when it starts. */
  #working = false;

  constructor(deps: EgressIpControllerDeps) {
    super();
    this.#deps = deps;
    const { client, clock, log, settings, ignoredNodes } = deps;
    this.#onCloud = (settings?.platform ?? "none") !== "none";
    this.#product = productOf(settings?.profile);
    this.#ignoredNodes = ignoredNodes ? parseLabelSelector(ignoredNodes) : labelSelectorFromObject(undefined);
    this.#nodes = informerFor(deps, this.name, NODES);
    this.#egressIps = informerFor(deps, this.name, EGRESS_IPS);
    const context = this.#placementContext();
    this.#placement = this.#onCloud ? new CloudPlacement(context) : createDirectPlacement(context);
    this.loop = new ReconcileLoop({
      name: this.name,
      deps,
      informers: [this.#nodes, this.#egressIps, ...this.#placement.informers],
      reconcile: (name) => this.#placement.reconcile(name),
      prepare: () => this.#prepare(),
      settle: () => this.#recorder.flushed(),
    });
    const { signal } = this.loop;
    this.#recorder = new EventRecorder({
      client,
      clock,
      log,
      component: this.#product.eventComponent,
      signal,
    });
    this.#reachability = new ReachabilityCheck(clock, () => this.#checkReachability());
    signal.addEventListener("abort", () => this.#reachability.stop(), { once: true });
    this.#nodes.addHandlers({
      add: (node) => this.#takeNode(node),
      update: (_old, node) => this.#takeNode(node),
      delete: ({ metadata }) => this.#dropNode(metadata.name ?? ""),
    });
    this.#egressIps.addHandlers({
      add: (object) => this.#takeEgressIp(object),
      update: (_old, object) => this.#takeEgressIp(object),
      delete: ({ metadata }) => this.#dropEgressIp(metadata.name ?? ""),
    });
  }

  describe(): ReturnType<Allocator["describe"]> {
    return this.#allocator.describe();
  }

  /** ovn-kubernetes names an EgressIP without uid and apiVersion, and nothing finds its Events by these. */
  #shown(subject: EventSubject): EventSubject {
    const object = this.#egressIps.get(subject.name);
    if (this.#deps.settings?.eventUids !== true || object === undefined) return subject;
    const { apiVersion = "", metadata } = object;
    return { ...subject, uid: metadata.uid ?? "", apiVersion };
  }

  #placementContext(): PlacementContext {
    return {
      client: this.#deps.client,
      allocator: this.#allocator,
      index: this.#index,
      conflictEndsSearch: this.#product.conflictEndsSearch,
      informer: (resource) => informerFor(this.#deps, this.name, resource),
      hasNode: (name) => this.#nodes.get(name) !== undefined,
      say: (occurrences) => {
        for (const occurrence of occurrences) {
          const atStart = this.loop.isFirstLook(occurrence.subject.name);
          this.#recorder.record({ ...occurrence, subject: this.#shown(occurrence.subject) }, { atStart });
        }
      },
      explain: explainer(this.#deps.log, this.#allocator),
      newMark: (egressIp) => this.#newMark(egressIp),
      lookAt: (name) => this.#lookAt([name]),
    };
  }

  /** What the statuses say was allocated before is so still: a restart moves nothing. */
  #prepare(): void {
    const all = this.#index.all();
    for (const { name, mark } of all) if (mark !== undefined) this.#marks.reserve(name, mark);
    this.#working = true;
    this.#placement.prepare(all);
    this.#lookAt(all.map(({ name }) => name));
    this.#expectCheck(this.#allocator.nodes());
  }

  /** The mark to write; none where the object carries one already, whoever set it, or where there are none. */
  #newMark({ name, mark }: EgressIp): string | undefined {
    if (mark !== undefined || !this.#product.marks) return undefined;
    const fresh = this.#marks.markOf(name);
    if (fresh === undefined) throw new Error("no free mark is left");
    return fresh;
  }

  #takeEgressIp(object: KubeObject): void {
    const egressIp = readEgressIp(object);
    const { name, mark } = egressIp;
    const before = this.#index.get(name);
    this.#index.set(egressIp);
    if (!this.#working) return;
    if (mark !== undefined) this.#marks.reserve(name, mark);
    this.#placement.changed?.(before, egressIp);
    this.#lookAt([name]);
  }

  /** Frees everything at once, so that whatever comes after it in the line finds it free. */
  #dropEgressIp(name: string): void {
    const egressIp = this.#index.get(name);
    this.#index.delete(name);
    this.loop.queue.forget(name);
    if (egressIp) this.#placement.gone?.(egressIp);
    this.#allocator.releaseAll(name);
    this.#marks.release(name);
  }

  #takeNode(node: KubeObject): void {
    const { name = "", labels } = node.metadata;
    if (this.#ignoredNodes.matches(labels)) {
      this.#dropNode(name);
      return;
    }
    const before = this.#allocator.node(name);
    const requireNodeSubnets = this.#deps.requireNodeSubnets ?? false;
    const state = readNodeState(node, before, {
      requireNodeSubnets,
      onCloud: this.#onCloud,
      hostCidrs: this.#product.hostCidrs,
    });
    this.#lookAt([...takeNode(this.#allocator, this.#index, before, state)].sort());
    const settled = this.#allocator.node(name);
    if (settled) this.#expectCheck([settled]);
  }

  #dropNode(name: string): void {
    this.#lookAt([...dropNode(this.#allocator, this.#index, name)].sort());
  }

  #checkReachability(): void {
    this.#lookAt([...checkReachability(this.#allocator, this.#index)].sort());
  }

  /** Nodes are asked only when some would answer otherwise than they are held to. */
  #expectCheck(nodes: readonly NodeState[]): void {
    if (this.#working && nodes.some(isMisjudged)) this.#reachability.expect();
  }

  /** Puts EgressIPs in the line, in the order given. */
  #lookAt(names: readonly string[]): void {
    if (this.#working) for (const name of names) this.loop.queue.add(name);
  }
}
