// The cost of encoding objects into etcd's bytes and of decoding them, for values recorded from a kube-apiserver: node
// --import tsx test/bench/layout-bench.ts [a part of keys]
import process from "node:process";
import { createStorageLayout } from "../../src/apiserver/layout/storage-layout.ts";
import { BUILT_IN_RESOURCES } from "../../src/kube/index.ts";
import { RECORDED } from "../unit/apiserver/layout/recorded.ts";

const RUN_MS = Number(process.env["BENCH_MS"] ?? 200);
const SLOWEST = 8;
const part = process.argv[2] ?? "/";

const layout = createStorageLayout({ builtIn: BUILT_IN_RESOURCES });
const measured = RECORDED.filter(({ key }) => key.includes(part)).map(({ key, value }) => {
  const { value: stored } = layout.decode(key, value);
  const decode = microseconds(() => layout.decode(key, value));
  const encode = microseconds(() => layout.encode(key, stored));
  return { key, bytes: value.length, decode, encode };
});

for (const way of ["decode", "encode"] as const) {
  const times = measured.map((item) => item[way]).sort((a, b) => a - b);
  const at = (share: number): string => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(1);
  console.log(
    `${way}: median ${at(0.5)} µs, 90 % ${at(0.9)} µs, slowest ${at(1)} µs of ${times.length} objects`,
  );
}
for (const { key, bytes, decode, encode } of measured.sort((a, b) => b.decode - a.decode).slice(0, SLOWEST))
  console.log(`  ${key}: ${bytes} bytes, decode ${decode.toFixed(1)} µs, encode ${encode.toFixed(1)} µs`);

/** Processor time of one call after many calls; other processes do not count. */
function microseconds(run: () => void): number {
  const spend = (milliseconds: number): number => {
    const start = process.cpuUsage();
    let calls = 0;
    for (;;) {
      for (let more = 0; more < 20; more++) run();
      calls += 20;
      const { user, system } = process.cpuUsage(start);
      if (user + system > milliseconds * 1000) return (user + system) / calls;
    }
  };
  spend(RUN_MS / 2);
  return spend(RUN_MS);
}
