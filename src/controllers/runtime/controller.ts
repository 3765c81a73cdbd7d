// The contract of a controller: a client of the API that brings the world in line with the objects. It is
// level-triggered: events only say what to look at, and the outcome depends on the objects, not on the events.
import type { Client, ClientFactory } from "../../client/client.ts";
import type { Clock } from "../../meta/clock.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Logger } from "./logging/logger.ts";
import type { ResourceCatalog } from "./resource-catalog.ts";
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
  /** Rises with every piece of work: an unchanged value means that nothing was done in between. */
  readonly activity: number;
}

export type PolicyTypeCheck = (
  policy: Readonly<KubeObject>,
) => readonly { readonly fieldRef: string; readonly warning: string }[];

/** What every controller gets to work with. */
export interface ControllerDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** Which resources are served, for controllers that deal with all of them. */
  readonly catalog?: ResourceCatalog;
  readonly settings?: ControllerSettings;
  /** The certificate authority of the server, in PEM; "" or left out while it speaks plain HTTP. */
  readonly authority?: string | undefined;
  /** What is odd about the expressions of a ValidatingAdmissionPolicy; left out: nobody knows. */
  readonly checkPolicyTypes?: PolicyTypeCheck;
  /** Told of every queue that is made, so that its figures can be seen. */
  readonly onQueue?: (name: string, queue: WorkQueue) => void;
}

/** A queue as /metrics shows it: name, keys in the line, keys ever put there, retries. */
export interface QueueFigures {
  readonly name: string;
  readonly depth: number;
  readonly adds: number;
  readonly retries: number;
}

/** What the manager hands to a controller that it creates. */
export interface ManagedDeps extends ControllerDeps {
  readonly settings: ControllerSettings;
  /** For a controller that writes in other names than its own. */
  readonly clientFor: ClientFactory;
}

/** How a controller is offered to the manager. */
export interface ControllerDescriptor {
  readonly name: string;
  /** The name under which its writes are recorded in managedFields. */
  readonly fieldManager: string;
  /** Left out of what runs when nobody says what is to run; "*" turns it on like any other. */
  readonly offByDefault?: boolean;
  /** What it does, in a line for the list of controllers. */
  readonly summary?: string;
  /** False: with these settings there is nothing for it to do, and it is not started. */
  isWanted?(settings: ControllerSettings): boolean;
  create(deps: ManagedDeps): Controller;
}

export interface ControllerContext {
  readonly clientFor: ClientFactory;
  readonly clock: Clock;
  readonly log: Logger;
  readonly catalog?: ResourceCatalog;
  readonly settings?: ControllerSettings;
  readonly authority?: string | undefined;
  readonly checkPolicyTypes?: PolicyTypeCheck;
}
