// Faults for the controllers inside the server, which come by no connection: only those that name them by their user
// agent (the field manager), and only what can happen without a connection — errors and delays.
import type {
  Client,
  ClientDeleteOptions,
  ClientFactory,
  ClientListOptions,
  ClientWatch,
  ObjectKey,
  ObjectList,
  PatchOptions,
  ResourceName,
} from "../../client/client.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { FaultVerb } from "./fault.ts";
import { statusOf } from "./fault-status.ts";
import type { Faults } from "./faults.ts";
import type { Target } from "./match.ts";
import { type FaultDeps, sampleMilliseconds } from "./request-chain.ts";

const IN_PROCESS_USER = "system:egret";

interface About {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** Clients whose requests faults can strike. */
export function faultyClients(
  clientFor: ClientFactory,
  faults: Faults,
  deps: Pick<FaultDeps, "clock" | "random">,
): ClientFactory {
  return (fieldManager, signal) =>
    new FaultyClient(clientFor(fieldManager, signal), { ...deps, fieldManager, faults, signal });
}

interface FaultyDeps extends Pick<FaultDeps, "clock" | "random"> {
  readonly fieldManager: string;
  readonly faults: Faults;
  /** Nobody waits for answers any more once it aborts: delays end. */
  readonly signal: AbortSignal | undefined;
}

class FaultyClient implements Client {
  readonly #client: Client;
  readonly #faults: Faults;
  readonly #deps: FaultyDeps;

  constructor(client: Client, deps: FaultyDeps) {
    this.#client = client;
    this.#faults = deps.faults;
    this.#deps = deps;
  }

  get(resource: ResourceName, key: ObjectKey): Promise<KubeObject> {
    return this.#through("get", resource, key, () => this.#client.get(resource, key));
  }

  list(resource: ResourceName, options: ClientListOptions = {}): Promise<ObjectList> {
    return this.#through("list", resource, options, () => this.#client.list(resource, options));
  }

  watch(resource: ResourceName, resourceVersion: string, options: ClientListOptions = {}): ClientWatch {
    if (!this.#faults.idle) {
      const target = this.#target("watch", resource, options);
      for (const { error } of this.#faults.strikingInProcess(target)) {
        if (error) throw statusOf(error, target);
      }
    }
    return this.#client.watch(resource, resourceVersion, options);
  }

  create(resource: ResourceName, object: KubeObject): Promise<KubeObject> {
    return this.#through("create", resource, object.metadata, () => this.#client.create(resource, object));
  }

  update(resource: ResourceName, object: KubeObject, subresource = ""): Promise<KubeObject> {
    const about = { namespace: object.metadata.namespace, name: object.metadata.name, subresource };
    return this.#through("update", resource, about, () => this.#client.update(resource, object, subresource));
  }

  patch(resource: ResourceName, key: ObjectKey, options: PatchOptions): Promise<KubeObject> {
    const about = { ...key, subresource: options.subresource };
    return this.#through("patch", resource, about, () => this.#client.patch(resource, key, options));
  }

  delete(resource: ResourceName, key: ObjectKey, options?: ClientDeleteOptions): Promise<void> {
    return this.#through("delete", resource, key, () => this.#client.delete(resource, key, options));
  }

  #through<T>(verb: FaultVerb, resource: ResourceName, about: About, request: () => Promise<T>): Promise<T> {
    return this.#faults.idle ? request() : this.#struck(this.#target(verb, resource, about), request);
  }

  async #struck<T>(target: Target, request: () => Promise<T>): Promise<T> {
    const lateMs: number[] = [];
    const { clock, random, signal } = this.#deps;
    for (const { error, delay } of this.#faults.strikingInProcess(target)) {
      const waitMs = delay ? sampleMilliseconds(delay.milliseconds, random) : 0;
      if (delay?.when === "after") lateMs.push(waitMs);
      else if (delay) await clock.sleep(waitMs, signal);
      if (error?.when === "after") await request();
      if (error) throw statusOf(error, target);
    }
    const answer = await request();
    for (const waitMs of lateMs) await clock.sleep(waitMs, signal);
    return answer;
  }

  #target(verb: FaultVerb, { group, version, resource }: ResourceName, about: About): Target {
    return {
      ...{ verb, group, version, resource, subresource: about.subresource ?? "" },
      ...{ namespace: about.namespace ?? "", name: about.name ?? "" },
      ...{ userAgent: this.#deps.fieldManager, user: IN_PROCESS_USER },
      ...{ path: undefined, inProcess: true, query: undefined },
    };
  }
}
