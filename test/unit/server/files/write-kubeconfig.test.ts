import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { kubeconfigFor, writeKubeconfig } from "../../../../src/server/files/kubeconfig.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-kubeconfig-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("the kubeconfig", () => {
  test("is YAML that means what was written, whatever a token looks like", async () => {
    const tokens = fc.oneof(
      fc.string(),
      fc.constantFrom("yes", "null", "1e3", "~", "a: b", "x:", "- a", "[::1]"),
    );
    const facts = fc.record({ url: fc.webUrl(), token: tokens, authority: fc.string({ minLength: 1 }) });
    await fc.assert(
      fc.asyncProperty(facts, async (given) => {
        const path = join(folder, "a", "kubeconfig");
        await writeKubeconfig(path, given);
        expect(parse(await readFile(path, "utf8"))).toEqual(kubeconfigFor(given));
      }),
      { numRuns: 100 },
    );
  });

  test("names the server without quotes, for those who look for it with grep, and is its owner's alone", async () => {
    const path = join(folder, "kubeconfig");
    await writeKubeconfig(path, { url: "http://127.0.0.1:8080" });
    expect(await readFile(path, "utf8")).toContain("    server: http://127.0.0.1:8080\n");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });
});
