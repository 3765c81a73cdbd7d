// The command itself: its start, the options that it rejects, its output and its exit.
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type EgretProcess, runEgret, startEgret } from "../support/egret-process.ts";
import { httpGet } from "../support/sockets/raw-http.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-start-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const storeFlags = () => ["--data-dir", join(folder, "data"), "--kubeconfig", join(folder, "kubeconfig")];
const memoryFlags = () => ["--in-memory", "--kubeconfig", join(folder, "kubeconfig")];

describe("what it prints", () => {
  test("--help names every flag and exits 0", async () => {
    const { code, stdout, stderr } = await runEgret(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const flag of [
      "listen",
      "data-dir",
      "in-memory",
      "kubeconfig",
      "controllers",
      "schemas",
      "load",
      "log-level",
      "token-auth-file",
      "authorization-mode",
      "secure",
    ]) {
      expect(stdout).toMatch(new RegExp(`^ {6}--${flag}\\b`, "m"));
    }
    expect(stdout).toContain("EGRET_");
  });

  test("where it listens, where the kubeconfig is, one kubectl command, and where the page is", async () => {
    await using egret = await startEgret(storeFlags());
    const kubeconfig = join(folder, "kubeconfig");
    expect(egret.greeting).toEqual([
      `Egret listens on ${egret.url}`,
      `kubeconfig: ${kubeconfig}`,
      `Try: kubectl --kubeconfig=${kubeconfig} get egressips,nodes`,
    ]);
    expect(egret.url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    expect((await httpGet(`${egret.url}/readyz`)).body).toBe("ok");
    const { stdout, stderr } = await egret.stop();
    expect(stdout.split("\n").slice(3)).toEqual([`Look: ${egret.url}/egret/ui/`, ""]);
    expect(stderr).toBe("");
  });

  test("the kubeconfig names the server and is its owner's alone", async () => {
    await using egret = await startEgret(memoryFlags());
    const path = join(folder, "kubeconfig");
    expect(await readFile(path, "utf8")).toContain(`server: ${egret.url}\n`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test("without flags everything is kept below ./.egret", async () => {
    await using egret = await startEgret([], { cwd: folder });
    expect((await stat(join(folder, ".egret/data"))).isDirectory()).toBe(true);
    expect(await readFile(join(folder, ".egret/kubeconfig"), "utf8")).toContain(egret.url);
  });

  test("a flag can be a variable, and the flag goes before the variable", async () => {
    const env = {
      EGRET_IN_MEMORY: "true",
      EGRET_KUBECONFIG: join(folder, "other"),
      EGRET_LISTEN: "no address",
    };
    await using egret = await startEgret(["--listen", "127.0.0.1:0"], { cwd: folder, env });
    expect(egret.greeting[1]).toBe(`kubeconfig: ${join(folder, "other")}`);
    await expect(stat(join(folder, ".egret"))).rejects.toThrow("ENOENT");
  });
});

describe("what it refuses: one line, exit 1", () => {
  const refused = async (flags: readonly string[], line: RegExp) => {
    const { code, stdout, stderr } = await runEgret(flags);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^egret: [^\n]+\n$/);
    expect(stderr).toMatch(line);
  };

  test("a port that is used", async () => {
    const holder = createServer();
    const port = await new Promise<number>((resolve) => {
      holder.listen(0, "127.0.0.1", () => {
        const address = holder.address();
        resolve(typeof address === "object" ? (address?.port ?? 0) : 0);
      });
    });
    await refused([...memoryFlags(), "--listen", `127.0.0.1:${port}`], new RegExp(`127\\.0\\.0\\.1:${port}`));
    await new Promise((resolve) => holder.close(resolve));
  });

  test("a store that another process holds", async () => {
    await using egret = await startEgret(storeFlags());
    await refused(["--listen", "127.0.0.1:0", ...storeFlags()], /in use by another process/);
    expect((await httpGet(`${egret.url}/readyz`)).body).toBe("ok");
  });

  test("a data folder that is a file", async () => {
    await writeFile(join(folder, "data"), "");
    await refused(["--listen", "127.0.0.1:0", ...storeFlags()], new RegExp(join(folder, "data")));
  });

  test.skipIf(process.getuid?.() === 0)("a data folder that it may not write to", async () => {
    await mkdir(join(folder, "data"));
    await chmod(join(folder, "data"), 0o500);
    await refused(["--listen", "127.0.0.1:0", ...storeFlags()], new RegExp(join(folder, "data")));
  });

  test("a kubeconfig that cannot be written", async () => {
    const flags = ["--listen", "127.0.0.1:0", "--in-memory", "--kubeconfig", folder];
    await refused(flags, new RegExp(folder));
  });

  test.each([
    ["an address that others can reach", ["--listen", "0.0.0.0:0"], /--allow-anonymous/],
    ["an address that is none", ["--listen", "here"], /--listen here/],
    ["a flag that there is not", ["--colour"], /--colour/],
    ["a word that is no flag", ["colour"], /colour/],
    ["a log level that there is not", ["--log-level", "loud"], /--log-level loud/],
    ["a controller that there is not", ["--controllers", "*,-colour"], /"colour" is not in the list/],
    [
      "a token file that is not there",
      ["--token-auth-file", "/nowhere/tokens.csv"],
      /\/nowhere\/tokens\.csv/,
    ],
    ["a way to decide that there is not", ["--authorization-mode", "ABAC"], /--authorization-mode ABAC/],
    ["a file to load that is not there", ["--load", "/nowhere/objects.yaml"], /\/nowhere\/objects\.yaml/],
    ["a schema folder that is not there", ["--schemas", "/nowhere"], /\/nowhere/],
  ])("%s", async (_what, flags, line) => {
    await refused(["--listen", "127.0.0.1:0", ...memoryFlags(), ...flags], line);
  });

  test("half of an authority", async () => {
    await mkdir(join(folder, "data/pki"), { recursive: true });
    await writeFile(join(folder, "data/pki/ca.key"), "");
    await refused(
      ["--listen", "127.0.0.1:0", ...storeFlags(), "--secure"],
      /only one of ca\.crt and ca\.key/,
    );
  });

  test("objects to load that are not valid", async () => {
    const path = join(folder, "wrong.yaml");
    await writeFile(path, "apiVersion: k8s.ovn.org/v1\nkind: EgressIP\nmetadata:\n  name: wrong\nspec: {}\n");
    await refused(
      ["--listen", "127.0.0.1:0", ...memoryFlags(), "--load", path],
      /spec\.egressIPs: Required value/,
    );
  });

  test("objects to load of a kind that is not served", async () => {
    const path = join(folder, "wrong.yaml");
    await writeFile(path, "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: wrong\n");
    await refused(["--listen", "127.0.0.1:0", ...memoryFlags(), "--load", path], /Widget/);
  });
});

test("--allow-anonymous lets it listen for others", async () => {
  await using egret = await startEgret([...memoryFlags(), "--listen", "0.0.0.0:0", "--allow-anonymous"]);
  const { port } = new URL(egret.url);
  expect((await httpGet(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
});

describe("how it ends", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s ends an open watch and exits 0 within a second",
    async (signal) => {
      await using egret = await startEgret(storeFlags());
      const watch = await fetch(`${egret.url}/api/v1/namespaces?watch=true`);
      const reader = watch.body?.getReader();
      expect((await reader?.read())?.done).toBe(false);
      const start = performance.now();
      const [{ code, stderr }, end] = await Promise.all([egret.stop(signal), lastOf(reader)]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(performance.now() - start).toBeLessThan(1000);
      expect(end).toBe("whole");
    },
  );

  test("what was answered is there after a restart", async () => {
    const uidOf = async (url: string) =>
      JSON.parse((await httpGet(`${url}/api/v1/namespaces/default`)).body).metadata.uid;
    await using first = await startEgret(storeFlags());
    const uid = await uidOf(first.url);
    await first.stop();
    await using second = await startEgret(storeFlags());
    expect(await uidOf(second.url)).toBe(uid);
  });
});

describe("web pages are kept out", () => {
  let egret: EgretProcess;
  beforeAll(async () => {
    egret = await startEgret(["--in-memory", "--kubeconfig", ""]);
  });
  afterAll(() => egret?.stop());

  test.each([
    ["a request as kubectl sends it passes", {}, 200],
    ["localhost is this machine", { host: "localhost:8080" }, 200],
    ["a Host that is another machine is refused", { host: "egret.example.com" }, 403],
    ["an Origin that is another page is refused", { origin: "https://example.com" }, 403],
    ["an Origin that cannot be named is refused", { origin: "null" }, 403],
  ])("%s", async (_rule, headers, status) => {
    expect((await httpGet(`${egret.url}/api/v1/namespaces`, headers)).status).toBe(status);
  });
});

describe("what it starts with", () => {
  const get = async (url: string, path: string) => JSON.parse((await httpGet(`${url}${path}`)).body);

  test("four namespaces and the Service of the API", async () => {
    await using egret = await startEgret(memoryFlags());
    const { items } = await get(egret.url, "/api/v1/namespaces");
    const names = items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    expect(names).toEqual(["default", "kube-node-lease", "kube-public", "kube-system"]);
    expect((await get(egret.url, "/api/v1/namespaces/default/services/kubernetes")).spec.type).toBe(
      "ClusterIP",
    );
  });

  test("--schemas serves further kinds, and --load applies objects of them, again and again", async () => {
    await mkdir(join(folder, "schemas"));
    await writeFile(join(folder, "schemas/widgets.yaml"), WIDGETS);
    await writeFile(join(folder, "objects.yaml"), `${widget("one")}---\n${widget("two")}`);
    const flags = [
      ...storeFlags(),
      "--schemas",
      join(folder, "schemas"),
      "--load",
      join(folder, "objects.yaml"),
    ];
    const path = "/apis/example.com/v1/namespaces/default/widgets";
    await using first = await startEgret(flags);
    const before = await get(first.url, path);
    expect(before.items.map(({ spec }: { spec: object }) => spec)).toEqual([{ size: 3 }, { size: 3 }]);
    await first.stop();
    await using second = await startEgret(flags);
    expect((await get(second.url, path)).items).toEqual(before.items);
  });
});

test("--profile openshift-4.13 serves the kinds of that product, and no others", async () => {
  await using egret = await startEgret([...memoryFlags(), "--profile", "openshift-4.13"]);
  const { resources } = JSON.parse((await httpGet(`${egret.url}/apis/k8s.ovn.org/v1`)).body);
  expect(resources.map(({ name }: { name: string }) => name)).toEqual([
    "egressfirewalls",
    "egressips",
    "egressqoses",
    "egressqoses/status",
  ]);
  expect((await egret.stop()).stderr).toBe("");
});

/** Whether the stream came to its proper end, or was cut off. */
async function lastOf(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<string> {
  try {
    while ((await reader?.read())?.done === false);
    return "whole";
  } catch (error) {
    return `cut off: ${String(error)}`;
  }
}

const WIDGETS = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                size: {type: integer, default: 3}
`;

const widget = (name: string) => `apiVersion: example.com/v1
kind: Widget
metadata: {name: ${name}, namespace: default}
spec: {}
`;
