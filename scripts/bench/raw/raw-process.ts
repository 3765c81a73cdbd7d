// Starts the bare server for comparison, and minimal servers whose start is timed.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { packageFile } from "../../../src/apimachinery/meta/package-files.ts";
import { ask, plainAccess, type ServerAccess } from "../client/server-access.ts";
import { rssMegabytes } from "../memory.ts";

export interface RawServer extends AsyncDisposable {
  readonly access: ServerAccess;
}

/** It writes its data into the folder. */
export async function startRawServer(folder: string): Promise<RawServer> {
  const child = fork(fileURLToPath(import.meta.resolve("./raw-server.ts")), [folder], {
    execArgv: ["--import", "tsx"],
  });
  const ended = once(child, "exit");
  const died = ended.then(([code]) => {
    throw new Error(`the bare server ended with ${code}`);
  });
  const [url] = await Promise.race([once(child, "message"), died]);
  died.catch(() => {}); // from here on its exit is expected
  return {
    access: plainAccess(String(url), child.pid),
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}

/** The minimal server on fastify. */
const LEAST_SERVER = `
  import Fastify from "fastify";
  const app = Fastify({ logger: false });
  app.get("/", (request, reply) => reply.send("{}"));
  console.log(await app.listen({ host: "127.0.0.1", port: 0 }));
`;

/** The minimal server on Node. */
const BARE_NODE = `
  import { createServer } from "node:http";
  const server = createServer((request, answer) => answer.end("{}"));
  server.listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + server.address().port));
`;

export const leastServer = (): Promise<Least> => answering(LEAST_SERVER);
export const bareNode = (): Promise<Least> => answering(BARE_NODE);

export interface Least {
  readonly ms: number;
  readonly megabytes: number;
}

/** Starts a server with this program. Returns the time to its first answer and its memory when idle. */
async function answering(program: string): Promise<Least> {
  const from = performance.now();
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    cwd: packageFile(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  try {
    const [line] = await once(child.stdout, "data");
    await ask(plainAccess(String(line).trim()), "/");
    return { ms: performance.now() - from, megabytes: rssMegabytes(child.pid) };
  } finally {
    child.kill();
    await ended;
  }
}
