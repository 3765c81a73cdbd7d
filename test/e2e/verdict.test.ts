// `egret explain`, `egret trace` and `egret plan` against a running server, and the transcripts of the documents word by word.
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { startEgret } from "egret-apiserver/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { runEgret } from "../support/egret-process.ts";
import { EgretSession, MANIFESTS } from "../support/egret-session.ts";
import { Kubectl, kubectlProblem } from "../support/kubectl.ts";
import { transcriptsIn } from "../support/transcripts.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

let session: EgretSession;
let folder: string;
beforeAll(async () => {
  session = await EgretSession.start(["nodes.yaml", "shop.yaml"], ["--secure"]);
  folder = session.folder;
});
afterAll(() => session?.[Symbol.asyncDispose]());

const egret = (...words: string[]) => session.egret(...words);

test.each([
  ["README.md", 3],
  ["src/ovn/README.md", 6],
])("the transcripts of %s equal the output", async (path, count) => {
  const document = await readFile(join(ROOT, path), "utf8");
  const asked = transcriptsIn(document).filter(
    ({ command, printed }) => /^(?:explain|trace|plan) /.test(command) && printed !== "",
  );
  expect(asked).toHaveLength(count);
  for (const { command, printed } of asked) {
    expect((await egret(...command.split(" "))).stdout).toBe(printed);
  }
});

describe("forms", () => {
  test("of an explanation", async () => {
    const ask = async (form: string) => (await egret("explain", "egressip/shop", "-o", form)).stdout;
    const json = JSON.parse(await ask("json"));
    expect(json).toMatchObject({
      kind: "EgressIP",
      name: "shop",
      addresses: [{ node: "node-a" }, { reasons: [{ row: 7 }] }],
    });
    expect(parse(await ask("yaml"))).toEqual(json);
    expect(await ask("markdown")).toMatch(
      /^\*\*10\.9\.9\.9 has no node: .*\*\*\n\n### 192\.168\.126\.101 on each node\n\n\| NODE \|/,
    );
  });

  test("of a trace", async () => {
    const words = ["trace", "pod/shop/web", "--to", "9.9.9.9:443", "--protocol", "udp", "-o", "json"];
    const { code, stdout } = await egret(...words);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: "denied",
      outcomes: [
        {
          destination: { address: "9.9.9.9", port: 443, protocol: "udp" },
          steps: [{ by: [{ kind: "EgressFirewall", rule: 1 }] }],
        },
      ],
      unusedEgressIps: [{ name: "shop", reasons: [{ row: 38 }] }],
    });
  });
});

test("what was so at an earlier revision is explained, traced and planned as it was then", async () => {
  await using server = await startEgret({ objects: await readFile(join(MANIFESTS, "nodes.yaml"), "utf8") });
  interface Said {
    readonly nodes?: readonly { readonly node: string }[];
    readonly refused?: readonly unknown[];
    readonly revision?: string;
  }
  const asked = async (path: string, body: object = {}) => {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(`${server.url}/egret/v1/${path}`, {
      ...{ method: "POST", headers, body: JSON.stringify(body) },
    });
    return { code: answer.status, said: (await answer.json()) as Said };
  };
  await asked("clock/settle");
  const { metadata } = await server.client.create({
    ...{ apiVersion: "v1", kind: "Namespace", metadata: { name: "late" } },
  });
  const resourceVersion = String(Number(metadata.resourceVersion) - 1);
  const late = { kind: "namespace", name: "late" };
  expect(await asked("explain", late)).toMatchObject({ code: 200, said: { name: "late" } });
  expect(await asked("explain", { ...late, resourceVersion })).toMatchObject({ code: 404 });
  const packet = { namespace: "late", pod: "none", to: "8.8.8.8", resourceVersion };
  expect(await asked("trace", packet)).toMatchObject({ code: 404 });
  const changes = [{ delete: "node/node-a" }];
  await server.client.delete("v1/Node", "node-a");
  const nodesOf = ({ said }: { said: Said }) => said.nodes?.map(({ node }) => node);
  const then = await asked("plan", { changes, resourceVersion });
  expect([then.code, nodesOf(then)]).toEqual([200, expect.arrayContaining(["node-a"])]);
  expect((await asked("plan", { changes })).said.refused).toHaveLength(1);
  const { revision } = (await asked("compact", { revision: metadata.resourceVersion })).said;
  expect(await asked("explain", { ...late, resourceVersion })).toMatchObject({ code: 410 });
  expect(await asked("explain", { ...late, resourceVersion: `${Number(revision) + 9}` })).toMatchObject({
    code: 400,
  });
  expect(await asked("explain", { ...late, resourceVersion: "soon" })).toMatchObject({ code: 400 });
});

