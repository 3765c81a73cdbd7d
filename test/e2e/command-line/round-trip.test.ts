// egret export and egret apply between two servers: the second keeps the decisions of the first.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runEgret, startEgret } from "../../support/egret-process.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-round-trip-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const manifests = join(import.meta.dirname, "../manifests");

interface Exported {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly status?: unknown;
}

async function server(name: string) {
  const kubeconfig = join(folder, name);
  const started = await startEgret(["--in-memory", "--kubeconfig", kubeconfig]);
  const egret = async (...words: string[]) => {
    const { code, stdout, stderr } = await runEgret([...words, "--kubeconfig", kubeconfig]);
    expect({ code, stderr }, words.join(" ")).toEqual({ code: 0, stderr: "" });
    return stdout;
  };
  const exported = async (...words: string[]): Promise<Exported[]> =>
    JSON.parse(await egret("export", "nodes,egressips", "-o", "json", ...words)).items;
  return { egret, exported, [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() };
}

const webOf = (objects: readonly Exported[]) => objects.find(({ metadata }) => metadata.name === "web");

test("an EgressIP that has moved stays where it was, and its nodes are Ready", {
  timeout: 60_000,
}, async () => {
  await using one = await server("one");
  for (const name of ["nodes", "egress-ip"]) await one.egret("apply", "-f", join(manifests, `${name}.yaml`));
  await one.egret("clock", "settle");
  expect(webOf(await one.exported("--full"))?.status).toMatchObject({ items: [{ node: "node-a" }] });
  const file = join(folder, "state.yaml");
  const moved = (await one.egret("export", "nodes,eip,ns", "--full")).replaceAll(
    "node: node-a",
    "node: node-b",
  );
  await writeFile(file, moved); // as if the address had been moved
  await using other = await server("other");
  await other.egret("apply", "--status", "-f", file);
  await other.egret("clock", "settle");
  const before = await one.exported("--full");
  const after = await other.exported("--full");
  expect(webOf(after)?.status).toMatchObject({ items: [{ node: "node-b" }] });
  const nodes = (list: readonly Exported[]) => list.filter(({ kind }) => kind === "Node");
  expect(nodes(after).map(({ status }) => status)).toEqual(nodes(before).map(({ status }) => status));
});

test("without --full and --status a new server decides itself, on nodes that are Ready", {
  timeout: 60_000,
}, async () => {
  await using one = await server("one");
  for (const name of ["nodes", "egress-ip"]) await one.egret("apply", "-f", join(manifests, `${name}.yaml`));
  const file = join(folder, "state.yaml");
  await writeFile(file, await one.egret("export"));
  await using other = await server("other");
  await other.egret("apply", "-f", file);
  await other.egret("clock", "settle");
  expect(webOf(await other.exported("--full"))?.status).toMatchObject({ items: [{ node: "node-a" }] });
});
