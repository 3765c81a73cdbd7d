// A server and an etcd that requires authentication: client certificates, users, and tokens that expire. A server without
// access reports the reason at startup, in one line.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type Server, type ServerOptions } from "../../../src/server/server.ts";
import { EtcdClient } from "../../../src/storage/etcd/etcd-client.ts";
import { Etcd, etcdProblem } from "../../support/etcd.ts";
import { type EtcdCertificates, writeEtcdCertificates } from "../../support/etcd-certificates.ts";
import { MEMORY_SERVER } from "../../support/memory-server.ts";

const problem = etcdProblem();
const leftOut = problem === undefined ? "" : ` (left out: ${problem})`;
const { inMemory: _, ...SERVER } = MEMORY_SERVER;
/** Long enough for a first try on a machine that others share. */
const WAIT_MS = 5000;
const TOKEN_SECONDS = 1;
/** etcd looks once a second which tokens have run out. */
const TOKEN_IS_GONE_MS = (TOKEN_SECONDS + 1) * 1000 + 200;
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

type Options = Partial<ServerOptions>;

const start = (options: Options): Promise<Server> => createServer({ ...SERVER, ...options });

/** What a start is refused with. */
async function refusal(options: Options): Promise<string> {
  const started = await start(options).catch((error: Error) => error);
  if (started instanceof Error) return started.message;
  await started.close();
  throw new Error("it has started");
}

