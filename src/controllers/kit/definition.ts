// The contract of a controller: a client of the API that brings the world in line with the objects. It is
// level-triggered: events only say what to look at, and the outcome depends on the objects, not on the events. And what a
// definition says: what is watched, to which keys a change leads, and what is done about a key.
import type { KeyObject } from "node:crypto";
import type { Client, ClientFactory, ClientListOptions, ResourceName } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import type { CertificateRequest } from "../../go/x509/certificate-request.ts";
import type { Clock } from "../../meta/clock.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Occurrence } from "../../meta/occurrence.ts";
import type { ResourceCatalog } from "./api.ts";
import type { Logger } from "./logging.ts";
import type { ControllerSettings } from "./settings.ts";
import type { WorkQueue } from "./work-queue.ts";

export interface Controller {
  readonly name: string;
  /** Resolves once it works on its queue; it goes on until the signal aborts or stop is called. Called once. */
  start(signal: AbortSignal): Promise<void>;
  /** Resolves when nothing of it runs any more. Harmless when repeated. */
  stop(): Promise<void>;
  /** Resolves once all that the API holds was looked at and nothing is left to do (retries that wait do not count). */
  idle(): Promise<void>;
  /**
   * From now on it does nothing about what it sees. Returns the function with which it goes on: once it has seen all that the
   * API then holds, and as if it had said nothing but what the Events say.
   */
  hold(): () => Promise<void>;
  /** Rises when a piece of work comes, begins or ends: an unchanged value means that nothing was done in between. */
  readonly activity: number;
}

type Warnings = readonly { readonly fieldRef: string; readonly warning: string }[];

/** An object that every cluster begins with. */
export interface FirstObject {
  readonly resource: string;
  readonly object: KubeObject;
  /** Nobody can change what it says. */
  readonly mandatory: boolean;
}

/** Which node ports are noted as taken. Whoever changes that changes nothing else. */
export interface NodePorts {
  /** Of the ports that Services can get, as it is shown to people. */
  readonly range: string;
  isInRange(port: number): boolean;
  /** Resolves when nobody can have taken one earlier that is not among them. */
  taken(): Promise<readonly number[]>;
  /** What a Service has. */
  portsOf(service: Readonly<KubeObject>): readonly number[];
  /** For a Service that is still as it is here. False: it is another one by now, or the port is taken. */
  take(port: number, service: Readonly<KubeObject>): Promise<boolean>;
  /** False: it is not taken, or somebody else was faster. */
  giveBack(port: number): Promise<boolean>;
}

/** What the server gives to all controllers. */
export interface ControllerContext {
  /** Clients by the name under which they write. */
  readonly clientFor: ClientFactory;
  readonly clock: Clock;
  readonly log: Logger;
  /** Which resources are served, for controllers that deal with all of them. */
  readonly catalog?: ResourceCatalog;
  readonly settings?: ControllerSettings;
  /** The certificate authority of the server, in PEM; "" or left out while it speaks plain HTTP. */
  readonly authority?: string | undefined;
  /** Makes a client certificate, in PEM; left out where clients are not authenticated by certificates. */
  readonly signClient?:
    | ((
        of: Pick<CertificateRequest, "subject" | "names"> & { readonly publicKey: KeyObject },
        terms: { readonly seconds: number; readonly usages: readonly string[] },
      ) => string)
    | undefined;
  /** Signs the token of a Secret of type kubernetes.io/service-account-token; left out: such Secrets get none. */
  readonly signSecretToken?:
    | ((of: {
        readonly namespace: string;
        readonly secret: string;
        readonly account: { readonly name: string; readonly uid: string };
      }) => string)
    | undefined;
  /** Owners that are known to have been absent when their dependents were imported; left out: none. */
  readonly absentOwners?: { has(uid: string): boolean };
  /** The flow schemas and priority levels of every cluster; left out: there are none. */
  readonly flowControlObjects?: readonly FirstObject[];
  /** Left out: nobody looks after them. */
  readonly nodePorts?: NodePorts;
  /** ConfigMaps of the server in kube-system by name, each with what creates or completes it; left out: there are none. */
  readonly ownConfigMaps?: ReadonlyMap<string, (client: Client) => Promise<void>>;
  /** What is odd about the expressions of a ValidatingAdmissionPolicy; left out: nobody knows. */
  readonly checkPolicyTypes?: (policy: Readonly<KubeObject>) => Warnings;
}

/** What each of them gets to work with; who writes in its own name only needs no clientFor. */
export interface ControllerDeps extends Omit<ControllerContext, "clientFor"> {
  readonly client: Client;
  readonly clientFor?: ClientFactory;
  /** Told of every queue that is made, so that its figures can be seen. */
  readonly onQueue?: (name: string, queue: WorkQueue) => void;
}

