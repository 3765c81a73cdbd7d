// --client-ca-file with kubectl: client certificates created by openssl authenticate their users.
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runEgret } from "../../support/egret-process.ts";
import { kubectlProblem } from "../../support/kubectl.ts";
import { KubectlSession } from "../../support/kubectl-session.ts";
import { type CertificateFiles, hasOpenssl, OpensslFolder } from "../../support/openssl.ts";

const problem = kubectlProblem() ?? (hasOpenssl() ? undefined : "there is no openssl");
if (problem !== undefined)
  process.stderr.write(`${problem}: test/e2e/authentication/client-ca.test.ts is skipped\n`);

const CLIENT = ["extendedKeyUsage=clientAuth"];
const USER = "jsonpath={.status.userInfo.username} {.status.userInfo.groups}";

describe.skipIf(problem !== undefined)("--client-ca-file", () => {
  let folder: string;
  let pki: OpensslFolder;
  let bundle: string;
  let session: KubectlSession;
  let ca: CertificateFiles;
  let second: CertificateFiles;
  let selfSigned: CertificateFiles;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "egret-client-ca-"));
    pki = new OpensslFolder(folder);
    [ca, second] = [pki.authority("ca", "rsa"), pki.authority("second")];
    selfSigned = pki.certificate("self", "/O=system:masters/CN=kubernetes-admin", { type: "rsa" });
    bundle = pki.path("bundle.crt");
    for (const { certificate } of [ca, second, selfSigned])
      await appendFile(bundle, await readFile(certificate));
    session = await KubectlSession.start(["--client-ca-file", bundle]);
  });
  afterAll(async () => {
    await session?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** kubectl as a user with this certificate alone. */
  async function as({ certificate, key }: CertificateFiles, ...args: readonly string[]) {
    const name = `user-${certificate}`;
    const files = [`--client-certificate=${certificate}`, `--client-key=${key}`];
    await session.kubectl.text(["config", "set-credentials", name, ...files]);
    return await session.kubectl.run([...args, `--user=${name}`]);
  }
  const userOf = async (of: CertificateFiles) => (await as(of, "auth", "whoami", "-o", USER)).stdout;

  test.each(["rsa", "ecdsa", "ed25519"] as const)(
    "a certificate with a key of type %s names its user",
    async (type) => {
      const alice = pki.certificate(`alice-${type}`, "/O=dev/O=ops/CN=alice", {
        type,
        ca,
        extensions: CLIENT,
      });
      expect(await userOf(alice)).toBe('alice ["dev","ops","system:authenticated"]');
      expect((await as(alice, "get", "secrets")).stderr).toContain(
        'secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in the namespace "default"',
      );
    },
  );

  test("each certificate of the bundle is a CA", async () => {
    const bob = pki.certificate("bob", "/CN=bob", { ca: second });
    expect(await userOf(bob)).toBe('bob ["system:authenticated"]');
  });

  test("an intermediate CA may stand between, also on a second connection", async () => {
    const extensions = ["basicConstraints=critical,CA:TRUE,pathlen:0"];
    const mid = pki.certificate("mid", "/CN=mid", { ca, extensions });
    const { key, certificate } = pki.certificate("carol", "/CN=carol", { ca: mid });
    await appendFile(certificate, await readFile(mid.certificate));
    for (const _ of [1, 2]) expect(await userOf({ key, certificate })).toBe('carol ["system:authenticated"]');
  });

  test("a certificate that has signed itself is accepted if it is in the bundle", async () => {
    expect(await userOf(selfSigned)).toBe('kubernetes-admin ["system:masters","system:authenticated"]');
    const stranger = pki.certificate("stranger", "/O=system:masters/CN=kubernetes-admin");
    expect(await userOf(stranger)).toBe("");
  });

  test("system:masters may do everything, and impersonate", async () => {
    const admin = pki.certificate("admin", "/O=system:masters/CN=root", { ca });
    expect((await as(admin, "auth", "can-i", "*", "*")).stdout).toBe("yes\n");
    const dave = ["auth", "whoami", "--as=dave", "--as-group=dev", "-o", USER];
    expect((await as(admin, ...dave)).stdout).toBe('dave ["dev","system:authenticated"]');
  });

  test("expired certificates, and those of other CAs and for servers, are unauthorized", async () => {
    const own = join(session.folder, "data/pki");
    const egret = { certificate: join(own, "ca.crt"), key: join(own, "ca.key") };
    const refused = [
      pki.certificate("late", "/CN=late", { ca, days: -1 }),
      pki.certificate("foreign", "/CN=foreign", { ca: pki.authority("other") }),
      pki.certificate("egrets", "/CN=egrets", { ca: egret }),
      pki.certificate("server", "/CN=server", { ca, extensions: ["extendedKeyUsage=serverAuth"] }),
    ];
    for (const of of refused) {
      const { code, stderr } = await as(of, "get", "ns");
      expect([code, stderr]).toEqual([1, expect.stringContaining("(Unauthorized)")]);
    }
  });

  test("its text is in the ConfigMap for extension API servers", async () => {
    const path = ["get", "cm", "extension-apiserver-authentication", "-n", "kube-system", "-o"];
    const text = await session.kubectl.text([...path, "jsonpath={.data.client-ca-file}"]);
    expect(text.trim()).toBe((await readFile(bundle, "utf8")).trim());
  });

  test.each([
    ["none.crt", undefined, /^egret: --client-ca-file: .* cannot be read \(no such file or directory\)\n$/],
    ["empty.crt", "", /^egret: --client-ca-file: .*missing content for CA bundle "client-ca-bundle::.*"\n$/],
    ["text.crt", "text", /^egret: --client-ca-file: .*data does not contain any valid .*certificates\n$/],
    [
      "broken.crt",
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
      /: x509: malformed certificate\n$/,
    ],
  ])("the file %s ends the start with one line", async (name, text, line) => {
    if (text !== undefined) await writeFile(pki.path(name), text);
    const flags = ["--in-memory", "--kubeconfig", "", "--client-ca-file", pki.path(name)];
    const { code, stderr } = await runEgret(flags);
    expect([code, stderr.split("\n").length]).toEqual([1, 2]);
    expect(stderr).toMatch(line);
  });

  test("it needs HTTPS", async () => {
    const { code, stderr } = await runEgret(["--secure=false", "--client-ca-file", bundle]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^egret: --client-ca-file needs HTTPS.*\n$/)]);
  });
});
