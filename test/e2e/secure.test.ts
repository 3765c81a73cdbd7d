// The same kubectl session twice: over plain HTTP without authentication, and over HTTPS with the CA and the token of the
// kubeconfig. The tests of each session run in order and build on each other.
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type Kubectl, kubectlProblem, rowsOf } from "../support/kubectl.ts";
import { KubectlSession } from "../support/kubectl-session.ts";

const problem = kubectlProblem();
if (problem !== undefined) process.stderr.write(`${problem}: test/e2e/secure.test.ts is skipped\n`);

const OPENSSL = process.env["OPENSSL"] ?? "openssl";
const ROBOT = "system:serviceaccount:shop:robot";

const labels = { app: "web" };
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:2" }] } },
  },
};

/** What a Deployment's controller would have made of its first version. */
const replicaSet = (uid: string) => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: {
    name: "web-1",
    labels,
    annotations: { "deployment.kubernetes.io/revision": "1", "kubernetes.io/change-cause": "first try" },
    ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name: "web", uid, controller: true }],
  },
  spec: { selector: { matchLabels: labels }, template: deployment.spec.template },
});

const event = {
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: "web.1" },
  involvedObject: { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "shop" },
  reason: "Tested",
  message: "it was looked at",
  type: "Normal",
};

describe.skipIf(problem !== undefined).each([
  ["a plain port", "http", []],
  ["a secure port", "https", ["--secure"]],
])("kubectl over %s", (_port, scheme, flags) => {
  let session: KubectlSession;
  let kubectl: Kubectl;
  let token: string;

  beforeAll(async () => {
    session = await KubectlSession.start(flags);
    kubectl = session.kubectl;
  });
  afterAll(() => session?.close());

  const text = (command: string, input?: unknown) =>
    kubectl.text(command.split(" "), input === undefined ? {} : { input: JSON.stringify(input) });
  const refused = async (command: string) => {
    const { code, stdout, stderr } = await kubectl.run(command.split(" "));
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    return stderr;
  };
  const config = () => readFile(join(session.folder, "kubeconfig"), "utf8");

  test("the kubeconfig has what it takes", async () => {
    const secure = scheme === "https";
    expect(await config()).toContain(`server: ${scheme}://127.0.0.1:`);
    expect((await config()).includes("certificate-authority-data: ")).toBe(secure);
    expect((await config()).includes("token: ")).toBe(secure);
  });

  test("create and get", async () => {
    expect(await text("create ns shop")).toBe("namespace/shop created\n");
    await text("config set-context --current --namespace=shop");
    expect(await text("create -f -", deployment)).toBe("deployment.apps/web created\n");
    expect(await text("create sa robot")).toBe("serviceaccount/robot created\n");
    expect(await text("create configmap settings --from-literal=a=b")).toBe("configmap/settings created\n");
    expect(rowsOf(await text("get deployments"))[0]).toMatchObject({ NAME: "web", "UP-TO-DATE": "0" });
    expect(await text("get cm settings -o jsonpath={.data.a}")).toBe("b");
  });

  test("describe", async () => {
    expect(await text("describe cm settings")).toContain("Data\n====\na:\n----\nb\n");
    expect(await text("describe deployment web")).toMatch(/Image:\s+web:2/);
    expect(await text("describe sa robot")).toMatch(/^Name:\s+robot\n/);
  });

  test("rollout history", async () => {
    const uid = await text("get deployment web -o jsonpath={.metadata.uid}");
    await text("create -f -", replicaSet(uid));
    const [, ...rows] = (await text("rollout history deployment/web")).trim().split("\n");
    expect(rowsOf(rows.join("\n"))).toEqual([{ REVISION: "1", "CHANGE-CAUSE": "first try" }]);
    expect(await text("rollout history deployment/web --revision=1")).toMatch(/Image:\s+web:2/);
  });

  test("wait for a condition", async () => {
    const condition = { type: "Available", status: "True", reason: "x", message: "" };
    const waiting = text("wait deployment/web --for=condition=Available --timeout=20s");
    const patch = JSON.stringify({ status: { conditions: [condition] } });
    await kubectl.text(["patch", "deployment", "web", "--subresource=status", "--type=merge", "-p", patch]);
    expect(await waiting).toBe("deployment.apps/web condition met\n");
  });

  test("get events", async () => {
    await text("create -f -", event);
    expect(rowsOf(await text("get events"))[0]).toMatchObject({
      TYPE: "Normal",
      REASON: "Tested",
      OBJECT: "deployment/web",
      MESSAGE: "it was looked at",
    });
    expect(await text("events --for deployment/web")).toContain("it was looked at");
  });

  test("create token, and what its holder is taken for", async () => {
    token = (await text("create token robot --duration=20m")).trim();
    const [, body = ""] = token.split(".");
    const claims = JSON.parse(Buffer.from(body, "base64url").toString());
    expect(claims).toMatchObject({ sub: ROBOT, "kubernetes.io": { namespace: "shop" } });
    expect(claims.exp - claims.iat).toBe(1200);
    expect(await refused("create token robot --duration=1m")).toContain(
      "may not specify a duration less than 10 minutes",
    );
  });

  test("auth whoami", async () => {
    expect(await text("auth whoami -o jsonpath={.status.userInfo.username}")).toBe("system:admin");
    const bob = "auth whoami --as=bob --as-group=dev --as-uid=7 -o jsonpath={.status.userInfo}";
    expect(JSON.parse(await text(bob))).toEqual({
      username: "bob",
      uid: "7",
      groups: ["dev", "system:authenticated"],
    });
  });

  test("auth can-i", async () => {
    expect(await text("auth can-i delete nodes")).toBe("yes\n");
    const rows = rowsOf(await text("auth can-i --list"));
    expect(rows).toContainEqual({
      Resources: "*.*",
      "Non-Resource URLs": "[]",
      "Resource Names": "[]",
      Verbs: "[*]",
    });
  });

  test("delete, and wait for it", async () => {
    expect(await text("delete cm settings")).toBe('configmap "settings" deleted\n');
    expect(await text("delete deployment web")).toBe('deployment.apps "web" deleted\n');
    expect(await text("wait rs/web-1 --for=delete --timeout=20s")).toMatch(/^$|condition met/);
  });

  test("delete ns takes all that is in it", async () => {
    expect(await text("delete ns shop")).toBe('namespace "shop" deleted\n');
    expect(await refused("get ns shop")).toBe('Error from server (NotFound): namespaces "shop" not found\n');
    expect(await kubectl.text(["get", "sa", "-n", "shop", "-o", "name"])).toBe("");
  });
});