test("why it changed is told from the past", async () => {
  const { code } = await egret("snapshot", "save", "before-changes");
  expect(code).toBe(0);
  const node = join(folder, "node-a.yaml");
  const given = (await readFile(join(MANIFESTS, "nodes.yaml"), "utf8")).split("---")[0] ?? "";
  await writeFile(node, given.replace('status: "True"', 'status: "False"'));
  expect(await egret("apply", "--status", "-f", node)).toMatchObject({ code: 0 });
  await egret("clock", "settle");
  const { stdout } = await egret("explain", "egressip", "shop", "--since", "10m", "-o", "json");
  expect(JSON.parse(stdout).moves).toMatchObject([
    { address: "192.168.126.101", to: "node-a", why: "node-a could have it, of 2 nodes" },
    { address: "192.168.126.101", from: "node-a", to: "node-b", why: "node-a was not Ready any more" },
  ]);
  expect((await egret("explain", "egressip", "shop", "--since", "10m")).stdout).toMatch(
    /What changed\n {2}TIME +ADDRESS +FROM +TO +WHY\n/,
  );
  expect((await egret("explain", "egressip", "shop", "--since", "soon")).stderr).toMatch(/soon/);
  expect((await egret("explain", "node", "node-a", "--since", "10m")).stderr).toMatch(/of an EgressIP alone/);
  await egret("snapshot", "restore", "before-changes");
  await egret("clock", "settle");
});

describe("a plan", () => {
  const planned = async (...words: string[]) => {
    const { code, stdout } = await egret("plan", ...words, "-o", "json");
    return { code, difference: JSON.parse(stdout) };
  };
  const gone = { egressIp: "shop", address: "192.168.126.101", from: "node-a" };

  test("tells what moves, and touches nothing", async () => {
    const before = (await egret("export", "--full", "-o", "json")).stdout;
    expect(await planned("--delete", "node/node-a", "--fail-on", "unassigned")).toMatchObject({
      code: 0,
      difference: {
        moved: [{ ...gone, to: "node-b" }],
        pods: [],
        nodes: [
          { node: "node-a", before: 1, after: 0 },
          { node: "node-b", before: 0, after: 1 },
        ],
        refused: [],
      },
    });
    expect((await planned("--delete", "node/node-a", "--fail-on", "move")).code).toBe(1);
    expect((await egret("export", "--full", "-o", "json")).stdout).toBe(before);
  });

  test("changes are made together", async () => {
    const words = ["--label", "node/node-a", "k8s.ovn.org/egress-assignable-", "--not-ready", "node/node-b"];
    const { code, difference } = await planned(...words, "--fail-on", "unassigned");
    expect(code).toBe(1);
    expect(difference).toMatchObject({
      moved: [gone],
      pods: [{ pod: "shop/web", from: "192.168.126.101", to: "192.168.126.11" }],
      events: [{ object: "EgressIP shop", reason: "NoMatchingNodeFound" }],
    });
    expect(difference.moved[0]).not.toHaveProperty("to");
  });

  test("objects are applied, and what is refused is told", async () => {
    const path = join(folder, "change.yaml");
    const labels = "  labels:\n    k8s.ovn.org/egress-assignable: ''\n";
    const annotations =
      '  annotations:\n    k8s.ovn.org/node-primary-ifaddr: \'{"ipv4":"10.9.9.1/24"}\'\n    k8s.ovn.org/host-cidrs: \'["10.9.9.1/24"]\'\n';
    const node = `apiVersion: v1\nkind: Node\nmetadata:\n  name: node-c\n${labels}${annotations}status:\n  conditions:\n    - {type: Ready, status: "True"}\n`;
    await writeFile(path, `${node}---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: A_B\n`);
    const { code, difference } = await planned("-f", path, "--fail-on", "denied");
    expect(code).toBe(1);
    expect(difference).toMatchObject({
      moved: [{ egressIp: "shop", address: "10.9.9.9", to: "node-c" }],
      refused: [{ change: "apply ConfigMap A_B", message: expect.stringContaining("is invalid") }],
    });
  });

  test("each node in turn, the worst first", async () => {
    const { stdout } = await egret("plan", "--every", "node");
    expect(stdout).toMatch(/^Worst to lose: node-a \(1 egress address moves\)\n/);
    expect(stdout).toMatch(/node-b +Nothing would be different/);
  });
});

