// Server address and credentials in kubeconfigs, in every form that a kubeconfig allows.
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readAccess } from "../../../../../src/apiserver/http/kubeconfig/access.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-access-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const base64 = (text: string) => Buffer.from(text).toString("base64");

/** A kubeconfig of one cluster and one user. */
async function write(user: object, cluster: object = {}, name = "config"): Promise<string> {
  const path = join(folder, name);
  const config = {
    clusters: [{ name: "c", cluster: { server: "https://10.0.0.1:6443", ...cluster } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  await writeFile(path, JSON.stringify(config));
  return path;
}

const access = async (user: object, cluster?: object) => readAccess({ paths: [await write(user, cluster)] });

describe("credentials", () => {
  test("stand in the file, or in one that it names from where it is", async () => {
    await mkdir(join(folder, "pki"));
    await writeFile(join(folder, "pki", "crt"), "of a file\n");
    await writeFile(join(folder, "token"), " of a file\n");
    expect(
      await access({ tokenFile: "token", "client-certificate": "pki/crt", "client-key-data": base64("key") }),
    ).toMatchObject({
      token: "of a file",
      canRenew: true,
      tls: { cert: "of a file", key: "key" },
    });
    expect(await access({ token: "here", tokenFile: "token" })).toMatchObject({ token: "here" });
    await expect(access({ tokenFile: "none" })).rejects.toThrow(/none, which .*config names, cannot be read/);
  });

  test("of a cluster: its authority, its name, or no questions at all", async () => {
    const cluster = {
      "certificate-authority-data": base64("ca"),
      "tls-server-name": "api",
      "insecure-skip-tls-verify": true,
    };
    expect((await access({}, cluster)).tls).toEqual({
      ...{ ca: "ca", cert: undefined, key: undefined },
      ...{ servername: "api", rejectUnauthorized: false },
    });
  });

  test("on behalf of somebody else", async () => {
    const user = {
      as: "jane",
      "as-uid": "7",
      "as-groups": ["dev", "ops"],
      "as-user-extra": { "A/b": ["1", "2"] },
    };
    expect((await access(user)).impersonation).toEqual({
      ...{ "impersonate-user": "jane", "impersonate-uid": "7" },
      ...{ "impersonate-group": ["dev", "ops"], "impersonate-extra-a%2Fb": ["1", "2"] },
    });
  });

  test.each([{ username: "a" }, { "auth-provider": { name: "gcp" } }])("%j is refused", async (user) => {
    await expect(access(user)).rejects.toThrow(
      /which is not supported here; use a token, a certificate or exec/,
    );
  });
});

describe("files and contexts", () => {
  test("of several files the first counts, and one that is missing does not", async () => {
    const first = join(folder, "first");
    await writeFile(first, JSON.stringify({ users: [{ name: "u", user: { token: "first" } }] }));
    const second = await write({ token: "second" });
    expect(await readAccess({ paths: [join(folder, "none"), first, second] })).toMatchObject({
      token: "first",
      server: "https://10.0.0.1:6443",
    });
    await expect(readAccess({ paths: [join(folder, "none")] })).rejects.toThrow(
      /cannot be read: it is not there/,
    );
    await expect(readAccess({ paths: ["a", "b"].map((name) => join(folder, name)) })).rejects.toThrow(
      /none of the/,
    );
  });

  test("a context that is not there, and a cluster without an address, are said", async () => {
    const path = await write({});
    expect(await readAccess({ paths: [path], context: "x" })).toMatchObject({ token: undefined });
    await expect(readAccess({ paths: [path], context: "y" })).rejects.toThrow(/has no context y/);
    await expect(access({}, { server: "" })).rejects.toThrow(/names no server/);
    await expect(access({}, { "proxy-url": "socks5://1.2.3.4" })).rejects.toThrow(
      /proxy-url, which is not supported/,
    );
  });
});

describe("a program that brings credentials", () => {
  const V1 = "client.authentication.k8s.io/v1";
  /** An exec plugin that prints this credential. It records its input where `more` does so. */
  const program = async (answer: unknown, more = "") => {
    const path = join(folder, "login");
    const text = typeof answer === "string" ? answer : JSON.stringify(answer);
    await writeFile(path, `#!/bin/sh\ncat > /dev/null\n${more}\ncat <<'END'\n${text}\nEND\n`);
    await chmod(path, 0o755);
    return { command: "./login", apiVersion: V1, interactiveMode: "Never" };
  };
  const credential = (status: unknown, apiVersion = V1) => ({ apiVersion, kind: "ExecCredential", status });

  test("brings a token, and says how long it is good", async () => {
    const exec = await program(credential({ token: "t", expirationTimestamp: "2026-11-23T12:00:00Z" }));
    expect(await access({ exec })).toMatchObject({
      token: "t",
      canRenew: true,
      expiresAtMs: Date.UTC(2026, 10, 23, 12),
    });
    expect((await access({ exec, token: "own" })).token).toBe("own");
  });

  test("brings a certificate, in either version", async () => {
    const apiVersion = "client.authentication.k8s.io/v1beta1";
    const exec = await program(credential({ clientCertificateData: "c", clientKeyData: "k" }, apiVersion));
    const { interactiveMode: _, ...older } = { ...exec, apiVersion };
    expect((await access({ exec: older })).tls).toMatchObject({ cert: "c", key: "k" });
  });

  test("is told what it is for, and has its own arguments and variables", async () => {
    const more = `echo "$1 $MORE" > ${folder}/args; printf %s "$KUBERNETES_EXEC_INFO" > ${folder}/told`;
    const exec = await program(credential({ token: "t" }), more);
    const cluster = {
      "certificate-authority-data": base64("ca"),
      extensions: [{ name: "client.authentication.k8s.io/exec", extension: { audience: "a" } }],
    };
    const asked = { ...exec, args: ["one"], env: [{ name: "MORE", value: "two" }], provideClusterInfo: true };
    await access({ exec: asked }, cluster);
    expect(await readFile(join(folder, "args"), "utf8")).toBe("one two\n");
    const server = "https://10.0.0.1:6443";
    expect(JSON.parse(await readFile(join(folder, "told"), "utf8"))).toEqual({
      ...{ apiVersion: V1, kind: "ExecCredential" },
      spec: {
        interactive: false,
        cluster: { server, "certificate-authority-data": base64("ca"), config: { audience: "a" } },
      },
    });
  });

  test.each([
    ["no JSON", "hello", /has printed no ExecCredential/],
    [
      "another version",
      credential({ token: "t" }, "client.authentication.k8s.io/v1beta1"),
      /was asked in client.*\/v1$/,
    ],
    ["no status", credential(undefined), /without a status/],
    ["nothing", credential({}), /neither a token nor a certificate/],
    ["half a certificate", credential({ clientCertificateData: "c" }), /a certificate and no key/],
  ])("that answers with %s is told of", async (_what, answer, why) => {
    const exec = await program(answer);
    await expect(access({ exec })).rejects.toThrow(why);
  });

  test("that fails, or is not there, is told of, with what helps", async () => {
    const exec = await program("", "exit 3");
    await expect(access({ exec })).rejects.toThrow(/login, which brings the credentials, has failed with 3/);
    const absent = { ...exec, command: "egret-nobody", installHint: "Install it.\n" };
    await expect(access({ exec: absent })).rejects.toThrow(
      "egret-nobody, which brings the credentials, is not there\n\nInstall it.",
    );
  });

  test.each([
    [
      { apiVersion: "client.authentication.k8s.io/v1alpha1" },
      /has exec of client.authentication.k8s.io\/v1alpha1, and not of/,
    ],
    [{ interactiveMode: undefined }, /needs interactiveMode/],
    [{ interactiveMode: "Sometimes" }, /one of Never, IfAvailable, Always, not Sometimes/],
    [{ command: "" }, /exec without a command/],
  ])("%j is refused", async (wrong, why) => {
    const exec = await program(credential({ token: "t" }));
    await expect(access({ exec: { ...exec, ...wrong } })).rejects.toThrow(why);
  });
});
