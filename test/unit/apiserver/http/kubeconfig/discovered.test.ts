// Kubeconfigs in a working directory that are rejected, whatever their content.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readAccess } from "../../../../../src/apiserver/http/kubeconfig/access.ts";
import { isThisMachine } from "../../../../../src/apiserver/http/kubeconfig/discovered.ts";
import {
  digestOf,
  findInstance,
  type InstanceFacts,
  isProof,
  keepInstance,
  newChallenge,
  proofOf,
} from "../../../../../src/apiserver/http/kubeconfig/instance.ts";

let folder: string;
let state: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-discovered-"));
  state = join(folder, "egret");
  vi.stubEnv("XDG_STATE_HOME", folder);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

interface Entries {
  readonly cluster?: object;
  readonly user?: object;
}

/** A file in which a value that is undefined does not exist. */
async function read({ cluster, user }: Entries) {
  const path = join(folder, "kubeconfig");
  const config = {
    clusters: [{ name: "c", cluster: { server: "http://127.0.0.1:1", ...cluster } }],
    users: [{ name: "u", user: { ...user } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  await writeFile(path, JSON.stringify(config), { mode: 0o600 });
  return await readAccess({ paths: [path], isDiscovered: true });
}

const extensions = (id: string) => [{ name: "egret.dev/instance", extension: { id } }];

function kept(facts: InstanceFacts) {
  const instance = keepInstance(facts, [state]);
  if ("problems" in instance) throw new Error(instance.problems.join());
  return instance;
}

describe("a kubeconfig of the working directory", () => {
  test("that a server of the user has written is used, with its identity to prove", async () => {
    const instance = kept({ url: "http://127.0.0.1:1", token: "t" });
    const entries = { cluster: { extensions: extensions(instance.id) }, user: { token: "t" } };
    const { remove: _, ...record } = instance;
    expect(await read(entries)).toMatchObject({
      ...{ server: "http://127.0.0.1:1", token: "t", impersonation: {}, canRenew: false },
      instance: record,
    });
    instance.remove();
    await expect(read(entries)).rejects.toThrow(/no server of yours has written it/);
  });

  const refused: [why: string, entries: Entries, message: RegExp][] = [
    ["a file to read", { user: { tokenFile: "/etc/hostname" } }, /: tokenFile of u is not allowed there/],
    ["a program", { user: { exec: { command: "true" } } }, /: exec of u is not allowed there/],
    ["impersonation", { user: { as: "admin" } }, /: as of u is not allowed there/],
    ["a proxy", { cluster: { "proxy-url": "http://127.0.0.1:1" } }, /: proxy-url of c is not allowed there/],
    [
      "an authority's file",
      { cluster: { "certificate-authority": "ca" } },
      /: certificate-authority of c is/,
    ],
    [
      "a certificate that is not checked",
      { cluster: { server: "https://127.0.0.1:1", "insecure-skip-tls-verify": true } },
      /: it has insecure-skip-tls-verify/,
    ],
    [
      "another machine",
      { cluster: { server: "http://192.0.2.1:80" } },
      /: its server 192\.0\.2\.1 is not on this machine/,
    ],
    ["a name", { cluster: { server: "http://localhost.example.com" } }, /: its server localhost\.example/],
    ["a path", { cluster: { server: "http://127.0.0.1:1/x" } }, /: its server is no address of the form/],
    ["another scheme", { cluster: { server: "file:///etc/passwd" } }, /: its server is no address of the/],
    ["a known token", { user: { token: "known" } }, /: no server of Egret has written it/],
    ["an invented id", { cluster: { extensions: extensions("a".repeat(32)) } }, /: no server of yours/],
    ["a path as id", { cluster: { extensions: extensions("../../x") } }, /: no server of yours/],
  ];
  test.each(refused)(
    "is refused for %s, also where a server of the user has written the rest",
    async (...row) => {
      const [, entries, message] = row;
      await expect(read(entries)).rejects.toThrow(message);
      const instance = kept({ url: "http://127.0.0.1:1" });
      const { cluster, user } = entries;
      await expect(
        read({ cluster: { extensions: extensions(instance.id), ...cluster }, user: { ...user } }),
      ).rejects.toThrow(/of the working directory is not used: /);
    },
  );

  test("is refused with any member that Egret does not write", async () => {
    const instance = kept({ url: "http://127.0.0.1:1", token: "t" });
    const own = { cluster: { extensions: extensions(instance.id) }, user: { token: "t" } };
    const known = new Set([
      "server",
      "extensions",
      "token",
      "certificate-authority-data",
      "disable-compression",
    ]);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("cluster", "user"),
        fc.string({ minLength: 1 }).filter((name) => !known.has(name) && name !== "__proto__"),
        fc.jsonValue(),
        async (where, name, value) => {
          const entries = { ...own, [where]: { ...own[where as "user"], [name]: value } };
          if (where === "cluster" && name === "insecure-skip-tls-verify") return; // of no meaning without TLS
          await expect(read(entries)).rejects.toThrow(/of the working directory is not used: /);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("a proof", () => {
  const facts = { url: "http://127.0.0.1:1", authority: "ca", token: "t" };

  test("holds for one server, one URL and one challenge", () => {
    const [one, other] = [kept(facts), kept(facts)];
    const [challenge, second] = [newChallenge(), newChallenge()];
    const proof = proofOf(one, challenge);
    expect(isProof(one, challenge, proof)).toBe(true);
    expect(isProof(one, second, proof)).toBe(false);
    expect(isProof(other, challenge, proof)).toBe(false);
    expect(isProof({ ...one, url: "http://127.0.0.1:2" }, challenge, proof)).toBe(false);
    for (const wrong of ["", "00", proof.slice(1), `${proof}0`])
      expect(isProof(one, challenge, wrong)).toBe(false);
  });

  test("is of a record that the oldest of many others gives way to", () => {
    const first = kept(facts);
    for (let count = 0; count < 300; count++) kept(facts);
    const last = kept(facts);
    expect(findInstance(last.id, [state])).toMatchObject({ id: last.id, digest: digestOf(facts) });
    expect(findInstance(first.id, [state])).toBeUndefined();
  });
});

test.each([
  ...[
    ["127.0.0.1", true],
    ["127.8.9.1", true],
    ["localhost", true],
    ["[::1]", true],
    ["0.0.0.0", true],
  ],
  ...[
    ["[::]", true],
    ["192.0.2.1", false],
    ["127.0.0.1.example.com", false],
    ["[2001:db8::1]", false],
  ],
  ...[
    ["localhost.example.com", false],
    ["example.com", false],
  ],
] as [string, boolean][])("%s is an address of this machine: %s", (host, is) => {
  expect(isThisMachine(new URL(`http://${host}:8080`))).toBe(is);
});
