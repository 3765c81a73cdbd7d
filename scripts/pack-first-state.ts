// Part of the build: what a server creates at its first start, as a file for each profile, so that the next first starts
// only have to write it down.

import { writeFile } from "node:fs/promises";
import { systemClock } from "../src/meta/clock.ts";
import { createIds } from "../src/meta/ids.ts";
import { packageFile } from "../src/meta/package-files.ts";
import { createServer } from "../src/server/server.ts";
import { PACKING_TIME_MS, packedFirstState, packState } from "../src/server/store.ts";
import { createMemoryEngine } from "../src/storage/engine.ts";
import { openMvccStore } from "../src/storage/mvcc/mvcc-store.ts";
import { PROFILES } from "../src/verdict/snapshot.ts";

const EVERYTHING = { from: "\u0000", to: "\uffff" };

for (const profile of PROFILES) {
  const clock = { ...systemClock, now: () => PACKING_TIME_MS };
  const store = await openMvccStore(createMemoryEngine(), { clock });
  const options = {
    profile,
    listen: "127.0.0.1:0",
    kubeconfig: undefined,
    controllers: "",
    logLevel: "silent",
  };
  const server = await createServer(options, { store, clock, ids: countedIds() });
  const { items } = store.list(EVERYTHING);
  await writeFile(packageFile("dist", packedFirstState(profile)), JSON.stringify(packState(items)), "latin1");
  await server.close();
}

/** The same ids in each build. */
function countedIds(): ReturnType<typeof createIds> {
  let count = 0;
  return createIds((bytes) => {
    for (let at = 0; at + 4 <= bytes.length; at += 4)
      new DataView(bytes.buffer, bytes.byteOffset).setUint32(at, ++count);
  });
}
