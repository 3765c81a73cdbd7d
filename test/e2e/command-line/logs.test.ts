// The log levels of --log-level: JSON lines on the standard error output, with the documented lines for each level.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Exit, runEgret, startEgret } from "../../support/egret-process.ts";

let folder: string;
let kubeconfig: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-logs-"));
  kubeconfig = join(folder, "kubeconfig");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const manifests = join(import.meta.dirname, "../manifests");

interface Line {
  readonly level: string;
  readonly time: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

function linesOf({ stderr }: Exit): Line[] {
  const lines = stderr
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => {
    const value = JSON.parse(line);
    expect(value).toMatchObject({
      level: expect.any(String),
      time: expect.stringMatching(/Z$/),
      msg: expect.any(String),
    });
    return value;
  });
}

/** Two nodes and an EgressIP, which then loses its node. */
async function play(level: string, ...flags: string[]): Promise<Line[]> {
  const server = await startEgret([
    "--in-memory",
    "--kubeconfig",
    kubeconfig,
    "--log-level",
    level,
    ...flags,
  ]);
  const egret = async (...words: string[]) => {
    const { code, stderr } = await runEgret([...words, "--kubeconfig", kubeconfig]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  };
  await egret("apply", "-f", join(manifests, "nodes.yaml"), "-f", join(manifests, "egress-ip.yaml"));
  await egret("clock", "settle");
  await fetch(`${server.url}/api/v1/nodes/node-a`, { method: "DELETE" });
  await egret("clock", "settle");
  await egret("compact", "60");
  return linesOf(await server.stop());
}

const of = (lines: readonly Line[], msg: string) => lines.filter((line) => line.msg === msg);

describe("--log-level", () => {
  test("warn, which is the default, says nothing while all is well", async () => {
    expect(await play("warn")).toEqual([]);
  });

  test("info names start, stop and compactions", async () => {
    const lines = await play("info");
    expect(lines.map(({ level }) => level)).toEqual(Array(lines.length).fill("info"));
    expect(lines.map(({ msg }) => msg)).toEqual([
      "the server listens",
      "compacted: the past before this revision is forgotten",
      "the server stops",
      "the server has stopped",
    ]);
    expect(lines[0]).toMatchObject({
      url: expect.stringMatching(/^http:/),
      pid: expect.any(Number),
      data: "memory",
      controllers: expect.arrayContaining(["egressip"]),
    });
    expect(lines[1]).toMatchObject({ revision: 60 });
  });

  test("info names a start that is refused", async () => {
    const flags = ["--in-memory", "--kubeconfig", kubeconfig, "--log-level", "info"];
    const { code, stderr } = await runEgret([...flags, "--listen", "0.0.0.0:0"]);
    expect(code).toBe(1);
    const [line = "", told = ""] = stderr.split("\n");
    expect(JSON.parse(line)).toMatchObject({
      level: "info",
      msg: "the start was refused",
      error: expect.stringContaining("--allow-anonymous"),
    });
    expect(told).toMatch(/^egret: 0\.0\.0\.0 can be reached by others/);
  });

  test("debug names requests and decisions: object, what, why", async () => {
    const lines = await play("debug");
    expect(of(lines, "request")).toContainEqual(
      expect.objectContaining({
        level: "debug",
        verb: "delete",
        path: "/api/v1/nodes/node-a",
        user: expect.any(String),
        status: 200,
        ms: expect.any(Number),
      }),
    );
    const object = "egressips.k8s.ovn.org web";
    expect(
      of(lines, "placed")
        .filter((line) => line["object"] === object)
        .at(-1),
    ).toMatchObject({
      controller: "egressip",
      what: { placed: [{ egressIP: "192.168.126.101", node: "node-b" }] },
      why: { nodes: { "node-b": "may host" } },
    });
    expect(of(lines, "decided")).toContainEqual(
      expect.objectContaining({
        controller: "egressip",
        verb: "patch",
        object,
        what: expect.arrayContaining([
          {
            op: "replace",
            path: "/status",
            value: { items: [{ egressIP: "192.168.126.101", node: "node-b" }] },
          },
        ]),
        why: { key: "web", changes: expect.arrayContaining(["Node node-a DELETED"]) },
        resourceVersion: expect.any(String),
      }),
    );
    expect(of(lines, "decided")).toContainEqual(
      expect.objectContaining({ controller: "network-annotations", object: "nodes node-a" }),
    );
    expect(lines.some(({ level }) => level === "trace")).toBe(false);
  });

  test("trace names what was read", async () => {
    const file = join(folder, "given.yaml");
    await writeFile(file, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
    const lines = await play("trace", "--load", file);
    const traced = lines.filter(({ level }) => level === "trace");
    expect(traced).toContainEqual(expect.objectContaining({ msg: "read", path: file, objects: 1 }));
    expect(traced).toContainEqual(
      expect.objectContaining({
        msg: "read",
        controller: "egressip",
        verb: "list",
        object: "nodes",
        resourceVersion: expect.any(String),
      }),
    );
    expect(traced).toContainEqual(
      expect.objectContaining({
        msg: "heard",
        controller: "egressip",
        object: "nodes node-a",
        type: "DELETED",
      }),
    );
  });
});