async function createConfigMap(url: string, name: string): Promise<number> {
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  const headers = { "content-type": "application/json" };
  return (await fetch(url + CONFIG_MAPS, { method: "POST", headers, body })).status;
}

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-etcd-access-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.skipIf(problem !== undefined)(`an etcd that asks for certificates${leftOut}`, () => {
  let etcd: Etcd;
  let own: EtcdCertificates;
  let others: EtcdCertificates;

  beforeAll(async () => {
    own = await writeEtcdCertificates(folder, "egret");
    await mkdir(join(folder, "others"));
    others = await writeEtcdCertificates(join(folder, "others"), "egret");
    etcd = await Etcd.start([], own);
  });
  afterAll(() => etcd?.stop());

  const options = (): Options => ({
    store: `etcd://${etcd.secureEndpoint}`,
    etcdCafile: own.ca,
    etcdCertfile: own.clientCert,
    etcdKeyfile: own.clientKey,
  });

  test("keeps what a server with one writes, however its members are named", async () => {
    const [, port] = etcd.secureEndpoint.split(":");
    for (const [index, members] of [`127.0.0.1:${port}`, `localhost:${port},127.0.0.1:${port}`].entries()) {
      const server = await start({ ...options(), store: `etcd://${members}` });
      expect(await createConfigMap(server.url, `c${index}`)).toBe(201);
      await server.close();
    }
  });

  test("refuses others", async () => {
    const at = `etcd at ${etcd.secureEndpoint}: `;
    expect(await refusal({ ...options(), etcdCafile: others.ca })).toBe(
      `${at}unable to verify the first certificate`,
    );
    const wanted =
      /: \S.* alert .*certificate.*: it wants a client certificate of an authority that it trusts$/;
    const { etcdCertfile: _cert, etcdKeyfile: _key, ...nameless } = options();
    expect(await refusal(nameless)).toMatch(wanted);
    expect(
      await refusal({ ...options(), etcdCertfile: others.clientCert, etcdKeyfile: others.clientKey }),
    ).toMatch(wanted);
    expect(await refusal({ ...options(), store: `etcd://${etcd.endpoint}` })).toMatch(/before secure TLS/);
    const named = options().store?.replace("127.0.0.1", "localhost") ?? "";
    expect(await refusal({ ...options(), store: named })).toMatch(/does not match certificate's altnames/);
  });

  test("files that are no certificates, or do not belong together, are named", async () => {
    const noCa = join(folder, "empty.pem");
    await writeFile(noCa, "");
    expect(await refusal({ ...options(), etcdCafile: noCa })).toContain(`--etcd-cafile ${noCa}: `);
    expect(await refusal({ ...options(), etcdKeyfile: others.clientKey })).toMatch(
      /^--etcd-certfile \S+ and --etcd-keyfile \S+others\S+: .*key values mismatch$/,
    );
  });

  test("who gets no answer is told what keeps him, and in the end that it will not do", async () => {
    const told: string[] = [];
    const refusedOf = async (endpoint: string): Promise<string> => {
      const client = new EtcdClient({ endpoints: [endpoint], timeoutMs: WAIT_MS });
      const error = await client.connect((why) => told.push(why.message)).catch((reason: Error) => reason);
      client.close();
      return error instanceof Error ? error.message : "";
    };
    const reasons = ["it ends the connection: does it want TLS?", "connect ECONNREFUSED 127.0.0.1:9"];
    expect(await Promise.all([etcd.secureEndpoint, "127.0.0.1:9"].map(refusedOf))).toEqual(reasons);
    expect(told).toEqual(expect.arrayContaining(reasons));
  });
});

describe.skipIf(problem !== undefined)(`an etcd that asks for a user${leftOut}`, () => {
  let etcd: Etcd;

  beforeAll(async () => {
    etcd = await Etcd.start([`--auth-token-ttl=${TOKEN_SECONDS}`]);
    await etcd.askForUsers([
      { name: "root", password: "r" },
      { name: "egret", password: "secret", rights: { from: "\0", type: "READWRITE" } },
      { name: "reader", password: "secret", rights: { from: "\0", type: "READ" } },
      { name: "half", password: "secret", rights: { from: "/registry/", type: "READWRITE" } },
    ]);
    await writeFile(join(folder, "password"), "secret\n");
    await writeFile(join(folder, "wrong"), "guess\n");
  });
  afterAll(() => etcd?.stop());

  const as = (etcdUser: string, password = "password"): Options => ({
    ...{ store: `etcd://${etcd.endpoint}`, etcdUser },
    etcdPasswordFile: join(folder, password),
  });

  test("refuses who is none, has another password, or too few rights", async () => {
    const at = `etcd at ${etcd.endpoint}: etcdserver: `;
    expect(await refusal({ store: `etcd://${etcd.endpoint}` })).toBe(
      `${at}user name is empty: name one with --etcd-user and --etcd-password-file, or by a client certificate`,
    );
    expect(await refusal(as("egret", "wrong"))).toBe(
      `${at}authentication failed, invalid user ID or password`,
    );
    const rights = `${at}permission denied: its user has to read all keys, and to write those below /egret/registry/ and /registry/`;
    expect(await refusal(as("reader"))).toBe(rights);
    expect(await refusal(as("half"))).toBe(rights);
  });

  test("a token that has run out or was taken back is replaced", async () => {
    const server = await start(as("egret"));
    try {
      expect(await createConfigMap(server.url, "first")).toBe(201);
      await new Promise((resolve) => setTimeout(resolve, TOKEN_IS_GONE_MS));
      expect(await createConfigMap(server.url, "later")).toBe(201);
      await etcd.changePassword("egret", "secret");
      expect(await createConfigMap(server.url, "as-ever")).toBe(201);
    } finally {
      await server.close();
    }
  });

  test("a stream of changes is refused with an old token once", async () => {
    const login = { user: "egret", password: "secret" };
    const client = new EtcdClient({ endpoints: [etcd.endpoint], login });
    const openWatch = () =>
      new Promise<boolean>((resolve, reject) => {
        void client
          .watch({
            answered: ({ created, canceled }) => (canceled || created) && resolve(!canceled),
            ended: reject,
          })
          .then((call) => call.send({ key: "\0", rangeEnd: "\0", startRevision: 1 }), reject);
      });
    try {
      expect(await openWatch()).toBe(true);
      await etcd.changePassword("egret", "secret");
      expect(await openWatch()).toBe(false);
      expect(await openWatch()).toBe(true);
    } finally {
      client.close();
    }
  });
});
