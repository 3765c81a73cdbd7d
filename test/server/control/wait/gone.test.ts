// A wait ends with its client, and takes nothing of the server any more.
import { afterEach, beforeEach, expect, test } from "vitest";
import { createServer, type Server } from "../../../../src/server/server.ts";
import { eventually } from "../../../support/eventually.ts";
import { MEMORY_SERVER } from "../../../support/memory-server.ts";

let server: Server;
beforeEach(async () => {
  server = await createServer(MEMORY_SERVER);
});
afterEach(() => server.close());

async function storeWatches(): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^egret_store_watches (\d+)$/m.exec(text)?.[1]);
}

test("a client that goes takes its wait with it", async () => {
  const before = await storeWatches();
  const client = new AbortController();
  const asked = fetch(`${server.url}/egret/v1/wait`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      query: { kind: "v1/ConfigMap", name: "a" },
      condition: "object != null",
      timeout: "5m",
    }),
    signal: client.signal,
  });
  await eventually(storeWatches, (count) => count === before + 1);
  client.abort();
  await expect(asked).rejects.toThrow("aborted");
  await eventually(storeWatches, (count) => count === before);
});
