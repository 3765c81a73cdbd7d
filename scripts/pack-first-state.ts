// Part of the build: the objects that a server creates at its first start (bootstrap), as a file for each profile, so that
// later first starts only have to store them.

import { writeFile } from "node:fs/promises";
import { systemClock } from "../src/apimachinery/meta/clock.ts";
import { createIds } from "../src/apimachinery/meta/ids.ts";
import { packageFile } from "../src/apimachinery/meta/package-files.ts";
import { PROFILES } from "../src/controller/emulated-release.ts";
import type { ServerOptions } from "../src/server/options/options.ts";
import { createServer } from "../src/server/server.ts";
import { PACKED_FIRST_POLICY, PACKING_TIME_MS, packedFirstState, packState } from "../src/server/store.ts";
import { createMemoryEngine } from "../src/storage/engine.ts";
import { openMvccStore } from "../src/storage/mvcc/mvcc-store.ts";
import type { KeyValue } from "../src/storage/store.ts";

const EVERYTHING = { from: "\u0000", to: "\uffff" };

for (const profile of PROFILES) {
  const items = await firstState({ profile });
  await writePacked(packedFirstState(profile), items);
  if (profile !== PROFILES[0]) continue;
  const withoutPolicy = new Set(items.map(({ key }) => key));
  const withPolicy = await firstState({ profile, authorizationMode: "RBAC" });
  await writePacked(
    PACKED_FIRST_POLICY,
    withPolicy.filter(({ key }) => !withoutPolicy.has(key)),
  );
}

/** The content of the store of a server with these options after its first start. */
async function firstState(given: Partial<ServerOptions>): Promise<readonly KeyValue[]> {
  const clock = { ...systemClock, now: () => PACKING_TIME_MS };
  const store = await openMvccStore(createMemoryEngine(), { clock });
  const quiet = { listen: "127.0.0.1:0", kubeconfig: undefined, controllers: "", logLevel: "silent" };
  const server = await createServer({ ...quiet, ...given }, { store, clock, ids: countedIds() });
  const { items } = store.list(EVERYTHING);
  await server.close();
  return items;
}

async function writePacked(name: string, items: readonly KeyValue[]): Promise<void> {
  await writeFile(packageFile("dist", name), JSON.stringify(packState(items)), "latin1");
}

/** The same ids in each build. */
function countedIds(): ReturnType<typeof createIds> {
  let count = 0;
  return createIds((bytes) => {
    for (let at = 0; at + 4 <= bytes.length; at += 4)
      new DataView(bytes.buffer, bytes.byteOffset).setUint32(at, ++count);
  });
}
