// Clients in the process for those who are no part of the server: what they ask is held back as requests over the wire
// are, so that it repeats as well.
import type { Client, ClientFactory } from "../../client/client.ts";
import type { ClockControl } from "./clock-control.ts";

export function heldClients(clientFor: ClientFactory, clock: Pick<ClockControl, "held">): ClientFactory {
  const held =
    <A extends readonly unknown[], R>(ask: (...of: A) => Promise<R>) =>
    async (...of: A): Promise<R> => {
      await clock.held();
      return ask(...of);
    };
  return (fieldManager, signal): Client => {
    const client = clientFor(fieldManager, signal);
    return {
      get: held((...of: Parameters<Client["get"]>) => client.get(...of)),
      list: held((...of: Parameters<Client["list"]>) => client.list(...of)),
      watch: (...of) => client.watch(...of),
      create: held((...of: Parameters<Client["create"]>) => client.create(...of)),
      update: held((...of: Parameters<Client["update"]>) => client.update(...of)),
      patch: held((...of: Parameters<Client["patch"]>) => client.patch(...of)),
      delete: held((...of: Parameters<Client["delete"]>) => client.delete(...of)),
    };
  };
}
