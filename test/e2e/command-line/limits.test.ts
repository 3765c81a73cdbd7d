// Configurable limits, by the flags of a kube-apiserver and an etcd.
import { once } from "node:events";
import { connect } from "node:http2";
import { expect, test } from "vitest";
import { startEgret } from "../../support/egret-process.ts";
import { sendRaw } from "../../support/sockets/raw-socket.ts";

const QUIET = ["--in-memory", "--controllers=", "--kubeconfig="];
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const CLUSTER_ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const KIB = 1024;

test("--request-timeout", async () => {
  await using egret = await startEgret([...QUIET, "--request-timeout", "500ms"]);
  const head = `POST ${CONFIG_MAPS} HTTP/1.1\r\nHost: ${new URL(egret.url).host}\r\n`;
  const headers = "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n";
  const { status, body } = await sendRaw(egret.url, `${head}${headers}{`);
  expect(status).toBe(504);
  expect(JSON.parse(body)).toMatchObject({ reason: "Timeout" });
  expect((await fetch(`${egret.url}/readyz`)).status).toBe(200);
});

test("--http2-max-streams-per-connection", async () => {
  const flags = ["--http2-max-streams-per-connection", "7", "--secure"];
  await using egret = await startEgret([...QUIET, ...flags]);
  const session = connect(egret.url, { rejectUnauthorized: false });
  const [settings] = await once(session, "remoteSettings");
  session.destroy();
  expect(settings.maxConcurrentStreams).toBe(7);
});

test.each([
  [100 * KIB, 90 * KIB, undefined],
  [100 * KIB, 101 * KIB, /^etcdserver: request is too large$/],
  [
    100 * KIB,
    620 * KIB,
    /^rpc error: code = ResourceExhausted desc = grpc: received message larger than max \(\d+ vs\. 626688\)$/,
  ],
  [1800 * KIB, 1700 * KIB, undefined],
  [9000 * KIB, 2500 * KIB, /trying to send message larger than max \(\d+ vs\. 2097152\)$/],
])("--max-request-bytes %i, and an object of %i bytes", async (max, bytes, refusal) => {
  await using egret = await startEgret([...QUIET, "--max-request-bytes", String(max)]);
  const resourceNames = ["x".repeat(bytes)];
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"], resourceNames }];
  const body = JSON.stringify({ metadata: { name: "large" }, rules });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(egret.url + CLUSTER_ROLES, { method: "POST", headers, body });
  const { message } = (await answer.json()) as { readonly message?: string };
  expect(answer.status, message).toBe(refusal === undefined ? 201 : 500);
  if (refusal !== undefined) expect(message).toMatch(refusal);
});
