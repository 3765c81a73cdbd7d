// Starts the bare server beside ours.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface RawServer extends AsyncDisposable {
  readonly url: string;
}

export async function startRawServer(): Promise<RawServer> {
  const child = fork(fileURLToPath(import.meta.resolve("./raw-server.ts")), {
    execArgv: ["--import", "tsx"],
  });
  const ended = once(child, "exit");
  const died = ended.then(([code]) => {
    throw new Error(`the bare server ended with ${code}`);
  });
  const [url] = await Promise.race([once(child, "message"), died]);
  died.catch(() => {}); // from here on its end is no failure
  return {
    url: String(url),
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}
