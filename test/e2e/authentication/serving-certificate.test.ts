// --tls-cert-file, --tls-private-key-file and --cert-dir: the serving certificate that openssl and kubectl receive.
import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { appendFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runEgret, startEgret } from "../../support/egret-process.ts";
import { kubectlProblem } from "../../support/kubectl.ts";
import { type CertificateFiles, hasOpenssl, OpensslFolder } from "../../support/openssl.ts";

const problem = kubectlProblem() ?? (hasOpenssl() ? undefined : "there is no openssl");
if (problem !== undefined)
  process.stderr.write(`${problem}: test/e2e/authentication/serving-certificate.test.ts is skipped\n`);

const KUBECTL = process.env["KUBECTL"] ?? "kubectl";
const HOSTS = ["subjectAltName=IP:127.0.0.1,DNS:localhost"];

/** The certificate that the server presents. */
function presented(url: string): Promise<X509Certificate> {
  const { hostname: host, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(new X509Certificate(socket.getPeerCertificate().raw));
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

describe.skipIf(problem !== undefined)("the serving certificate", () => {
  let folder: string;
  let pki: OpensslFolder;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "egret-serving-"));
    pki = new OpensslFolder(folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const flagsOf = ({ certificate, key }: CertificateFiles) => [
    "--tls-cert-file",
    certificate,
    "--tls-private-key-file",
    key,
  ];
  const inMemory = (kubeconfig: string) => ["--in-memory", "--kubeconfig", kubeconfig];

  /** The subject of the presented certificate and of what the kubeconfig trusts; kubectl and egret use that. */
  async function shown(flags: readonly string[]) {
    const kubeconfig = pki.path("kubeconfig");
    await using egret = await startEgret([...inMemory(kubeconfig), ...flags]);
    const [, data = ""] = /certificate-authority-data: (\S+)/.exec(await readFile(kubeconfig, "utf8")) ?? [];
    const kubectl = spawnSync(KUBECTL, ["--kubeconfig", kubeconfig, "auth", "whoami", "-o", "name"], {
      encoding: "utf8",
    });
    expect(kubectl).toMatchObject({ status: 0, stderr: "" });
    expect(await runEgret(["status", "--kubeconfig", kubeconfig])).toMatchObject({ code: 0, stderr: "" });
    const trusted = new X509Certificate(Buffer.from(data, "base64"));
    return { subject: (await presented(egret.url)).subject, trusted: trusted.subject };
  }

  test.each(["rsa", "ecdsa", "ed25519"] as const)(
    "is that of the file, with a key of type %s",
    async (type) => {
      const own = pki.certificate(`own-${type}`, "/CN=own", { type, extensions: HOSTS });
      expect(await shown(flagsOf(own))).toEqual({ subject: "CN=own", trusted: "CN=own" });
    },
  );

  test("is trusted by the root, if the file has the chain", async () => {
    const ca = pki.authority("root");
    const mid = pki.certificate("mid", "/CN=mid", { ca, extensions: ["basicConstraints=critical,CA:TRUE"] });
    const leaf = pki.certificate("leaf", "/CN=leaf", { ca: mid, extensions: HOSTS });
    expect(await shown(flagsOf(leaf))).toEqual({ subject: "CN=leaf", trusted: "CN=leaf" });
    await appendFile(leaf.certificate, await readFile(mid.certificate));
    expect(await shown(flagsOf(leaf))).toEqual({ subject: "CN=leaf", trusted: "CN=mid" });
    await appendFile(leaf.certificate, await readFile(ca.certificate));
    expect(await shown(flagsOf(leaf))).toEqual({ subject: "CN=leaf", trusted: "CN=root" });
  });

  test("is that of --cert-dir, which is made once", async () => {
    const dir = pki.path("certs");
    expect(await shown(["--cert-dir", dir])).toEqual({ subject: "CN=apiserver", trusted: "CN=apiserver-ca" });
    const first = await readFile(join(dir, "apiserver.crt"), "utf8");
    expect((await stat(join(dir, "apiserver.key"))).mode & 0o777).toBe(0o600);
    await shown(["--cert-dir", dir]);
    expect(await readFile(join(dir, "apiserver.crt"), "utf8")).toBe(first);
    const own = pki.certificate("other", "/CN=other", { extensions: HOSTS });
    expect(await shown(["--cert-dir", dir, ...flagsOf(own)])).toMatchObject({ subject: "CN=other" });
  });

  test("of --cert-dir may have been put there", async () => {
    const dir = pki.path("given");
    await mkdir(dir);
    new OpensslFolder(dir).certificate("apiserver", "/CN=given", { extensions: HOSTS });
    expect(await shown(["--cert-dir", dir])).toMatchObject({ subject: "CN=given" });
  });

  test("that cannot be used ends the start with one line", async () => {
    const [one, two] = [pki.certificate("one", "/CN=one"), pki.certificate("two", "/CN=two")];
    const text = pki.path("text");
    await writeFile(text, "text");
    const half = pki.path("half");
    await mkdir(half);
    await writeFile(join(half, "apiserver.crt"), await readFile(one.certificate));
    const starts: readonly (readonly [readonly string[], string])[] = [
      [flagsOf({ ...one, key: two.key }), "two.key: tls: private key does not match public key of"],
      [flagsOf({ ...one, certificate: pki.path("none") }), "none cannot be read (no such file or directory)"],
      [flagsOf({ ...one, certificate: text }), "text: tls: failed to find any PEM data in certificate input"],
      [flagsOf({ ...one, key: text }), "text: tls: failed to find a private key in key input"],
      [["--tls-cert-file", one.certificate], "must be given together"],
      [["--cert-dir", half], "apiserver.key, certificate and key must be supplied as a pair"],
      [["--cert-dir", join(text, "in")], "(not a directory)"],
    ];
    for (const [flags, line] of starts) {
      const { code, stderr } = await runEgret([...inMemory(""), ...flags]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(line)]);
      expect(stderr).toMatch(/^egret: .*\n$/);
    }
  });
});
