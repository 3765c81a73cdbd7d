// --service-account-signing-key-file, --service-account-key-file and several issuers: tokens that openssl verifies, and
// tokens that were signed elsewhere.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runEgret } from "../../support/egret-process.ts";
import { kubectlProblem } from "../../support/kubectl.ts";
import { KubectlSession } from "../../support/kubectl-session.ts";
import { hasOpenssl, OpensslFolder } from "../../support/openssl.ts";

const problem = kubectlProblem() ?? (hasOpenssl() ? undefined : "there is no openssl");
if (problem !== undefined)
  process.stderr.write(`${problem}: test/e2e/authentication/service-account-keys.test.ts is skipped\n`);

const ISSUERS = ["https://one.example.com", "https://two.example.com"];
const DIGEST = { dsaEncoding: "ieee-p1363" } as const;
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const decode = (part = "") => JSON.parse(Buffer.from(part, "base64url").toString());

const keyId = (key: KeyObject) =>
  createHash("sha256")
    .update(
      createPublicKey(key.export({ type: "pkcs8", format: "pem" })).export({ type: "spki", format: "der" }),
    )
    .digest("base64url");

describe.skipIf(problem !== undefined).each([
  ["rsa", "RS256"],
  ["ecdsa", "ES256"],
] as const)("tokens of ServiceAccounts with a key of type %s", (type, alg) => {
  let folder: string;
  let pki: OpensslFolder;
  let session: KubectlSession;
  let signingFile: string;
  let earlier: KeyObject;
  let other: KeyObject;

  const keyOf = async (path: string) => createPrivateKey(await readFile(path));

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "egret-account-keys-"));
    pki = new OpensslFolder(folder);
    signingFile = pki.key("signing", type);
    const [earlierFile, certificate] = [
      pki.key("earlier", "ecdsa"),
      pki.certificate("other", "/CN=other", { type: "rsa" }),
    ];
    [earlier, other] = [await keyOf(earlierFile), await keyOf(certificate.key)];
    const files = [
      pki.publicKey("signing", signingFile),
      pki.publicKey("earlier", earlierFile),
      certificate.certificate,
    ];
    session = await KubectlSession.start([
      ...["--secure", "--controllers", "", "--service-account-signing-key-file", signingFile],
      ...files.flatMap((file) => ["--service-account-key-file", file]),
      ...ISSUERS.flatMap((issuer) => ["--service-account-issuer", issuer]),
    ]);
    await session.kubectl.text(["create", "sa", "robot"]);
  });
  afterAll(async () => {
    await session?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const get = async (path: string) => JSON.parse(await session.kubectl.text(["get", "--raw", path]));
  async function holder(token: string) {
    await session.kubectl.text(["config", "set-credentials", "robot", `--token=${token}`]);
    const who = ["auth", "whoami", "--user=robot", "-o", "jsonpath={.status.userInfo.username}"];
    return (await session.kubectl.run(who)).stdout;
  }
  const ROBOT = "system:serviceaccount:default:robot";

  test("are signed with it, for all issuers, and name the first", async () => {
    const token = (await session.kubectl.text(["create", "token", "robot"])).trim();
    const [head = "", body, signature = ""] = token.split(".");
    const key = await keyOf(signingFile);
    expect(decode(head)).toEqual({ alg, kid: keyId(key) });
    expect(decode(body)).toMatchObject({ iss: ISSUERS[0], aud: ISSUERS });
    const publicKey = createPublicKey(await readFile(signingFile, "utf8"));
    const parts = [Buffer.from(`${head}.${body}`), Buffer.from(signature, "base64url")] as const;
    expect(verify("sha256", parts[0], { key: publicKey, ...DIGEST }, parts[1])).toBe(true);
    expect(await holder(token)).toBe(ROBOT);
  });

  test.each([
    ["of an earlier key", () => earlier, "ES256"],
    ["of the key of a certificate", () => other, "RS256"],
  ])("%s and of another issuer are valid", async (_what, keyNow, algorithm) => {
    const uid = await session.kubectl.text(["get", "sa", "robot", "-o", "jsonpath={.metadata.uid}"]);
    const seconds = Math.floor(Date.now() / 1000);
    const claims = {
      ...{ aud: [ISSUERS[1]], exp: seconds + 600, iat: seconds, iss: ISSUERS[1], nbf: seconds, sub: ROBOT },
      "kubernetes.io": { namespace: "default", serviceaccount: { name: "robot", uid } },
    };
    const signed = (issuer = ISSUERS[1], header: object = { alg: algorithm, typ: "JWT" }) => {
      const text = `${encode(header)}.${encode({ ...claims, iss: issuer })}`;
      const signature = sign("sha256", Buffer.from(text), { key: keyNow(), ...DIGEST });
      return `${text}.${signature.toString("base64url")}`;
    };
    expect(await holder(signed())).toBe(ROBOT);
    expect(await holder(signed(ISSUERS[1], { alg: algorithm, kid: keyId(keyNow()) }))).toBe(ROBOT);
    expect(await holder(signed("https://three.example.com"))).toBe("");
    expect(await holder(signed(ISSUERS[1], { alg: algorithm, kid: "another" }))).toBe("");
  });

  test("can be verified with the published keys", async () => {
    const { keys } = await get("/openid/v1/jwks");
    const ids = [await keyOf(signingFile), earlier, other].map(keyId);
    expect(keys.map(({ kid }: { kid: string }) => kid)).toEqual(ids);
    expect(keys[2]).toMatchObject({ use: "sig", kty: "RSA", alg: "RS256", e: "AQAB" });
    expect(await get("/.well-known/openid-configuration")).toMatchObject({
      issuer: ISSUERS[0],
      id_token_signing_alg_values_supported: ["ES256", "RS256"],
    });
  });
});

describe("a key file of ServiceAccounts", () => {
  test("that cannot be used ends the start with one line", async () => {
    const folder = await mkdtemp(join(tmpdir(), "egret-account-keys-"));
    const text = join(folder, "text");
    await writeFile(text, "text");
    for (const [flag, file, line] of [
      ["--service-account-signing-key-file", text, "data does not contain a valid RSA or ECDSA private key"],
      ["--service-account-key-file", text, "data does not contain any valid RSA or ECDSA public keys"],
      ["--service-account-key-file", join(folder, "none"), "none cannot be read (no such file or directory)"],
      ["--service-account-issuer", "1:2", "must be a valid URL"],
    ] as const) {
      const { code, stderr } = await runEgret(["--in-memory", "--kubeconfig", "", flag, file]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(line)]);
      expect(stderr).toMatch(/^egret: .*\n$/);
    }
    await rm(folder, { recursive: true, force: true });
  });
});
