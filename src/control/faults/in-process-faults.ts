// Faults for the controllers inside the server, which come by no connection: only those that name them by their user
// agent (the field manager), and only what can happen without a connection — errors and delays.
import { type ClientFactory, type ClientRequest, clientThrough } from "../../client/client.ts";
import type { Faults } from "./faults.ts";
import type { Target } from "./match.ts";
import { type FaultDeps, sampleMilliseconds, statusOf } from "./request-chain.ts";

const IN_PROCESS_USER = "system:egret";

/** Clients whose requests faults can strike. Once nobody waits for answers any more (the signal), delays end. */
export function faultyClients(
  clientFor: ClientFactory,
  faults: Faults,
  { clock, random }: Pick<FaultDeps, "clock" | "random">,
): ClientFactory {
  return (fieldManager, signal) => {
    const client = clientFor(fieldManager, signal);
    const struck = async <T>(target: Target, go: () => Promise<T>): Promise<T> => {
      const lateMs: number[] = [];
      for (const { fault } of faults.striking(target)) {
        const { error, delay } = fault;
        const waitMs = delay ? sampleMilliseconds(delay.milliseconds, random) : 0;
        if (delay?.when === "after") lateMs.push(waitMs);
        else if (delay) await clock.sleep(waitMs, signal);
        if (error?.when === "after") await go();
        if (error) throw statusOf(error, target);
      }
      const answer = await go();
      for (const waitMs of lateMs) await clock.sleep(waitMs, signal);
      return answer;
    };
    return {
      ...clientThrough(client, (request, go) =>
        faults.idle ? go() : struck(targetOf(request, fieldManager), go),
      ),
      watch: (resource, resourceVersion, options = {}) => {
        const { namespace = "" } = options;
        const request = { verb: "watch", resource, namespace, name: "", subresource: "" } as const;
        const target = targetOf(request, fieldManager);
        for (const { fault } of faults.idle ? [] : faults.striking(target)) {
          if (fault.error) throw statusOf(fault.error, target);
        }
        return client.watch(resource, resourceVersion, options);
      },
    };
  };
}

type InProcessRequest = Omit<ClientRequest, "verb"> & { readonly verb: string };

const targetOf = ({ resource, ...rest }: InProcessRequest, userAgent: string): Target => ({
  ...rest,
  ...resource,
  ...{ userAgent, user: IN_PROCESS_USER, path: undefined, inProcess: true, query: undefined },
});