test("an object of a namespace is named in any of the ways that other commands know", async () => {
  const ways = [
    ["pod", "web", "-n", "shop"],
    ["pod/web", "-n", "shop"],
    ["pod", "shop/web"],
    ["pod/shop/web"],
  ];
  const [first, ...others] = await Promise.all(ways.map((words) => egret("explain", ...words)));
  expect(first?.code).toBe(0);
  expect(first?.stdout).toContain("shop/web");
  expect(others).toEqual([first, first, first]);
});

describe("what is asked wrongly", () => {
  test.each([
    [["plan"], /say what would change/],
    [["plan", "--label", "node/node-a"], /say which label/],
    [["plan", "--label", "node/node-a", "x"], /x is no KEY=VALUE/],
    [["plan", "--every", "node", "--delete", "node/node-a"], /--every stands alone/],
    [["explain", "egressip"], /say what to explain/],
    [["explain", "pod/shop/web/more"], /say what to explain/],
    [["explain", "pod/shop/web", "-n", "lab"], /two namespaces are named: shop and lab/],
    [["explain", "configmap", "a"], /configmap cannot be explained, but: egressip/],
    [["explain", "egressip", "nobody"], /egressips\.k8s\.ovn\.org "nobody" not found/],
    [["trace", "shop/web", "--to", "8.8.8.8"], /say which pod sends/],
    [["trace", "pod/shop/web"], /say where to/],
    [["trace", "pod/shop/nobody", "--to", "8.8.8.8"], /pods "nobody" not found in namespace shop/],
    [["trace", "pod/shop/web", "--to", "8.8.8.8", "-o", "csv"], /-o csv is for --matrix/],
    [["trace", "--from", "ns/shop", "-o", "csv"], /-o csv is for --matrix/],
    [["trace", "--from", "ns/shop", "--reply"], /--reply is for one pod/],
    [["trace", "--from", "ns/nobody"], /namespaces "nobody" not found/],
    [["trace", "--matrix", "--to", "what is this"], /no address, no name and no object/],
    [["trace", "pod/shop/web", "--to", "8.8.8.8", "--resolve", "x"], /--resolve x is no NAME=VALUE/],
    [["trace", "pod/shop/web", "--to", "1.2.3.4:0"], /0 is no port/],
  ])("%j", async (words, why) => {
    const { code, stderr } = await egret(...words);
    expect(code).toBe(1);
    expect(stderr).toMatch(why);
  });
});

