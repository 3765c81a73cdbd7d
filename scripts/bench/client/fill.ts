// Creates the objects among which a measurement runs.
import { measure } from "../measure.ts";
import { workers } from "./egress-ips.ts";
import { withConnections } from "./http-connection.ts";
import type { ServerAccess } from "./server-access.ts";

const FILL_CLIENTS = 64;
const FILL_MS_MAX = 300_000;
/** The limit per object; a million objects need this long. */
const FILL_MS_EACH = 2;

/** Creates `count` objects at full speed. */
export async function fill(
  access: ServerAccess,
  count: number,
  request: (number: number) => string,
): Promise<void> {
  await withConnections(access, FILL_CLIENTS, async (connections) => {
    const limits = { msMax: Math.max(FILL_MS_MAX, count * FILL_MS_EACH), countMax: count };
    const { delaysMs } = await measure(workers(connections, 201, request), limits);
    if (delaysMs.length < count)
      throw new Error(`only ${delaysMs.length} of ${count} objects were made in time`);
  });
}
