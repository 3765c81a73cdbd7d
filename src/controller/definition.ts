// The contract of a controller. It is a client of the API that reconciles objects. It is level-triggered: events only
// enqueue keys, and the outcome depends on the objects alone. A definition holds the watched resources, the mapping
// from changes to keys, and the reconcile function.
import type { KeyObject } from "node:crypto";
import type { CertificateRequest } from "../apimachinery/go/x509/certificate-request.ts";
import type { Clock } from "../apimachinery/meta/clock.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import type { Occurrence } from "../apimachinery/meta/occurrence.ts";
import type { ResourceCatalog } from "./api.ts";
import type { Client, ClientFactory, ClientListOptions, ResourceName } from "./client.ts";
import type { Informer } from "./informer.ts";
import type { Logger } from "./logging.ts";
import type { ControllerSettings } from "./settings.ts";
import type { WorkQueue } from "./work-queue.ts";

export interface Controller {
  readonly name: string;
  /** Resolves once it processes its queue. It runs until the signal aborts or stop() is called. Called once. */
  start(signal: AbortSignal): Promise<void>;
  /** Resolves when none of its work runs any more. Idempotent. */
  stop(): Promise<void>;
  /** Resolves once all objects in the API have been reconciled and the queue is empty. Pending retries do not count. */
  idle(): Promise<void>;
  /**
   * Pauses the controller: changes are enqueued but not reconciled. Returns the function that resumes it. The resume
   * first waits until the informers have caught up with the API. It then discards the event recorder's state, which is
   * rebuilt from the stored Events.
   */
  hold(): () => Promise<void>;
  /** Increases when a key is added, handed out or done. An unchanged value means that no work was done in between. */
  readonly activity: number;
}

type Warnings = readonly { readonly fieldRef: string; readonly warning: string }[];

/** An object that the server creates at bootstrap. */
export interface FirstObject {
  readonly resource: string;
  readonly object: KubeObject;
  /** Validation rejects each change of its spec, apart from spec.exempt. */
  readonly mandatory: boolean;
}

/** The node port allocations. Its functions change only these. */
export interface NodePorts {
  /** The node port range as shown to users. */
  readonly range: string;
  isInRange(port: number): boolean;
  /**
   * The allocated node ports. It waits for pending allocations, so that the result holds every port that was allocated
   * before the call.
   */
  taken(): Promise<readonly number[]>;
  /** The node ports of a Service. */
  portsOf(service: Readonly<KubeObject>): readonly number[];
  /**
   * Allocates the port for a Service that is unchanged since it was read. False: the Service has changed, or the port
   * is allocated.
   */
  take(port: number, service: Readonly<KubeObject>): Promise<boolean>;
  /** Releases the port. False: the port is not allocated, or another client wrote first. */
  giveBack(port: number): Promise<boolean>;
}

/** What the server provides to all controllers. */
export interface ControllerContext {
  /** Creates a client for a field manager. */
  readonly clientFor: ClientFactory;
  readonly clock: Clock;
  readonly log: Logger;
  /** Discovery, for controllers that handle all resources. */
  readonly catalog?: ResourceCatalog;
  readonly settings?: ControllerSettings;
  /** The CA of the server, in PEM. "" or omitted: the server uses plain HTTP. */
  readonly authority?: string | undefined;
  /** Signs a client certificate, in PEM. Omitted: the server does not authenticate clients by certificate. */
  readonly signClient?:
    | ((
        of: Pick<CertificateRequest, "subject" | "names"> & { readonly publicKey: KeyObject },
        terms: { readonly seconds: number; readonly usages: readonly string[] },
      ) => string)
    | undefined;
  /** Signs the token of a Secret of type kubernetes.io/service-account-token. Omitted: such Secrets get no token. */
  readonly signSecretToken?:
    | ((of: {
        readonly namespace: string;
        readonly secret: string;
        readonly account: { readonly name: string; readonly uid: string };
      }) => string)
    | undefined;
  /** Uids of owners that were missing when their dependents were imported. Omitted: none. */
  readonly absentOwners?: { has(uid: string): boolean };
  /** The bootstrap FlowSchemas and PriorityLevelConfigurations. Omitted: none. */
  readonly flowControlObjects?: readonly FirstObject[];
  /** Omitted: node port allocations are not repaired. */
  readonly nodePorts?: NodePorts;
  /** The server's ConfigMaps in kube-system: name → function that creates or completes it. Omitted: none. */
  readonly ownConfigMaps?: ReadonlyMap<string, (client: Client) => Promise<void>>;
  /** Type check of the CEL expressions in a ValidatingAdmissionPolicy. Omitted: no type checking. */
  readonly checkPolicyTypes?: (policy: Readonly<KubeObject>) => Warnings;
}

/**
 * What a single controller gets. `clientFor` may be omitted if the controller writes only under its own field manager.
 */
export interface ControllerDeps extends Omit<ControllerContext, "clientFor"> {
  readonly client: Client;
  readonly clientFor?: ClientFactory;
  /** Called with each new work queue, so that /metrics can report it. */
  readonly onQueue?: (name: string, queue: WorkQueue) => void;
}

