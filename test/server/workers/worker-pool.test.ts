// Real threads: they run the same table of jobs as those of a server, read from the sources.
import { afterEach, describe, expect, test } from "vitest";
import { StatusError } from "../../../src/apimachinery/meta/status.ts";
import { type Job, jobOwner } from "../../../src/apimachinery/workers/job.ts";
import { type PoolLimits, WorkerPool } from "../../../src/apimachinery/workers/worker-pool.ts";
import { decodeYamlJob } from "../../../src/apiserver/endpoints/request/decode-yaml-job.ts";
import { validateCustomJob } from "../../../src/apiserver/registry/custom-resource.ts";
import { eventually } from "../../support/eventually.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);
const encode = (value: object): Uint8Array => bytes(JSON.stringify(value));
const SMALL = bytes("a: 1\n");
/** Much work, and much that comes of it. */
const LONG = bytes("- [x, y]\n".repeat(300_000));
const MIDDLE = bytes("- [x, y]\n".repeat(30_000));
const VALUE = { json: new TextEncoder().encode('{"a":1}'), duplicates: [] };

let pool: WorkerPool | undefined;

function open(limits: Partial<PoolLimits> = {}): WorkerPool {
  pool = new WorkerPool({ threadsMax: 1, ...limits });
  return pool;
}

afterEach(async () => await pool?.close());

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 0,
    (error: unknown) => (error instanceof StatusError ? error.code : error),
  );

test("there are no threads before the first job, and none when nothing has come for a while", async () => {
  const workers = open({ idleMs: 20 });
  expect(workers.threads).toBe(0);
  expect(await workers.run(decodeYamlJob, SMALL)).toEqual(VALUE);
  await eventually(
    () => workers.threads,
    (threads) => threads === 0,
  );
  expect(await workers.run(decodeYamlJob, SMALL)).toEqual(VALUE);
});

test("jobs wait for a thread, and all are done", async () => {
  const workers = open({ threadsMax: 2 });
  const answers = await Promise.all(Array.from({ length: 10 }, () => workers.run(decodeYamlJob, SMALL)));
  expect(answers).toEqual(Array(10).fill(VALUE));
  expect(workers.threads).toBe(2);
});

test("who finds the queue full gets 429 and is told when to come again", async () => {
  const workers = open({ queueMax: 1 });
  const accepted = [workers.run(decodeYamlJob, SMALL), workers.run(decodeYamlJob, SMALL)];
  const refused = await workers.run(decodeYamlJob, SMALL).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 429, status: { details: { retryAfterSeconds: 1 } } });
  expect(await Promise.all(accepted)).toEqual([VALUE, VALUE]);
});

describe("a job that exceeds a limit ends its thread, and the next job gets another", () => {
  test("of time: 504", async () => {
    const workers = open({ workMs: 100 });
    expect(await codeOf(workers.run(decodeYamlJob, LONG))).toBe(504);
    expect(workers.threads).toBe(0);
  });

  test("of waiting: 504, and the job is never begun", async () => {
    const workers = open({ workMs: 2000, waitAndWorkMs: 50 });
    const first = codeOf(workers.run(decodeYamlJob, LONG));
    expect(await codeOf(workers.run(decodeYamlJob, SMALL))).toBe(504);
    await workers.close();
    expect(await first).toBe(503);
  });

  test("of memory: 413", async () => {
    const workers = open({ heapMb: 24 });
    expect(await codeOf(workers.run(decodeYamlJob, LONG))).toBe(413);
    expect(await workers.run(decodeYamlJob, SMALL)).toEqual(VALUE);
  });
});

describe("users share the threads", () => {
  const user = (name: string, ...groups: string[]) => jobOwner({ name, groups });

  test("one with many long jobs does not keep another waiting for them all", async () => {
    const workers = open();
    const order: string[] = [];
    const run = (name: string, input: Uint8Array) =>
      workers
        .of(user(name))
        .run(decodeYamlJob, input)
        .then(() => void order.push(name));
    const all = [...Array.from({ length: 4 }, () => run("many", MIDDLE)), run("one", SMALL)];
    await Promise.all(all);
    expect(order.slice(0, 2)).toEqual(["many", "one"]);
  });

  test("one with all rights waits for nobody", async () => {
    const workers = open();
    const long = codeOf(workers.of(user("many")).run(decodeYamlJob, MIDDLE));
    const root = workers.of(user("root", "system:masters")).run(decodeYamlJob, SMALL);
    expect(await Promise.race([long, root])).toEqual(VALUE);
    expect(await long).toBe(0);
  });

  test("a job whose client has gone is not begun, and ended if it was", async () => {
    const workers = open();
    const [running, waiting] = [new AbortController(), new AbortController()];
    const of = ({ signal }: AbortController) =>
      workers.of(jobOwner({ name: "jane", groups: [] }, signal)).run(decodeYamlJob, LONG);
    const [first, second] = [codeOf(of(running)), codeOf(of(waiting))];
    waiting.abort();
    expect(await second).toBe(499);
    running.abort();
    expect(await first).toBe(499);
    expect(await codeOf(of(running))).toBe(499);
    expect(workers.threads).toBe(0);
  });
});

test("a mistake in a job is an error, and its thread goes on", async () => {
  const workers = open();
  const unknown: Job<number, number> = { name: "unknown", run: (input) => input };
  await expect(workers.run(unknown, 1)).rejects.toThrow("no job is known as unknown");
  expect(await workers.run(decodeYamlJob, SMALL)).toEqual(VALUE);
});

describe("what threads keep", () => {
  const schema = encode({ type: "object", properties: { spec: { type: "object", required: ["a"] } } });
  const check = { preceding: [], statusOnly: false, scale: undefined, old: undefined };
  const object = JSON.stringify({ apiVersion: "a/v1", kind: "A", metadata: { name: "a" }, spec: {} });

  test("is asked for once, and again when it could not be made", async () => {
    const workers = open();
    let asked = 0;
    const source = {
      key: "a schema",
      bytes: async () => {
        if (++asked === 1) throw new Error("not yet");
        return schema;
      },
    };
    const validate = () => workers.runWith(validateCustomJob, { ...check, object }, source);
    await expect(validate()).rejects.toThrow("not yet");
    for (let time = 0; time < 2; time++)
      expect(await validate()).toEqual([expect.objectContaining({ field: "spec.a" })]);
    expect([asked, workers.threads]).toEqual([2, 1]);
  });

  test("is not waited for by a pool that closes", async () => {
    const workers = open();
    const source = { key: "never", bytes: () => new Promise<Uint8Array>(() => {}) };
    const waiting = codeOf(workers.runWith(validateCustomJob, { ...check, object }, source));
    await workers.close();
    expect(await waiting).toBe(503);
  });
});

test("a closed pool leaves no thread and answers 503", async () => {
  const workers = open();
  const underWay = codeOf(workers.run(decodeYamlJob, LONG));
  const waiting = codeOf(workers.run(decodeYamlJob, SMALL));
  await workers.close();
  expect(await Promise.all([underWay, waiting])).toEqual([503, 503]);
  expect(await codeOf(workers.run(decodeYamlJob, SMALL))).toBe(503);
  expect(workers.threads).toBe(0);
});
