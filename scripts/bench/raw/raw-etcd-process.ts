// Starts the writer that puts into an etcd.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Sample } from "../measure.ts";
import { metered } from "../process-time.ts";
import type { RawPuts } from "./raw-etcd.ts";

export interface RawEtcd extends AsyncDisposable {
  /** Turns are taken one after the other. */
  puts(asked: RawPuts): Promise<Sample>;
}

export function startRawEtcd(endpoint: string): RawEtcd {
  const child = fork(fileURLToPath(import.meta.resolve("./raw-etcd.ts")), [endpoint], {
    execArgv: ["--import", "tsx"],
  });
  const ended = once(child, "exit");
  const died = ended.then(([code]) => {
    throw new Error(`the writer into etcd ended with ${code}`);
  });
  died.catch(() => {}); // its end is a failure for those who wait for it
  return {
    puts: (asked) =>
      metered(child.pid, async () => {
        const answered = once(child, "message");
        child.send(asked);
        const [sample] = await Promise.race([answered, died]);
        return sample as Sample; // that process sends nothing else
      }),
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}
