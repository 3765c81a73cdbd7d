// Forged tokens: derived from a known seed, or arbitrary where the server does not verify signatures.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Chance } from "../../src/apimachinery/meta/ids.ts";
import { createAccountTokens } from "../../src/apiserver/authentication/account-tokens.ts";
import { openSigningKey } from "../../src/apiserver/authentication/signing-key.ts";
import { requestWith } from "../../src/apiserver/http/kubeconfig/client.ts";
import { startEgret } from "../support/egret-process.ts";

const SEED = "known to all";
const ISSUER = "https://kubernetes.default.svc.cluster.local";
const ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts";
const HOUR_MS = 3_600_000;

let folder: string;
let kubeconfig: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-tokens-"));
  kubeconfig = join(folder, "kubeconfig");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const flags = () => ["--data-dir", join(folder, "data"), "--kubeconfig", kubeconfig, "--seed", SEED];

/** A token for the account, signed with the key that a server without credentials draws from the seed. */
function forgedFor(name: string, uid: string): string {
  const key = openSigningKey(undefined, () => new Chance(SEED).keyBytes());
  const now = Date.now();
  const tokens = createAccountTokens({ key, find: () => undefined, now: () => now, issuers: [ISSUER] });
  const times = { fromMs: now, untilMs: now + HOUR_MS };
  const account = { name, uid };
  return tokens.issue({ namespace: "default", account, audiences: [ISSUER], id: "t", ...times });
}

async function makeAccount(name: string): Promise<string> {
  const body = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name } };
  const { text } = await requestWith(kubeconfig, { method: "POST", path: ACCOUNTS, body });
  return JSON.parse(text).metadata.uid;
}

/** Returns the status code for a client that presents this token in place of the kubeconfig's. */
async function statusFor(token: string): Promise<number> {
  const path = join(folder, "other-kubeconfig");
  const config = await readFile(kubeconfig, "utf8");
  const shown = config.includes("token: ")
    ? config.replace(/token: .*/, `token: ${token}`)
    : config.replace("user: {}", `user: { token: ${token} }`);
  expect(shown).toContain(token);
  await writeFile(path, shown);
  return (await requestWith(path, { method: "GET", path: "/version" })).status;
}

/** Issues a token, which makes the server create its signing key. */
async function makeToken(name: string): Promise<string> {
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const asked = { method: "POST", path: `${ACCOUNTS}/${name}/token`, body } as const;
  return JSON.parse((await requestWith(kubeconfig, asked)).text).status.token;
}

test("with --secure nobody can make tokens with what he knows of the seed", async () => {
  await using _egret = await startEgret([...flags(), "--secure"]);
  const uid = await makeAccount("robot");
  expect(await statusFor(await makeToken("robot"))).toBe(200);
  expect(await statusFor(forgedFor("robot", uid))).toBe(401);
});

test("nor where the store has a key that a seed has made, before it was secured", async () => {
  let uid: string;
  {
    await using egret = await startEgret(flags());
    uid = await makeAccount("robot");
    await makeToken("robot");
    await egret.stop();
  }
  await using _egret = await startEgret([...flags(), "--secure"]);
  expect(await statusFor(await makeToken("robot"))).toBe(200);
  expect(await statusFor(forgedFor("robot", uid))).toBe(401);
});

test("where nobody is asked who he is, a bearer token that nobody has looked at is told of once", async () => {
  await using egret = await startEgret(flags());
  const ask = (token: string) =>
    fetch(`${egret.url}/version`, { headers: { authorization: `Bearer ${token}` } });
  await makeAccount("robot");
  expect((await ask(await makeToken("robot"))).status).toBe(200);
  expect((await ask("forged")).status).toBe(200);
  expect((await ask("forged-again")).status).toBe(200);
  const { stderr } = await egret.stop();
  const warnings = stderr.split("\n").filter((line) => line.startsWith("{"));
  expect(warnings.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: "warn", msg: expect.stringContaining("bearer token") }),
  ]);
});