describe.skipIf(problem !== undefined)("who may do what over a secure port", () => {
  let session: KubectlSession;
  let kubectl: Kubectl;
  let token: string;

  beforeAll(async () => {
    session = await KubectlSession.start(["--secure"]);
    kubectl = session.kubectl;
    await kubectl.text(["create", "sa", "robot"]);
    await kubectl.text(["create", "cm", "settings"]);
    token = (await kubectl.text(["create", "token", "robot"])).trim();
  });
  afterAll(() => session?.close());

  /** kubectl that has nothing but this token. */
  const holder = (bearer: string, ...args: readonly string[]) =>
    kubectl.run([`--token=${bearer}`, "--user=nobody", ...args]);
  beforeAll(() => kubectl.text(["config", "set-credentials", "nobody"]));

  test("keys are kept for the owner alone", async () => {
    for (const file of ["ca.key", "sa.key"])
      expect((await stat(join(session.folder, "data/pki", file))).mode & 0o777).toBe(0o600);
  });

  test("a ServiceAccount may ask who it is, and nothing else at first", async () => {
    const { stdout } = await holder(token, "auth", "whoami", "-o", "jsonpath={.status.userInfo.groups}");
    expect(JSON.parse(stdout)).toEqual([
      "system:serviceaccounts",
      "system:serviceaccounts:default",
      "system:authenticated",
    ]);
    expect((await holder(token, "get", "cm")).stderr).toContain(
      'Error from server (Forbidden): configmaps is forbidden: User "system:serviceaccount:default:robot" cannot list resource "configmaps" in API group "" in the namespace "default"',
    );
  });

  test("with the role view it may read, and not write", async () => {
    await kubectl.text([
      "create",
      "rolebinding",
      "robots",
      "--clusterrole=view",
      "--serviceaccount=default:robot",
    ]);
    expect((await holder(token, "get", "cm", "settings", "-o", "name")).stdout).toBe("configmap/settings\n");
    expect((await holder(token, "auth", "can-i", "get", "pods")).stdout).toBe("yes\n");
    expect((await holder(token, "auth", "can-i", "create", "pods")).stdout).toBe("no\n");
    expect((await holder(token, "delete", "cm", "settings")).stderr).toContain("Forbidden");
    const asRobot = ["auth", "can-i", "list", "cm", "--as=system:serviceaccount:default:robot"];
    expect(await kubectl.text(asRobot)).toBe("yes\n");
  });

  test("the roles that gather others show what they gathered", async () => {
    const describe = () => kubectl.text(["describe", "clusterrole", "view"]);
    const shown = await eventually(describe, (text) => text.includes("configmaps"));
    expect(shown).toMatch(/configmaps\s+\[\]\s+\[\]\s+\[get list watch\]/);
  });

  test("a wrong token is turned away", async () => {
    expect((await holder("wrong", "get", "cm")).stderr).toBe(
      "error: You must be logged in to the server (Unauthorized)\n",
    );
  });

  test.skipIf(spawnSync(OPENSSL, ["version"]).status !== 0)(
    "a certificate that the authority has signed names its holder",
    async () => {
      const pki = join(session.folder, "data/pki");
      const path = (name: string) => join(session.folder, name);
      const openssl = (...args: readonly string[]) =>
        expect(spawnSync(OPENSSL, args, { encoding: "utf8" })).toMatchObject({ status: 0 });
      openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path("alice.key"));
      const subject = ["-subj", "/O=dev/O=ops/CN=alice"];
      openssl("req", "-new", "-key", path("alice.key"), ...subject, "-out", path("alice.csr"));
      const authority = ["-CA", join(pki, "ca.crt"), "-CAkey", join(pki, "ca.key"), "-set_serial", "7"];
      openssl(
        "x509",
        "-req",
        "-in",
        path("alice.csr"),
        ...authority,
        "-days",
        "1",
        "-out",
        path("alice.crt"),
      );
      await kubectl.text([
        "config",
        "set-credentials",
        "alice",
        `--client-certificate=${path("alice.crt")}`,
        `--client-key=${path("alice.key")}`,
      ]);
      const format = "jsonpath={.status.userInfo.username} {.status.userInfo.groups}";
      const said = await kubectl.text(["auth", "whoami", "--user=alice", "-o", format]);
      expect(said).toBe('alice ["dev","ops","system:authenticated"]');
    },
  );

  test("nobody who does not hold the authority's key can speak for the server", async () => {
    const other = join(session.folder, "other");
    await mkdir(other);
    const path = join(other, "kubeconfig");
    const own = await readFile(join(session.folder, "kubeconfig"), "utf8");
    await writeFile(path, own.replace(/ *certificate-authority-data: .*\n/, ""));
    const { stderr } = await kubectl.run(["get", "ns"], { env: { KUBECONFIG: path } });
    expect(stderr).toContain("x509: certificate signed by unknown authority");
  });

  test("after a restart the kubeconfig, its token and tokens of ServiceAccounts are still good", async () => {
    const before = await kubectl.text([
      "config",
      "view",
      "--raw",
      "-o",
      "jsonpath={.users[?(@.name=='egret')].user.token}",
    ]);
    await session.killAndRestart();
    const after = await kubectl.text([
      "config",
      "view",
      "--raw",
      "-o",
      "jsonpath={.users[?(@.name=='egret')].user.token}",
    ]);
    expect(after).toBe(before);
    await kubectl.text(["config", "set-credentials", "nobody"]);
    expect((await holder(token, "get", "cm", "settings", "-o", "name")).stdout).toBe("configmap/settings\n");
  });
});

describe.skipIf(problem !== undefined)("kubectl with users of a file", () => {
  let folder: string;
  let session: KubectlSession;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "egret-users-"));
    const tokens = join(folder, "tokens.csv");
    await writeFile(tokens, 'root,admin,1,"system:masters"\nlow,jane,2,""\n');
    session = await KubectlSession.start(["--token-auth-file", tokens]);
  });
  afterAll(async () => {
    await session?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test("is let in by the kubeconfig, because the server speaks HTTPS", async () => {
    expect(await session.kubectl.text(["get", "namespaces", "-o", "name"])).toContain("namespace/default");
  });

  test("shows what the Status of a refusal says", async () => {
    const { code, stderr } = await session.kubectl.run(["get", "pods", "--token", "low"]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      'Error from server (Forbidden): pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"\n',
    );
  });
});
