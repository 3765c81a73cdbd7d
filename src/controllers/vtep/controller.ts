// The controller of VTEPs: keeps one from going while networks go over it, and says in the condition Accepted whether it
// can be used. What is refused is also said in an event.
import type { ResourceName } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import { equalJson, isObject, objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { applyConditions } from "../networks/apply-status.ts";
import { configurationOf } from "../networks/conditions.ts";
import { CLUSTER_USER_DEFINED_NETWORKS, NODES } from "../networks/resources.ts";
import { ignoring } from "../runtime/api-errors.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import { EventRecorder } from "../runtime/events/event-recorder.ts";
import { informerFor } from "../runtime/informers.ts";
import { ReconcileLoop } from "../runtime/reconcile-loop.ts";
import { accepted, NODE_VTEPS_ANNOTATION } from "./validate.ts";

export const VTEP_FIELD_MANAGER = "clustermanager-vtep-controller";
const NAME = "vtep";
const EVENT_COMPONENT = "ovnk-controlplane";
const FINALIZER = "k8s.ovn.org/vtep-protection";
const VTEPS: ResourceName = { group: "k8s.ovn.org", version: "v1", resource: "vteps" };

export function createVtepController(deps: ControllerDeps): Controller {
  return new VtepController(deps).loop;
}

class VtepController {
  readonly loop: ReconcileLoop;
  readonly #deps: ControllerDeps;
  readonly #vteps: Informer;
  readonly #cudns: Informer;
  readonly #nodes: Informer;
  readonly #recorder: EventRecorder;
  #working = false;

  constructor(deps: ControllerDeps) {
    this.#deps = deps;
    this.#vteps = informerFor(deps, NAME, VTEPS);
    this.#cudns = informerFor(deps, NAME, CLUSTER_USER_DEFINED_NETWORKS);
    this.#nodes = informerFor(deps, NAME, NODES);
    this.loop = new ReconcileLoop({
      name: NAME,
      deps,
      informers: [this.#nodes, this.#cudns, this.#vteps],
      workers: 1,
      reconcile: (name) => this.#reconcile(name),
      prepare: () => {
        this.#working = true;
        this.#wakeAll();
      },
      settle: () => this.#recorder.flushed(),
    });
    const { client, clock, log } = deps;
    const { signal } = this.loop;
    this.#recorder = new EventRecorder({ client, clock, log, component: EVENT_COMPONENT, signal });
    this.#listen();
  }

  #listen(): void {
    const all = (): void => this.#wakeAll();
    this.#vteps.addHandlers({
      add: all,
      update: (old, vtep) => {
        if (equalJson(old["spec"], vtep["spec"])) this.#wake(vtep.metadata.name);
        else this.#wakeAll();
      },
      delete: all,
    });
    const user = (cudn: KubeObject): void => this.#wake(vtepOf(cudn));
    this.#cudns.addHandlers({ add: user, delete: user });
    this.#nodes.addHandlers({
      add: all,
      update: (old, node) => {
        const said = ({ metadata }: KubeObject) => metadata.annotations?.[NODE_VTEPS_ANNOTATION];
        if (said(old) !== said(node)) this.#wakeAll();
      },
      delete: all,
    });
  }

  #wake(name: string | undefined): void {
    if (this.#working && name !== undefined) this.loop.queue.add(name);
  }

  #wakeAll(): void {
    for (const name of [...this.#vteps.list()].map(({ metadata }) => metadata.name ?? "").sort()) {
      this.#wake(name);
    }
  }

  async #reconcile(name: string): Promise<void> {
    const { client, clock } = this.#deps;
    const vtep = this.#vteps.get(name);
    if (!vtep) return;
    const users = this.#usersOf(name);
    if (vtep.metadata.deletionTimestamp !== undefined) {
      if (users.length === 0) await this.#letGo(vtep);
      return;
    }
    await this.#hold(vtep);
    const condition = accepted(vtep, { vteps: this.#vteps.list(), nodes: this.#nodes.list(), users });
    const target = { client, resource: VTEPS, object: vtep, nowMs: clock.now() };
    const told = await applyConditions(target, [condition], { force: true });
    if (!told || condition.status === "True") return;
    const { apiVersion = "", kind = "", metadata } = vtep;
    this.#recorder.record({
      subject: { kind, name, uid: metadata.uid ?? "", apiVersion },
      type: "Warning",
      reason: condition.reason,
      message: condition.message,
    });
  }

  #usersOf(name: string): string[] {
    const users = [...this.#cudns.list()].filter((cudn) => vtepOf(cudn) === name);
    return users.map(({ metadata }) => metadata.name ?? "").sort();
  }

  async #hold(vtep: KubeObject): Promise<void> {
    if (vtep.metadata.finalizers?.includes(FINALIZER)) return;
    const { name = "" } = vtep.metadata;
    const body = configurationOf(vtep, { metadata: { name, finalizers: [FINALIZER] } });
    await this.#deps.client.patch(VTEPS, { namespace: "", name }, { type: "apply", force: true, body });
  }

  async #letGo(vtep: KubeObject): Promise<void> {
    const { finalizers = [] } = vtep.metadata;
    if (!finalizers.includes(FINALIZER)) return;
    const rest = finalizers.filter((item) => item !== FINALIZER);
    const next = { ...vtep, metadata: { ...vtep.metadata, finalizers: rest } };
    await ignoring([404], this.#deps.client.update(VTEPS, next));
  }
}

/** The VTEP that a ClusterUserDefinedNetwork goes over. */
function vtepOf({ spec }: KubeObject): string | undefined {
  const evpn = objectAt(objectAt(isObject(spec) ? spec : undefined, "network"), "evpn");
  return typeof evpn?.["vtep"] === "string" ? evpn["vtep"] : undefined;
}
