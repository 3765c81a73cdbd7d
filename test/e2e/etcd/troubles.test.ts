// An administrator repairs an etcd while servers use it: it is restored from an older copy, or its space quota is
// exceeded. The servers recover without a restart.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EgretProcess, startEgret } from "../../support/egret-process.ts";
import { Etcd, etcdProblem } from "../../support/etcd.ts";
import { eventually } from "../../support/eventually.ts";

const problem = etcdProblem();
const QUOTA_BYTES = 8 * 1024 * 1024;
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const HEALED_MS_MAX = 40_000;
/** Two seconds at most for an answer, and one in which the answer before counts; on a machine that others share. */
const TOLD_MS_MAX = 20_000;

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function ask(url: string, method = "GET", body?: object): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers };
  const answer = await fetch(url, { method, ...sent });
  return { status: answer.status, body: (await answer.json()) as Answer["body"] };
}

const configMap = (name: string, a: string) => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a } },
});

describe.skipIf(problem !== undefined)(
  `an etcd in trouble${problem === undefined ? "" : ` (left out: ${problem})`}`,
  () => {
    let etcd: Etcd;
    let servers: EgretProcess[] = [];
    const start = () => startEgret([`--store=etcd://${etcd.endpoint}`, "--kubeconfig="]);

    beforeAll(async () => {
      etcd = await Etcd.start(["--quota-backend-bytes", `${QUOTA_BYTES}`]);
      servers = [await start()];
    });
    afterAll(async () => {
      for (const server of servers) await server[Symbol.asyncDispose]();
      await etcd?.stop();
    });

    const everywhere = (path: string): string[] => servers.map(({ url }) => `${url}${path}`);
    const statuses = (path: string) =>
      Promise.all(everywhere(path).map(async (url) => (await fetch(url)).status));
    const leads = async (): Promise<unknown[]> => {
      const answers = await Promise.all(everywhere("/egret/v1/status").map((url) => ask(url)));
      return answers.filter(({ body }) => body["leads"] === true);
    };

    test("restored from an older copy: all that came after is gone, watches are told so, and everything goes on", async () => {
      await ask(`${servers[0]?.url}${CONFIG_MAPS}`, "POST", configMap("before", "1"));
      const copy = etcd.save("copy");
      // Afterwards a new server leads, which is not recorded in the copy.
      await servers[0]?.stop();
      servers = [await start(), await start()];
      const [first = "", second = ""] = everywhere(CONFIG_MAPS);
      await ask(`${first}/before`, "PUT", configMap("before", "2"));
      expect((await ask(second, "POST", configMap("after", "1"))).status).toBe(201);
      const { resourceVersion } = (await ask(first)).body["metadata"] as { resourceVersion: string };
      const watch = await fetch(`${second}?watch=1&resourceVersion=${resourceVersion}`);

      await etcd.restore(copy);
      expect(await watch.text()).toMatch(/^\{"type":"ERROR",.*"reason":"Expired","code":410/);
      const isReady = (all: readonly number[]) => all.every((status) => status === 200);
      await eventually(() => statuses("/readyz"), isReady, HEALED_MS_MAX);
      expect(await statuses(`${CONFIG_MAPS}/after`)).toEqual([404, 404]);
      for (const url of everywhere(`${CONFIG_MAPS}/before`))
        expect((await ask(url)).body["data"]).toEqual({ a: "1" });
      const again = await fetch(`${first}?watch=1&resourceVersion=${resourceVersion}`);
      expect(await again.text()).toContain('"code":410');
      expect((await ask(first, "POST", configMap("after", "3"))).status).toBe(201);
      expect((await ask(`${second}/after`)).body["data"]).toEqual({ a: "3" });
      await eventually(leads, (leaders) => leaders.length === 1, HEALED_MS_MAX);
    });

    test("hanging: whoever asks for readiness is told within seconds, and told again when it goes on", async () => {
      const answered = async () => {
        const beganMs = performance.now();
        const answers = await statuses("/readyz");
        return { answers, ms: performance.now() - beganMs };
      };
      etcd.pause();
      try {
        // What was found within the last second counts still.
        const isTold = ({ answers }: { answers: number[] }) => answers.every((status) => status === 500);
        const { ms } = await eventually(answered, isTold, TOLD_MS_MAX);
        expect(ms).toBeLessThan(10_000);
        const [first = ""] = everywhere("/livez/etcd");
        expect(await (await fetch(first)).text()).toMatch(/^internal server error: /);
      } finally {
        etcd.resume();
      }
      const isReady = ({ answers }: { answers: number[] }) => answers.every((status) => status === 200);
      await eventually(answered, isReady, HEALED_MS_MAX);
    });

    test("full: writes are refused in its words, all else goes on, and writes do once there is room again", async () => {
      const [first = "", second = ""] = everywhere(CONFIG_MAPS);
      const text = "x".repeat(700_000);
      let count = 0;
      const fill = () => ask([first, second][count % 2] ?? "", "POST", configMap(`big${count++}`, text));
      const full = await eventually(fill, ({ status }) => status !== 201);
      const message = "etcdserver: mvcc: database space exceeded";
      const refusal = {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message,
        code: 500,
      };
      expect(full).toEqual({ status: 500, body: refusal });
      for (const url of [first, second])
        expect(await ask(url, "POST", configMap("more", "1"))).toEqual({ status: 500, body: refusal });
      expect(await statuses(`${CONFIG_MAPS}/big0`)).toEqual([200, 200]);
      expect(await statuses("/readyz")).toEqual([200, 200]);
      for (let index = 0; index < count - 1; index++)
        expect((await ask(`${second}/big${index}`, "DELETE")).status).toBe(200);
      // The space is free, but the NOSPACE alarm of etcd is still set.
      expect((await ask(first, "POST", configMap("more", "1"))).body).toEqual(refusal);

      const { resourceVersion } = (await ask(first)).body["metadata"] as { resourceVersion: string };
      await etcd.compact(Number(resourceVersion));
      etcd.control("defrag");
      etcd.control("alarm", "disarm");
      for (const [index, url] of [first, second].entries())
        expect((await ask(url, "POST", configMap(`room${index}`, text))).status).toBe(201);
      await eventually(leads, (leaders) => leaders.length === 1, HEALED_MS_MAX);
    });
  },
);
