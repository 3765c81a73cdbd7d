// The case files and the output in the README of cases equal the actual ones.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runEgret } from "../support/egret-process.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const readme = await readFile(join(ROOT, "src/testing/cases/README.md"), "utf8");

test("the example is the file that it names", async () => {
  const [, path = "", block] = /^`([^`]+\.yaml)`.*\n\n```yaml\n([\s\S]*?)```/m.exec(readme) ?? [];
  expect(block).toBe(await readFile(join(ROOT, path), "utf8"));
});

test("what is printed of it is what is shown", async () => {
  const [, words = "", printed] = /```console\n\$ node dist\/main\.js (.*)\n([\s\S]*?)```/.exec(readme) ?? [];
  const { code, stdout, stderr } = await runEgret(words.split(" "), { cwd: ROOT });
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: printed, stderr: "" });
});

/** As a cluster has decided it. */
const WEB = `apiVersion: k8s.ovn.org/v1
kind: EgressIP
metadata: { name: web }
spec: { egressIPs: [192.168.126.101], namespaceSelector: {} }
status: { items: [{ egressIP: 192.168.126.101, node: node-b }] }
`;

test("a state is saved as a case that holds, and over nothing that is there", async () => {
  const folder = await mkdtemp(join(tmpdir(), "egret-case-"));
  try {
    await writeFile(join(folder, "web.yaml"), WEB);
    const from = ["--from", join(ROOT, "test/e2e/manifests/nodes.yaml"), "--from", "web.yaml"];
    const words = ["case", "save", "now", ...from];
    expect(await runEgret(words, { cwd: folder })).toEqual({
      code: 0,
      stdout: "now.yaml is written\nok    now (1 fact)\n",
      stderr: "",
    });
    expect(await readFile(join(folder, "now.yaml"), "utf8")).toContain("192.168.126.101: node-b\n");
    const { code, stderr } = await runEgret(words, { cwd: folder });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "egret: now.yaml is there already: --replace writes over it\n",
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
