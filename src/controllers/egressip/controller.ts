// The EgressIP controller for bare metal: places the addresses of EgressIPs on nodes and says so in their status. The
// decisions are made in reconcile.ts and node-events.ts; here they are joined to the API.
import type { ResourceName } from "../../client/client.ts";
import { Informer } from "../../client/informer.ts";
import {
  type LabelSelector,
  labelSelectorFromObject,
  parseLabelSelector,
} from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import { EventRecorder } from "../runtime/event-recorder.ts";
import { errorText } from "../runtime/logger.ts";
import { ReconcileLoop } from "../runtime/reconcile-loop.ts";
import { Allocator } from "./allocator.ts";
import { type EgressIp, readEgressIp } from "./egress-ip.ts";
import { EgressIpIndex } from "./egress-ip-index.ts";
import { EVENT_COMPONENT } from "./events.ts";
import { MarkAllocator } from "./mark-allocator.ts";
import { dropNode, takeNode } from "./node-events.ts";

import { readNodeState } from "./node-state.ts";
import { preload } from "./preload.ts";
import { reconcileEgressIp } from "./reconcile.ts";
import { EGRESS_IPS, isWritten, writeStatus } from "./status-writer.ts";

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
  return new BareMetalEgressIpController(deps);
}

class BareMetalEgressIpController implements EgressIpController {
  readonly name = "egressip";
  readonly #deps: EgressIpControllerDeps;
  readonly #ignoredNodes: LabelSelector;
  readonly #allocator = new Allocator();
  readonly #marks = new MarkAllocator();
  readonly #index = new EgressIpIndex();
  readonly #nodes: Informer;
  readonly #egressIps: Informer;
  readonly #loop: ReconcileLoop;
  readonly #recorder: EventRecorder;
  /** Before that, handlers only gather; everything is looked at once when it starts. */
  #working = false;

  constructor(deps: EgressIpControllerDeps) {
    this.#deps = deps;
    this.#ignoredNodes = deps.ignoredNodes
      ? parseLabelSelector(deps.ignoredNodes)
      : labelSelectorFromObject(undefined);
    this.#nodes = this.#informer(NODES);
    this.#egressIps = this.#informer(EGRESS_IPS);
    this.#loop = new ReconcileLoop({
      name: this.name,
      deps,
      informers: [this.#nodes, this.#egressIps],
      reconcile: (name) => this.#reconcile(name),
      prepare: () => this.#prepare(),
      settle: () => this.#recorder.flushed(),
    });
    const { client, clock, log } = deps;
    const { signal } = this.#loop;
    this.#recorder = new EventRecorder({ client, clock, log, component: EVENT_COMPONENT, signal });
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

  start(signal: AbortSignal): Promise<void> {
    return this.#loop.start(signal);
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  idle(): Promise<void> {
    return this.#loop.idle();
  }

  get activity(): number {
    return this.#loop.activity;
  }

  describe(): ReturnType<Allocator["describe"]> {
    return this.#allocator.describe();
  }

  #informer(resource: ResourceName): Informer {
    const { client, clock, log } = this.#deps;
    const onError = (error: unknown): void =>
      log.warn("informer failed; trying again", {
        controller: this.name,
        resource: resource.resource,
        error: errorText(error),
      });
    return new Informer({ client, clock, resource, onError });
  }

  /** What the statuses say was allocated before is so still: a restart moves nothing. */
  #prepare(): void {
    const all = this.#index.all();
    preload(this.#allocator, all);
    for (const { name, mark } of all) if (mark !== undefined) this.#marks.reserve(name, mark);
    this.#working = true;
    for (const { name } of all) this.#loop.queue.add(name);
  }

  async #reconcile(name: string): Promise<void> {
    const egressIp = this.#index.get(name);
    if (!egressIp) return;
    const outcome = reconcileEgressIp(this.#allocator, egressIp);
    for (const occurrence of outcome.said) this.#recorder.record(occurrence);
    if (outcome.type === "invalid") {
      throw new Error(
        `invalid EgressIP spec, err: unable to parse provided EgressIP: ${outcome.text}, invalid`,
      );
    }
    if (outcome.type === "unchanged") return;
    const change = { items: outcome.items, mark: this.#newMark(egressIp) };
    if (!isWritten(egressIp, change)) await writeStatus(this.#deps.client, egressIp, change);
  }

  /** The mark to write; none where the object carries one already, whoever set it. */
  #newMark({ name, mark }: EgressIp): string | undefined {
    if (mark !== undefined) return undefined;
    const fresh = this.#marks.markOf(name);
    if (fresh === undefined) throw new Error("no free mark is left");
    return fresh;
  }

  #takeEgressIp(object: KubeObject): void {
    const egressIp = readEgressIp(object);
    this.#index.set(egressIp);
    if (!this.#working) return;
    if (egressIp.mark !== undefined) this.#marks.reserve(egressIp.name, egressIp.mark);
    this.#loop.queue.add(egressIp.name);
  }

  /** Frees everything at once, so that whatever comes after it in the line finds it free. */
  #dropEgressIp(name: string): void {
    this.#index.delete(name);
    this.#allocator.releaseAll(name);
    this.#marks.release(name);
    this.#loop.queue.forget(name);
  }

  #takeNode(node: KubeObject): void {
    const { name = "", labels } = node.metadata;
    if (this.#ignoredNodes.matches(labels)) {
      this.#dropNode(name);
      return;
    }
    const before = this.#allocator.node(name);
    const requireNodeSubnets = this.#deps.requireNodeSubnets ?? false;
    const state = readNodeState(node, before, { requireNodeSubnets });
    this.#lookAt(takeNode(this.#allocator, this.#index, before, state));
  }

  #dropNode(name: string): void {
    this.#lookAt(dropNode(this.#allocator, this.#index, name));
  }

  #lookAt(names: ReadonlySet<string>): void {
    if (!this.#working) return;
    const { queue } = this.#loop;
    const fresh = [...names].filter((name) => !queue.has(name));
    for (const name of fresh.sort()) queue.add(name);
  }
}
