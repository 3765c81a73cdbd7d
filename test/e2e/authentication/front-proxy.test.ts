// --requestheader-client-ca-file: curl as a front proxy that passes the user in headers.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EgretProcess, startEgret } from "../../support/egret-process.ts";
import { type CertificateFiles, hasOpenssl, OpensslFolder } from "../../support/openssl.ts";

const CURL = process.env["CURL"] ?? "curl";
const hasCurl = spawnSync(CURL, ["--version"]).status === 0;
const problem = hasCurl && hasOpenssl() ? undefined : "there is no curl or no openssl";
if (problem !== undefined)
  process.stderr.write(`${problem}: test/e2e/authentication/front-proxy.test.ts is skipped\n`);

const REVIEWS = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const REVIEW = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
const ALICE = ["X-Remote-User: alice", "X-Remote-Group: dev", "X-Remote-Group: ops, more"];

describe.skipIf(problem !== undefined)("a front proxy", () => {
  let folder: string;
  let pki: OpensslFolder;
  let egret: EgretProcess;
  let ca: CertificateFiles;
  let clientCa: CertificateFiles;
  let proxy: CertificateFiles;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "egret-front-proxy-"));
    pki = new OpensslFolder(folder);
    [ca, clientCa] = [pki.authority("proxy-ca"), pki.authority("client-ca")];
    proxy = pki.certificate("proxy", "/CN=front-proxy", { ca });
    egret = await startEgret([
      ...["--in-memory", "--kubeconfig", pki.path("kubeconfig"), "--client-ca-file", clientCa.certificate],
      ...["--requestheader-client-ca-file", ca.certificate, "--requestheader-allowed-names", "front-proxy"],
      ...["--requestheader-username-headers", "X-Remote-User,X-Other-User"],
      ...["--requestheader-group-headers=X-Remote-Group", "--requestheader-uid-headers=X-Remote-Uid"],
      ...["--requestheader-extra-headers-prefix", "X-Remote-Extra-"],
    ]);
  });
  afterAll(async () => {
    await egret?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  function ask(of: CertificateFiles | undefined, headers: readonly string[], ...more: readonly string[]) {
    const shown = of === undefined ? [] : ["--cert", of.certificate, "--key", of.key];
    const all = ["Content-Type: application/json", ...headers].flatMap((header) => ["-H", header]);
    const args = ["-sk", ...shown, ...all, "-d", REVIEW, ...more, egret.url + REVIEWS];
    const { status } = JSON.parse(spawnSync(CURL, args, { encoding: "utf8" }).stdout);
    return status.userInfo ?? status;
  }

  test.each([["--http1.1"], ["--http2"]])("names users by its headers, over %s", (version) => {
    const more = [
      "X-Remote-Uid: 7",
      "X-Remote-Extra-Scopes: a",
      "X-Remote-Extra-scopes: b",
      "X-Remote-Extra-a%2Fb: c",
    ];
    expect(ask(proxy, [...ALICE, ...more], version)).toEqual({
      username: "alice",
      uid: "7",
      groups: ["dev", "ops, more", "system:authenticated"],
      extra: { scopes: ["a", "b"], "a/b": ["c"] },
    });
  });

  test("may use another header, and needs one of them", () => {
    expect(ask(proxy, ["X-Other-User: bob"])).toMatchObject({ username: "bob" });
    expect(ask(proxy, ["X-Remote-Group: system:masters"])).toBe("Failure");
  });

  test("is only the holder of a certificate of its CA with an allowed name", () => {
    expect(ask(undefined, ALICE)).toBe("Failure");
    expect(ask(pki.certificate("named", "/CN=another", { ca }), ALICE)).toBe("Failure");
    expect(
      ask(pki.certificate("foreign", "/CN=front-proxy", { ca: pki.authority("foreign-ca") }), ALICE),
    ).toBe("Failure");
  });

  test("and the CA of clients do not stand for each other", () => {
    const carol = pki.certificate("carol", "/CN=front-proxy", { ca: clientCa });
    expect(ask(carol, ALICE)).toMatchObject({ username: "front-proxy" });
  });

  test("is in the ConfigMap for extension API servers", async () => {
    const [, token = ""] = /token: "?([\w-]+)/.exec(readFileSync(pki.path("kubeconfig"), "utf8")) ?? [];
    const path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
    const args = ["-sk", "-H", `Authorization: Bearer ${token}`, egret.url + path];
    const { data } = JSON.parse(spawnSync(CURL, args, { encoding: "utf8" }).stdout);
    expect(data).toEqual({
      "client-ca-file": await readFile(clientCa.certificate, "utf8"),
      "requestheader-allowed-names": '["front-proxy"]',
      "requestheader-client-ca-file": await readFile(ca.certificate, "utf8"),
      "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
      "requestheader-group-headers": '["X-Remote-Group"]',
      "requestheader-uid-headers": '["X-Remote-Uid"]',
      "requestheader-username-headers": '["X-Remote-User","X-Other-User"]',
    });
  });
});
