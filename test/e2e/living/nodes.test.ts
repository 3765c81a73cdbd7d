// A simulated cluster through its commands: egret nodes, kubectl, and a clock that the test advances.
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runEgret } from "../../support/egret-process.ts";
import { rowsOf } from "../../support/kubectl.ts";
import { KubectlSession } from "../../support/kubectl-session.ts";

let session: KubectlSession;
beforeAll(async () => {
  session = await KubectlSession.start(["--in-memory", "--cluster", "--clock", "2030-01-02T03:04:05Z"]);
});
afterAll(() => session?.close());

const egret = async (...words: string[]): Promise<string> => {
  const env = { EGRET_KUBECONFIG: join(session.folder, "kubeconfig") };
  const { code, stdout, stderr } = await runEgret(words, { env });
  expect({ code, stderr }, words.join(" ")).toEqual({ code: 0, stderr: "" });
  return stdout;
};
const advance = (duration: string) => egret("clock", "advance", duration);
const kubectl = (...words: string[]) => session.text(...words);

const EGRESS_IP = `apiVersion: k8s.ovn.org/v1
kind: EgressIP
metadata: {name: out}
spec:
  egressIPs: [192.168.126.200]
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: default}}
`;
const MANAGED = ["--selector", "app=web", "-o", "wide", "--no-headers=false"];
const pods = async () => rowsOf(await kubectl("get", "pods", ...MANAGED));
const egressNode = () => kubectl("get", "eip", "out", "-o", "jsonpath={.status.items[0].node}");

test("nodes are added, run what is deployed, fail, come back and are drained", async () => {
  const added = await egret("nodes", "add", "4", "--zone", "a,b", "--assignable", "2");
  expect(added).toBe([1, 2, 3, 4].map((number) => `node/worker-${number} created\n`).join(""));
  await session.kubectl.text(["apply", "-f", "-"], { input: EGRESS_IP });
  await kubectl("create", "deployment", "web", "--image=nginx", "--replicas=8");
  await advance("3s");
  expect(await kubectl("rollout", "status", "deployment/web", "--timeout=20s")).toContain(
    "successfully rolled out",
  );
  const before = await pods();
  expect(new Set(before.map((pod) => pod["IP"])).size).toBe(8);
  expect(new Set(before.map((pod) => pod["NODE"])).size).toBe(4);

  const dead = await egressNode();
  expect(await egret("nodes", "fail", dead)).toBe(`node/${dead} failed\n`);
  await advance("10s");
  expect(await egressNode()).not.toBe(dead);
  await advance("50s");
  expect((await session.row(dead, "get", "nodes"))?.["STATUS"]).toBe("NotReady");
  await advance("6m");
  const moved = (await pods()).filter((pod) => pod["STATUS"] === "Running");
  expect(moved.length).toBe(8);
  expect(moved.some((pod) => pod["NODE"] === dead)).toBe(false);
  expect(new Set(moved.map((pod) => pod["IP"])).size).toBe(8);

  expect(await egret("nodes", "recover", dead)).toBe(`node/${dead} recovered\n`);
  await advance("3s");
  expect((await session.row(dead, "get", "nodes"))?.["STATUS"]).toBe("Ready");
  expect((await pods()).length).toBe(8);

  expect(await egret("nodes", "drain", "worker-3")).toMatch(
    /^node\/worker-3 cordoned\n(pod\/web-\S+ evicted \(default\)\n)+node\/worker-3 drained\n$/,
  );
  await advance("5s");
  expect((await pods()).map((pod) => pod["NODE"])).not.toContain("worker-3");
  await kubectl("delete", "node", "worker-4");
  await advance("1m");
  const last = await pods();
  expect(last.map((pod) => [pod["READY"], pod["STATUS"]])).toEqual(
    Array.from({ length: 8 }, () => ["1/1", "Running"]),
  );
  expect(new Set(last.map((pod) => pod["NODE"])).size).toBe(2);
});

test("nodes fail and come back by chance, by the server's clock", async () => {
  const churned = egret("nodes", "churn", "--rate", "1/s", "--seed", "7", "--for", "5s");
  let isOver = false;
  void churned.catch(() => "").finally(() => (isOver = true));
  // It counts from the time at which it has begun.
  while (!isOver) await advance("5s");
  expect((await churned).trim().split("\n")).toHaveLength(5);
});