/** How a controller is offered to the manager. */
export interface ControllerDescriptor {
  readonly name: string;
  /** The name under which its writes are recorded in managedFields. */
  readonly fieldManager: string;
  /** Left out of what runs when nobody says what is to run; "*" turns it on like any other. */
  readonly offByDefault?: boolean;
  /** A part of a kube-apiserver itself: it runs whatever else is chosen, unless it is taken out by its name. */
  readonly ofServer?: boolean;
  /** A part of a living cluster, in which nodes and pods do something: "*" means it only with --cluster. */
  readonly ofCluster?: boolean;
  /** What it does, in a line for the list of controllers. */
  readonly summary?: string;
  /** False: with these settings there is nothing for it to do, and it is not started. */
  isWanted?(settings: ControllerSettings): boolean;
  /** The resources that it watches with these settings. While one of them is not served it does not run. */
  needs?(settings: ControllerSettings): readonly ResourceName[];
  create(deps: ControllerDeps): Controller;
}

export interface Change {
  readonly type: "add" | "update" | "delete";
  /** As it is now; of one that is gone, the last state seen. */
  readonly object: KubeObject;
  readonly old: KubeObject | undefined;
}

/** In the order in which they are to be looked at; undefined is passed over. */
export type Keys = readonly (string | undefined)[];

export interface Watch<W> {
  readonly resource: ResourceName;
  /** Which objects; they come without managedFields unless asked for. */
  readonly list?: ClientListOptions;
  /** With these settings it is followed; otherwise it stays empty. Left out: always. */
  isWanted?(settings: ControllerSettings): boolean;
  /** Followed only from the first `follow` on: there may be many objects, and mostly nobody asks for them. */
  readonly lazy?: boolean;
  /** Notes a change in the memory, also before the controller works; may answer with whom that concerns. */
  readonly take?: ((change: Change, world: W) => Keys | undefined) | ((change: Change, world: W) => void);
  /** Which changes lead to keys; left out: all. */
  readonly on?: readonly Change["type"][];
  /** What of the object matters: an update that leaves this equal leads to no keys. */
  facts?(object: KubeObject): unknown;
  /** Whom a change concerns. Called while the controller works. Left out: what take answers, or the object's own key. */
  toKeys?(change: Change, world: W): Keys;
}

export interface Kit extends ControllerDeps {
  readonly name: string;
  readonly settings: ControllerSettings;
  readonly clientFor: ClientFactory;
  readonly queue: WorkQueue;
  /** Aborts when this life ends. */
  readonly signal: AbortSignal;
  /** Puts keys in the line, in the order given; before the controller works it does nothing. */
  look(keys: Keys): void;
  /**
   * Records an event. With the key that is being looked at: if it is looked at because the controller has started, this may
   * have been said before, and is not said if there is an Event that says it.
   */
  say(occurrence: Occurrence, key?: string): void;
  /** True while a key is looked at because the controller has started. */
  isFirstLook(key: string): boolean;
}

/** The kit with the local copies of what is watched, by the names in `watches`. */
export type KitWith<N extends string> = Kit & { readonly [Name in N]: Informer } & {
  /** Follows a lazy watch from now on; resolves once its objects are known. */
  follow(name: N): Promise<void>;
};

export type World<N extends string, M> = KitWith<N> & { readonly memory: M };

/** A key that is in line is looked at again after so long, unless a change comes first. */
export interface Requeue {
  readonly requeueAfterMs: number;
}

export interface RetryOptions {
  /** The pause after a first failure; it doubles with each further one. */
  readonly firstMs?: number;
  readonly maxMs?: number;
  /** A key that failed so often waits for the next change. */
  readonly attemptsMax?: number;
}

export interface Definition<N extends string, M> extends Omit<ControllerDescriptor, "create" | "needs"> {
  /** Who speaks in its events; left out: its name. */
  readonly events?: string | ((settings: ControllerSettings) => string);
  /** How many keys may be worked on at a time; left out: 16. */
  readonly workers?: number;
  /** Left out: from 1 s to 60 s, 15 times. */
  readonly retry?: RetryOptions;
  /** What it remembers, for one life. */
  memory?(kit: KitWith<N>): M;
  /** Started, and waited for, in this order. */
  readonly watches: { readonly [Name in N]: Watch<World<N, NoInfer<M>>> };
  start?(world: World<N, NoInfer<M>>): void;
  /**
   * Called when all that is watched is known: rebuilds the memory and answers with the keys to begin with. Changes lead to
   * keys only from then on; without it they do from the beginning, so that the first look follows the order of the lists.
   */
  prepare?(world: World<N, NoInfer<M>>): Keys;
  /** Called when it works; start waits for it. */
  started?(world: World<N, NoInfer<M>>): Promise<void>;
  /** Brings one key in line, whatever has happened. When it throws, the key is tried again after a pause. */
  reconcile(key: string, world: World<N, NoInfer<M>>): Promise<void> | Promise<Requeue | undefined>;
  /** Other work that idle waits for. */
  settle?(world: World<N, NoInfer<M>>): Promise<void>;
}

export interface Running<M> extends Controller {
  /** For those who look into it from outside. */
  readonly memory: M;
}

export interface DefinedController<M> extends ControllerDescriptor {
  create(deps: ControllerDeps): Running<M>;
}
