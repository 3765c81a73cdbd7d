import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createServer, type Server } from "../../../src/server/server.ts";
import { printedBy } from "../../unit/cli/printed.ts";

let folder: string;
let server: Server;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-commands-"));
  const options = { listen: "127.0.0.1:0", inMemory: true, controllers: "", logLevel: "silent" };
  server = await createServer({ ...options, kubeconfig: join(folder, "kubeconfig") });
});
afterEach(() => {
  server.control.faults.clear();
  server.control.requests.clear();
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the output of a command. */
const printed = (...args: string[]) => printedBy(args, { EGRET_KUBECONFIG: join(folder, "kubeconfig") });
const look = () => fetch(`${server.url}/api/v1/namespaces/default`);

describe("egret faults", () => {
  test("adds, lists and removes", async () => {
    const fault = "{match: {resource: namespaces}, count: 1, error: {code: 503}}";
    expect(await printed("faults", "add", fault)).toBe("fault-1 added\n");
    expect((await look()).status).toBe(503);
    const [head, row] = (await printed("faults")).split("\n");
    expect(head).toMatch(/^ID +MATCHED +FIRED +STATE +FAULT$/);
    expect(row).toMatch(/^fault-1 +1 +1 +spent +\{"match":\{"resource":"namespaces"\},/);
    expect(await printed("faults", "remove", "fault-1")).toBe("fault-1 removed\n");
    expect(JSON.parse(await printed("faults", "list", "-o", "json"))).toEqual({ items: [] });
  });

  test("adds those of a file, and clears all", async () => {
    const file = join(folder, "faults.yaml");
    await writeFile(file, "id: one\nerror: {code: 500}\n---\n---\nid: two\nslow: {bytesPerSecond: 5}\n");
    expect(await printed("faults", "add", file)).toBe("one added\ntwo added\n");
    await printed("faults", "clear");
    expect(server.control.faults.list()).toEqual([]);
  });

  test.each<[string[], string]>([
    [["add", "{error: {code: 5}}"], "body/error/code must be >= 400"],
    [["add", "{error: [}"], "the fault cannot be read"],
    [["add", "/nowhere/at/all"], "/nowhere/at/all cannot be read"],
    [["remove", "none"], "there is no fault none"],
    [["add"], "say what to do"],
    [["list", "-o", "xml"], "--output xml is none of text, json"],
  ])("%j is refused", async (args, message) => {
    await expect(printed("faults", ...args)).rejects.toThrow(message);
  });
});

describe("egret requests", () => {
  test("prints the log", async () => {
    await look();
    await look();
    const lines = (await printed("requests", "--verb", "get", "--limit", "1")).trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/^\d+ +\S+Z +200 +\d+ ms +get +\/api\/v1\/namespaces\/default +\S+$/);
    expect(JSON.parse(await printed("requests", "-o", "json", "--resource", "pods"))).toMatchObject({
      items: [],
    });
  });

  test("clears it", async () => {
    await look();
    await printed("requests", "--clear");
    expect(server.control.requests.entries()).toEqual([]);
  });

  test.each<[string[], string]>([
    [["--clear", "--verb", "get"], "it goes with no filter"],
    [["pods"], "say --resource pods"],
    [["--status", "many"], "status=many is no whole number"],
  ])("%j is refused", async (args, message) => {
    await expect(printed("requests", ...args)).rejects.toThrow(message);
  });
});
