// Writes status.host: what is there is read first, since an update of the status replaces all of it.

import type { Client, ObjectKey } from "../../client/client.ts";
import { isObject } from "../../meta/json.ts";
import { StatusError } from "../../meta/status.ts";
import { ovn } from "../kit/api.ts";

export const EGRESS_SERVICES = ovn("egressservices");

const TRIES_MAX = 5;

/** Writes unless the object says so already, or is gone by now. */
export async function writeHost(client: Client, key: ObjectKey, host: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const live = await client.get(EGRESS_SERVICES, key);
      const status = isObject(live["status"]) ? live["status"] : {};
      if (status["host"] === host) return;
      await client.update(EGRESS_SERVICES, { ...live, status: { ...status, host } }, "status");
      return;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      if (error.code === 404) return;
      // Somebody else has written in between.
      if (error.code !== 409 || tries >= TRIES_MAX) throw error;
    }
  }
}
