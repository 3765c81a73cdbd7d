// Almost valid requests to the whole server over real sockets: every answer arrives in bounded time, none is an internal
// error, and the server keeps working.
//
// FUZZ_REQUESTS=100000 sends that many; FC_SEED repeats a run.
import { Agent, request } from "node:http";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type Server } from "../../../src/server/server.ts";
import { MEMORY_SERVER } from "../../support/memory-server.ts";
import { isOwnMistake } from "../../support/own-mistake.ts";
import { type FuzzRequest, fuzzRequest } from "./requests.ts";

const REQUESTS = Number(process.env["FUZZ_REQUESTS"] ?? 2000);
const SEED = Number(process.env["FC_SEED"] ?? Date.now() % 2 ** 31);
const AT_ONCE = 25;
/** Far more than any request takes: the machine may be busy for seconds. */
const ANSWER_MS_MAX = 20_000;
const TEST_MS_MAX = 30_000 + REQUESTS * 20;

let server: Server;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
beforeAll(async () => {
  server = await createServer(MEMORY_SERVER);
});
afterAll(async () => {
  agent.destroy();
  await server.close();
});

interface FuzzAnswer {
  readonly status: number;
  readonly text: string;
}

/** Returns the head of the answer, and the body unless it is an open stream. */
function send({ method, path, headers, body }: FuzzRequest): Promise<FuzzAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const all = { ...headers, ...length };
    const sent = request(server.url, { method, path, headers: all, agent, timeout: ANSWER_MS_MAX });
    sent.on("response", (response) => {
      const status = response.statusCode ?? 0;
      const chunks: Buffer[] = [];
      const isWatch = status === 200 && /[?&]watch=(?!false)|\/watch\//.test(path);
      if (isWatch) {
        response.destroy();
        resolve({ status, text: "" });
        return;
      }
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status, text: Buffer.concat(chunks).toString() }));
      response.on("error", reject);
    });
    sent.on("timeout", () => sent.destroy(new Error(`no answer within ${ANSWER_MS_MAX} ms`)));
    sent.on("error", reject);
    sent.end(body);
  });
}

/** A HEAD answer has no body to judge by, and a 504 ends a wait that the request started. */
const isMistake = ({ method }: FuzzRequest, { status, text }: FuzzAnswer): boolean =>
  status === 0 || (status !== 504 && method !== "HEAD" && isOwnMistake(status, text));

test(`none of ${REQUESTS} hostile requests makes the server fail`, { timeout: TEST_MS_MAX }, async () => {
  const seen = new Map<number, number>();
  const mistakes: string[] = [];
  await fc.assert(
    fc.asyncProperty(fc.array(fuzzRequest, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (requests) => {
      const answers = await Promise.all(
        requests.map(async (each) => {
          const answer = await send(each).catch((error: Error) => ({ status: 0, text: String(error) }));
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
          return { each, answer };
        }),
      );
      const failed = answers.filter(({ each, answer }) => isMistake(each, answer));
      mistakes.push(
        ...failed.map(({ each, answer }) => `${show(each)}\n  ${answer.status} ${answer.text.slice(0, 500)}`),
      );
    }),
    {
      numRuns: Math.ceil(REQUESTS / AT_ONCE),
      endOnFailure: true,
      seed: SEED,
    },
  );
  if (process.env["FUZZ_REQUESTS"]) process.stdout.write(`${JSON.stringify(Object.fromEntries(seen))}\n`);
  expect(mistakes.slice(0, 20), `FC_SEED=${SEED}`).toEqual([]);
  expect((await send({ method: "GET", path: "/readyz", headers: {}, body: undefined })).text).toBe("ok");
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

function show({ method, path, headers, body }: FuzzRequest): string {
  const text = typeof body === "string" ? body : body ? `hex ${Buffer.from(body).toString("hex")}` : "";
  return `${method} ${path}\n  ${JSON.stringify(headers)}\n  ${text.slice(0, 1500)}`;
}