/** A controller as the controller manager registers it. */
export interface ControllerDescriptor {
  readonly name: string;
  /** The field manager of its writes. */
  readonly fieldManager: string;
  /** Not part of the default of --controllers. "*" turns it on as any other controller. */
  readonly offByDefault?: boolean;
  /** Part of kube-apiserver itself: it runs whatever --controllers selects, unless "-name" turns it off. */
  readonly ofServer?: boolean;
  /** Part of the simulated cluster of nodes and pods: "*" includes it only with --cluster. */
  readonly ofCluster?: boolean;
  /** One line for the list of controllers. */
  readonly summary?: string;
  /** False: the controller has no work with these settings and is not started. */
  isWanted?(settings: ControllerSettings): boolean;
  /** The resources that it watches with these settings. It does not run while one of them is not served. */
  needs?(settings: ControllerSettings): readonly ResourceName[];
  create(deps: ControllerDeps): Controller;
}

export interface Change {
  readonly type: "add" | "update" | "delete";
  /** The current object; for a deletion, the last state seen. */
  readonly object: KubeObject;
  readonly old: KubeObject | undefined;
}

/** In the order of enqueueing. undefined is skipped. */
export type Keys = readonly (string | undefined)[];

export interface Watch<W> {
  readonly resource: ResourceName;
  /** Restricts the objects. managedFields are omitted unless requested. */
  readonly list?: ClientListOptions;
  /** Whether the informer runs with these settings; otherwise it stays empty. Omitted: always. */
  isWanted?(settings: ControllerSettings): boolean;
  /** The informer starts at the first `follow`. For resources with many objects that are seldom needed. */
  readonly lazy?: boolean;
  /** Records a change in the memory, also before the controller processes its queue. May return the affected keys. */
  readonly take?: ((change: Change, world: W) => Keys | undefined) | ((change: Change, world: W) => void);
  /** The change types that enqueue keys. Omitted: all. */
  readonly on?: readonly Change["type"][];
  /** The relevant part of the object. An update that leaves it equal enqueues nothing. */
  facts?(object: KubeObject): unknown;
  /**
   * The keys that a change affects. Called only once changes enqueue keys (see `prepare`). Omitted: the keys that
   * `take` returns, or the object's own key.
   */
  toKeys?(change: Change, world: W): Keys;
}

export interface Kit extends ControllerDeps {
  readonly name: string;
  readonly settings: ControllerSettings;
  readonly clientFor: ClientFactory;
  readonly queue: WorkQueue;
  /** Aborts when this controller instance ends. */
  readonly signal: AbortSignal;
  /** Enqueues keys in the given order. Before `prepare` has returned it does nothing. */
  look(keys: Keys): void;
  /**
   * Records an Event. Pass the key that is being reconciled: if the start enqueued it, an occurrence that a stored
   * Event already reports is not recorded again.
   */
  recordEvent(occurrence: Occurrence, key?: string): void;
  /** True while a key is reconciled because the controller has started. */
  isFirstLook(key: string): boolean;
}

/** The kit with the informers of the watches, by the names in `watches`. */
export type KitWith<N extends string> = Kit & { readonly [Name in N]: Informer } & {
  /** Starts the informer of a lazy watch. Resolves once it has synced. */
  follow(name: N): Promise<void>;
};

export type World<N extends string, M> = KitWith<N> & { readonly memory: M };

/** Requeues a reconciled key after this delay, unless a change enqueues it earlier. */
export interface Requeue {
  readonly requeueAfterMs: number;
}

export interface RetryOptions {
  /** The backoff after a first failure, in milliseconds. It doubles with each further failure. */
  readonly firstMs?: number;
  readonly maxMs?: number;
  /** After this number of failures the key waits for the next change. */
  readonly attemptsMax?: number;
}

export interface Definition<N extends string, M> extends Omit<ControllerDescriptor, "create" | "needs"> {
  /** The source component of its Events. Omitted: its name. */
  readonly events?: string | ((settings: ControllerSettings) => string);
  /** How many keys are reconciled concurrently. Omitted: 16. */
  readonly workers?: number;
  /** Omitted: backoff from 1 s to 60 s, 15 attempts. */
  readonly retry?: RetryOptions;
  /** Creates the memory of one controller instance. */
  memory?(kit: KitWith<N>): M;
  /** Informers start and sync in this order. */
  readonly watches: { readonly [Name in N]: Watch<World<N, NoInfer<M>>> };
  start?(world: World<N, NoInfer<M>>): void;
  /**
   * Called when all informers have synced. It rebuilds the memory and returns the initial keys. Changes enqueue keys
   * only from then on. Without `prepare` they do so from the beginning, so the first keys follow the order of the
   * lists.
   */
  prepare?(world: World<N, NoInfer<M>>): Keys;
  /** Called when the workers run. `start` waits for it. */
  started?(world: World<N, NoInfer<M>>): Promise<void>;
  /** Reconciles one key, whatever the cause. When it throws, the key is requeued with backoff. */
  reconcile(key: string, world: World<N, NoInfer<M>>): Promise<void> | Promise<Requeue | undefined>;
  /** Further work that `idle` waits for. */
  settle?(world: World<N, NoInfer<M>>): Promise<void>;
}

export interface Running<M> extends Controller {
  /** Exposed for code outside the controller. */
  readonly memory: M;
}

export interface DefinedController<M> extends ControllerDescriptor {
  create(deps: ControllerDeps): Running<M>;
}
