// The server of the installed package over a longer run: its logs, a full disk, the termination of pods without a kubelet,
// Events for kubectl.
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { installedFolder } from "../../support/package/packed-package.ts";
import { Player } from "../../support/package/player.ts";

const MINUTES_MS = 240_000;
const FULL_KILOBYTES = 2000;
const WRITES_MAX = 200;
const VALUE_BYTES = 100_000;

interface Event {
  readonly involvedObject: { readonly uid?: string };
}

let manifests: string;
beforeAll(async () => {
  manifests = join(await installedFolder(), "test/e2e/manifests");
}, MINUTES_MS);

async function create(url: string, path: string, object: unknown): Promise<number> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(object) });
  await answer.text();
  return answer.status;
}

describe("--log-level", () => {
  test.each([
    ["info", [], ["request", "decided"]],
    ["debug", ["request", "decided"], []],
    ["trace", ["request", "decided"], []],
  ])("%s", { timeout: MINUTES_MS }, async (level, told, untold) => {
    const player = await Player.in(`log-${level}`);
    const server = await player.serve(["--log-level", level]);
    await player.shell(
      `egret apply -f ${manifests}/nodes.yaml -f ${manifests}/egress-ip.yaml && egret clock settle`,
    );
    expect(await server.interrupt()).toBe(0);
    const lines = server.printed().split("\n");
    const said = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
    const messages = said.map(({ msg }) => msg);
    expect(messages).toEqual(
      expect.arrayContaining(["the server listens", "the server has stopped", ...told]),
    );
    for (const message of untold) expect(messages).not.toContain(message);
    if (level === "trace") expect(said.some((line) => line.level === "trace")).toBe(true);
  });
});

test("a full disk is logged, and the exit code tells", { timeout: MINUTES_MS }, async () => {
  const player = await Player.in("full-disk");
  const limited = `trap "" XFSZ; ulimit -f ${FULL_KILOBYTES}; exec egret "$@"`;
  await using server = await player.serve(["--controllers="], ["bash", "-c", limited, "bash"]);
  let status = 201;
  for (let n = 0; n < WRITES_MAX && status === 201; n++) {
    // Letters that do not repeat, so that the store cannot make less of them.
    const value = Array.from({ length: VALUE_BYTES / 8 }, (_, at) =>
      ((at * 2_654_435_761 + n * 97) >>> 0).toString(36),
    ).join("");
    const metadata = { name: `map-${n}` };
    status = await create(server.url, "/api/v1/namespaces/default/configmaps", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data: { value },
    });
  }
  expect(status).toBe(500);
  expect(await server.interrupt()).not.toBe(0);
  expect(server.printed()).toMatch(/"level":"error"[^\n]*could not be written/);
});

test("a namespace whose pod has a node goes", { timeout: MINUTES_MS }, async () => {
  const player = await Player.in("namespace");
  await using server = await player.serve(["--in-memory"]);
  await player.shell(`egret apply -f ${manifests}/nodes.yaml -f ${manifests}/egress-service.yaml`);
  const namespace = `${server.url}/api/v1/namespaces/team-web`;
  const pod = await fetch(`${namespace}/pods/web-1`, {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify({ metadata: { labels: { seen: "yes" } } }),
  });
  expect(pod.status).toBe(200);
  expect((await fetch(namespace, { method: "DELETE" })).status).toBe(200);
  await eventually(
    async () => (await fetch(namespace)).status,
    (status) => status === 404,
    MINUTES_MS / 4, // the pod has half a minute of grace
  );
});

test("and stays where nobody ends its pod", { timeout: MINUTES_MS }, async () => {
  const player = await Player.in("stays");
  await using server = await player.serve(["--clock", "frozen", "--controllers", "*,-pod-termination"]);
  await player.shell(`egret apply -f ${manifests}/nodes.yaml -f ${manifests}/egress-service.yaml`);
  const namespace = `${server.url}/api/v1/namespaces/team-web`;
  expect((await fetch(namespace, { method: "DELETE" })).status).toBe(200);
  await player.shell("egret clock advance 24h && egret clock settle");
  const answer = await fetch(namespace);
  expect(await answer.json()).toMatchObject({ status: { phase: "Terminating" } });
  expect((await fetch(`${namespace}/pods/web-1`)).status).toBe(200);
});

test("--event-uids has Events name their object's uid", { timeout: MINUTES_MS }, async () => {
  const uids = async (...flags: string[]): Promise<string[]> => {
    const player = await Player.in(`events${flags.length}`);
    await using server = await player.serve(["--in-memory", ...flags]);
    await player.shell(`egret apply -f ${manifests}/egress-ip.yaml && egret clock settle`);
    const events = async () => {
      const { items } = (await (await fetch(`${server.url}/api/v1/events`)).json()) as {
        items: readonly Event[];
      };
      return items.map(({ involvedObject }) => involvedObject.uid ?? "");
    };
    return await eventually(events, (found) => found.length > 0);
  };
  expect(new Set(await uids())).toEqual(new Set([""]));
  for (const uid of await uids("--event-uids")) expect(uid).toMatch(/^[0-9a-f-]{36}$/);
});