describe.skipIf(kubectlProblem() !== undefined)("as a plugin of kubectl", () => {
  test("kubectl egret is egret", async () => {
    const { bin } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    const plugin = join(folder, "kubectl-egret");
    await writeFile(
      plugin,
      `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, bin["kubectl-egret"])}" "$@"\n`,
      { mode: 0o755 },
    );
    const env = { PATH: `${folder}:${process.env["PATH"] ?? ""}` };
    const words = ["egret", "trace", "pod/shop/web", "--to", "8.8.8.8"];
    const { code, stdout } = await new Kubectl(session.kubeconfig, folder).run(words, { env });
    expect({ code, stdout }).toEqual({ code: 0, stdout: (await egret(...words.slice(1))).stdout });
  });
});

describe("many at once", () => {
  test("who leaves how", async () => {
    const { code, stdout } = await egret("trace", "--from", "ns/shop", "--to", "0.0.0.0/0");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `1 pod to 0.0.0.0/0: 1 with several outcomes

Outcomes by sender
  PODS      TO          OUTCOME  SOURCE           NODE    BY
  shop/web  0.0.0.0/0   denied                            EgressFirewall shop/default rule 1
            8.8.8.0/24  allowed  192.168.126.101  node-a  EgressIP shop
`,
    });
    expect((await egret("trace", "ns/shop")).stdout).toBe(stdout);
  });

  test("a matrix as CSV and as JSON", async () => {
    const words = ["trace", "--matrix", "--to", "8.8.8.8:443", "--to", "node/node-b"];
    expect((await egret(...words)).stdout).toBe(
      "namespace,pod,node,8.8.8.8:443,node/node-b\nshop,web,node-a,allowed 192.168.126.101 from node-a by EgressIP shop,denied by EgressFirewall shop/default rule 1\n",
    );
    const { ways, rows } = JSON.parse((await egret(...words, "--by", "namespace", "-o", "json")).stdout);
    expect(rows).toEqual([{ namespace: "shop", pods: 1, ways: [[0], [1]] }]);
    expect(ways).toMatchObject([{ verdict: "allowed" }, { verdict: "denied" }]);
    expect((await egret(...words, "-o", "markdown")).stdout).toMatch(/\| shop \| web \| node-a \|/);
  });

  test("a file goes before a sender of its name", async () => {
    const { stderr, code } = await runEgret(["trace", "--from", "./ns/shop", "--matrix"], { cwd: folder });
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/ns\/shop/) });
    await mkdir(join(folder, "ns/shop"), { recursive: true });
    await copyFile(join(MANIFESTS, "shop.yaml"), join(folder, "ns/shop/shop.yaml"));
    await copyFile(join(MANIFESTS, "nodes.yaml"), join(folder, "ns/shop/nodes.yaml"));
    const ofFiles = await runEgret(["trace", "--from", "ns/shop", "--matrix", "--to", "8.8.8.8"], {
      cwd: folder,
    });
    expect(ofFiles.stdout).toMatch(/^shop,web,node-a,allowed 192\.168\.126\.11 from node-a$/m);
  });
});

describe("a name", () => {
  test("of which nobody says the addresses may have any", async () => {
    const { code, stdout } = await egret("trace", "pod/shop/web", "--to", "www.example.com");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^1\. denied: node node-a, destination 0\.0\.0\.0\/0 tcp$/m);
    expect(stdout).toMatch(/^2\. allowed: source 192\.168\.126\.101.*destination 8\.8\.8\.0\/24 tcp$/m);
    expect(stdout).toMatch(
      /nobody says which addresses www\.example\.com has.*--resolve www\.example\.com=ADDRESS/,
    );
  });
});

test("names and tables can be told", async () => {
  const words = [
    "trace",
    "pod/shop/web",
    "--to",
    "www.example.com:443",
    "--resolve",
    "www.example.com=8.8.8.8",
    "-o",
    "json",
  ];
  expect(JSON.parse((await egret(...words)).stdout)).toMatchObject({
    verdict: "allowed",
    outcomes: [{ source: "192.168.126.101" }],
  });
});
