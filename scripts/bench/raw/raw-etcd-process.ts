// Starts the process that writes into an etcd.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Sample } from "../measure.ts";
import { metered } from "../process-time.ts";
import type { RawPuts } from "./raw-etcd.ts";

export interface RawEtcd extends AsyncDisposable {
  /** Turns run one after the other. */
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
  died.catch(() => {}); // puts() reports the failure
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
