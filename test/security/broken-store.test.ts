// A store with some unreadable values: the server starts, serves the others, reports the unreadable ones, and keeps them
// until `egret check --repair` has written them to a file.
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../src/apimachinery/meta/clock.ts";
import { encodeStored } from "../../src/apiserver/registry/codec/object-codec.ts";
import { openLevelEngine } from "../../src/storage/level/level-engine.ts";
import { openMvccStore } from "../../src/storage/mvcc/mvcc-store.ts";
import { runEgret } from "../support/egret-process.ts";
import { type BuiltServer, startBuiltServer } from "./built-server.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

let folder: string;
let store: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-broken-"));
  store = join(folder, "store");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const configMap = (name: string, apiVersion = "v1", kind = "ConfigMap") =>
  encodeStored({ apiVersion, kind, metadata: { name, namespace: "default", uid: name } }, undefined);

const framed = (json: string) => {
  const value = configMap("x");
  return Buffer.concat([value.subarray(0, 6), Buffer.from(json)]);
};

/** Values with different defects, by name. */
const FLAWS: Readonly<Record<string, Uint8Array>> = {
  empty: Buffer.alloc(0),
  short: Buffer.from([0, 0, 0, 1, 0, 0]),
  "not-json": framed(
    `{"metadata":{"name":"not-json","namespace":"default","uid":"u`.padEnd(90, "x").concat("}"),
  ),
  "no-metadata": framed(
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":5,"and":"so on and so on and so on"}',
  ),
  deep: framed(`{"metadata":${"[".repeat(200_000)}}`),
  offset: Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0]), configMap("offset").subarray(6)]),
  "other-name": configMap("another"),
  "other-kind": configMap("other-kind", "v1", "Secret"),
  "other-group": configMap("other-group", "apps/v1"),
};
const NAMES = Object.keys(FLAWS);
const keyOf = (name: string) => `/registry/configmaps/default/${name}`;

/** Writes the values directly, like a tampered backup. */
async function put(values: Readonly<Record<string, Uint8Array>>): Promise<void> {
  await using open = await openMvccStore(await openLevelEngine(store), { clock: systemClock });
  for (const [key, value] of Object.entries(values)) await open.commit([{ type: "create", key, value }]);
}

const namesOf = async (server: BuiltServer): Promise<string[]> =>
  JSON.parse((await server.send("GET", CONFIG_MAPS)).text)
    .items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)
    .filter((name: string) => name !== "kube-root-ca.crt");

test("the server starts, serves all else, answers for the broken names as a real server, and keeps the values", async () => {
  await put(Object.fromEntries(NAMES.map((name) => [keyOf(name), FLAWS[name] ?? Buffer.alloc(0)])));
  await put({ [keyOf("sound")]: configMap("sound") });
  for (const round of ["first start", "second start"]) {
    await using server = await startBuiltServer(["--data-dir", store]);
    expect(await namesOf(server), round).toEqual(["sound"]);
    for (const name of NAMES) {
      const path = `${CONFIG_MAPS}/${name}`;
      const patch = { type: "application/merge-patch+json" };
      expect((await server.send("GET", path)).status, name).toBe(500);
      expect((await server.send("DELETE", path)).status, name).toBe(500);
      expect((await server.send("PATCH", path, { data: {} }, patch)).status, name).toBe(500);
      const made = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
      expect((await server.send("PUT", path, made)).status, name).toBe(500);
      expect((await server.send("POST", CONFIG_MAPS, made)).status, name).toBe(409);
    }
    const { problems } = JSON.parse((await server.send("GET", "/egret/v1/status")).text);
    expect(problems.map(({ object }: { object: string }) => object)).toEqual(NAMES.map(keyOf).sort());
    expect((await server.send("GET", "/readyz")).status).toBe(200);
    expect((await server.send("DELETE", CONFIG_MAPS)).status).toBe(200);
    expect((await server.send("POST", CONFIG_MAPS, configMapOf("sound"))).status).toBe(201);
    expect((await server.send("POST", "/egret/v1/reset", { to: "empty" })).status).toBe(200);
    expect((await server.send("POST", CONFIG_MAPS, configMapOf("sound"))).status).toBe(201);
    await server.process.stop("SIGTERM");
  }
});

const configMapOf = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

test("check names each, and a repair writes all of them to a file for its owner before it removes them", async () => {
  await put(Object.fromEntries(NAMES.map((name) => [keyOf(name), FLAWS[name] ?? Buffer.alloc(0)])));
  await put({ [keyOf("sound")]: configMap("sound") });
  const flags = ["check", "--data-dir", store];
  const found = await runEgret(flags);
  expect(found.code).toBe(1);
  for (const name of NAMES) expect(found.stdout).toContain(`WRONG: ${keyOf(name)}: `);
  const file = join(folder, "removed.jsonl");
  expect(await runEgret([...flags, "--repair", file])).toMatchObject({ code: 0 });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const lines = (await readFile(file, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(Object.fromEntries(lines.map(({ key, value }) => [key, value]))).toEqual(
    Object.fromEntries(NAMES.map((name) => [keyOf(name), Buffer.from(FLAWS[name] ?? []).toString("base64")])),
  );
  expect(await runEgret(flags)).toMatchObject({ code: 0, stdout: expect.stringContaining("1 objects") });
  expect(await runEgret([...flags, "--repair", file])).toMatchObject({ code: 0 });
  await using server = await startBuiltServer(["--data-dir", store]);
  expect(await namesOf(server)).toEqual(["sound"]);
  expect((await server.send("POST", CONFIG_MAPS, configMapOf("empty"))).status).toBe(201);
});

test("objects that every server makes for itself may be broken, too", async () => {
  const own = [
    "/registry/namespaces/default",
    "/registry/namespaces/kube-system",
    "/registry/clusterroles/cluster-admin",
    "/registry/clusterrolebindings/cluster-admin",
    "/registry/services/specs/default/kubernetes",
    "/registry/flowschemas/exempt",
    "/registry/priorityclasses/system-node-critical",
    "/registry/apiregistration.k8s.io/apiservices/v1.apps",
    "/registry/apiextensions.k8s.io/customresourcedefinitions/egressips.k8s.ovn.org",
    "/registry/serviceaccounts/default/default",
  ];
  await put(Object.fromEntries(own.map((key) => [key, Buffer.from("broken beyond repair")])));
  await using server = await startBuiltServer(["--data-dir", store]);
  expect((await server.send("GET", "/api/v1/namespaces/default")).status).toBe(500);
  expect((await server.send("GET", "/api/v1/namespaces/kube-public")).status).toBe(200);
  expect((await server.send("GET", "/openapi/v2")).status).toBe(200);
  const { problems } = JSON.parse((await server.send("GET", "/egret/v1/status")).text);
  expect(problems).toHaveLength(own.length);
});

test("a store that no server has screened is screened once, and then again only where something was found", async () => {
  await put({ [keyOf("sound")]: configMap("sound") });
  const isMarked = async () => {
    await using engine = await openLevelEngine(store).then((one) => ({
      ...one,
      [Symbol.asyncDispose]: () => one.close(),
    }));
    return (await engine.load()).isScreened;
  };
  expect(await isMarked()).toBe(false);
  await using server = await startBuiltServer(["--data-dir", store]);
  await server.process.stop("SIGTERM");
  expect(await isMarked()).toBe(true);
});
