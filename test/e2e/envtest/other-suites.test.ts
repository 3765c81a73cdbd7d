// Suites that do not use envtest of controller-runtime: kube-api-test of Java, which kills its processes, and a suite that
// dies itself. A failed start is reported in one line.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeSubject, OID } from "../../support/certificate-requests.ts";
import { makeCertificate } from "../../support/certificates.ts";
import {
  ControlPlane,
  EnvtestFolder,
  httpsCall,
  untilAnswered,
} from "../../support/envtest/control-plane.ts";
import { freePort } from "../../support/etcd.ts";
import { eventually } from "../../support/eventually.ts";
import { httpGet } from "../../support/sockets/raw-http.ts";

let folder: EnvtestFolder;
beforeAll(async () => {
  folder = await EnvtestFolder.make();
});
afterAll(() => folder[Symbol.asyncDispose]());

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

describe("kube-api-test", () => {
  test("single dashes, a client certificate that is its own authority, and an end by SIGKILL", async () => {
    const files = folder.path("java");
    await mkdir(files);
    const subject = encodeSubject(
      { oid: OID.organization, type: "utf8", value: "system:masters" },
      { oid: OID.commonName, type: "utf8", value: "kubernetes-admin" },
    );
    const admin = makeCertificate({ subject });
    await folder.writeCertificates(files);
    await writeFile(join(files, "client.crt"), admin.pem);
    const [client, peer, port] = [await freePort(), await freePort(), await freePort()];
    const url = `http://127.0.0.1:${client}`;
    await using etcd = folder.run("etcd", [
      ...["-data-dir", join(files, "data"), "-wal-dir", join(files, "wal")],
      ...["-listen-peer-urls", `http://127.0.0.1:${peer}`, "-advertise-client-urls", url],
      ...["-listen-client-urls", url],
    ]);
    await using apiserver = folder.run("kube-apiserver", [
      ...["--cert-dir", files, "--secure-port", String(port), "--etcd-servers", url],
      ...["--authorization-mode", "RBAC", "--client-ca-file", join(files, "client.crt")],
      ...[
        "--service-account-issuer",
        "https://localhost",
        "--service-account-key-file",
        join(files, "sa-signer.crt"),
      ],
      ...["--service-account-signing-key-file", join(files, "sa-signer.key"), "--allow-privileged"],
      ...["--disable-admission-plugins", "ServiceAccount", "--bind-address", "127.0.0.1"],
      ...["--service-cluster-ip-range", "10.0.0.0/24"],
    ]);
    const call = (path: string, as?: typeof admin) =>
      httpsCall({ ca: folder.serving.pem, port }, path, { as });
    await untilAnswered(async () => (await call("/readyz")).code, apiserver);
    expect((await call("/api/v1/namespaces/default", admin)).code).toBe(200);
    expect((await apiserver.stop("SIGKILL")).code).toBe("SIGKILL");
    expect((await httpGet(`${url}/health`)).status).toBe(200);
    expect((await etcd.stop("SIGKILL")).code).toBe("SIGKILL");
  });
});

describe("a suite that dies", () => {
  /** Starts both programs, prints their ids and waits for its own end. */
  const SUITE = `
    const { spawn } = require("node:child_process");
    const [etcd, etcdFlags, apiserver, flags] = JSON.parse(process.argv[1]);
    const ids = [spawn(etcd, etcdFlags), spawn(apiserver, flags)].map(({ pid }) => pid);
    console.log(JSON.stringify(ids));
    setInterval(() => {}, 1000);`;

  test("its processes end by themselves, and leave nothing", async () => {
    const files = folder.path("orphans");
    await folder.writeCertificates(files);
    const [client, port] = [await freePort(), await freePort()];
    const data = join(files, "new", "data");
    const url = `http://127.0.0.1:${client}`;
    const etcdFlags = [`--data-dir=${data}`, `--listen-client-urls=${url}`];
    const flags = [
      ...[
        `--cert-dir=${files}`,
        `--secure-port=${port}`,
        `--etcd-servers=${url}`,
        "--bind-address=127.0.0.1",
      ],
      ...[`--client-ca-file=${files}/client-cert-auth-ca.crt`, "--authorization-mode=RBAC"],
    ];
    const given = [join(folder.assets, "etcd"), etcdFlags, join(folder.assets, "kube-apiserver"), flags];
    const suite = spawn(process.execPath, ["-e", SUITE, JSON.stringify(given)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [printed] = await once(suite.stdout, "data");
    const ids: number[] = JSON.parse(String(printed));
    const ready = async () => {
      const answer = await httpsCall({ ca: folder.serving.pem, port }, "/readyz", {}).catch(() => undefined);
      return answer?.code;
    };
    await eventually(ready, (code) => code === 200, 20_000);
    suite.kill("SIGKILL");
    await eventually(() => ids.every(isGone), Boolean);
    await eventually(
      () => existsSync(join(files, "new")),
      (isThere) => !isThere,
    );
  });
});

describe("a start that fails is reported in one line, and exits with 1", () => {
  const failed = async (name: string, args: readonly string[]) => {
    const { code, stdout, stderr } = await folder.run(name, args).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    return stderr;
  };

  test.each([
    ["--no-such-flag", "Error: unknown flag: --no-such-flag\n"],
    ["--insecure-port=0", "Error: unknown flag: --insecure-port\n"],
    ["-x", "Error: unknown shorthand flag: 'x' in -x\n"],
    ["--etcd-servers", "Error: flag needs an argument: --etcd-servers\n"],
    [
      "--secure-port=x",
      `Error: invalid argument "x" for "--secure-port" flag: strconv.ParseInt: parsing "x": invalid syntax\n`,
    ],
    [
      "--bind-address=foo",
      `Error: invalid argument "foo" for "--bind-address" flag: failed to parse IP: "foo"\n`,
    ],
    ["--feature-gates=Foo=true", "Error: unrecognized feature gate: Foo\n"],
    ["--runtime-config=foo/v1=true", "Error: unknown api groups foo/v1\n"],
    [
      "--oidc-issuer-url=https://a.example",
      "Error: --oidc-issuer-url is not supported: no such credentials are checked\n",
    ],
    ["--storage-backend=etcd3", "Error: --etcd-servers must be specified\n"],
  ])("kube-apiserver %s", async (flag, message) => {
    expect(await failed("kube-apiserver", [flag])).toBe(message);
  });

  test.each([
    ["--no-such-flag", "Error: unknown flag: --no-such-flag\n"],
    ["--cert-file=a", "Error: --cert-file is not supported: it listens on plain HTTP\n"],
    [
      "--listen-client-urls=https://127.0.0.1:1",
      "Error: --listen-client-urls: https://127.0.0.1:1: only http is served\n",
    ],
    [
      "--data-dir=/dev/null/a",
      expect.stringMatching(/^Error: cannot write to --data-dir \/dev\/null\/a \(.*\)\n$/),
    ],
  ])("etcd %s", async (flag, message) => {
    expect(await failed("etcd", [flag])).toEqual(message);
  });

  test("a port that is taken, and a certificate that cannot be read", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const url = `http://127.0.0.1:${port}`;
    expect(
      await failed("etcd", [`--data-dir=${folder.path("taken")}`, `--listen-client-urls=${url}`]),
    ).toMatch(/^Error: cannot listen on a client URL \(.*EADDRINUSE.*\)\n$/);
    expect(existsSync(folder.path("taken"))).toBe(false);
    await using plane = await ControlPlane.start(folder);
    const flags = plane.flags.filter((flag) => !/^--secure-port|^--etcd-servers/.test(flag));
    const etcd = await freePort();
    await using _etcd = folder.run("etcd", [
      `--data-dir=${folder.path("second")}`,
      `--listen-client-urls=http://127.0.0.1:${etcd}`,
    ]);
    const own = [...flags, `--etcd-servers=http://127.0.0.1:${etcd}`];
    expect(await failed("kube-apiserver", [...own, `--secure-port=${port}`])).toBe(
      `Error: 127.0.0.1:${port} is in use already: choose another port\n`,
    );
    const unreadable = `--client-ca-file=${folder.path("missing.crt")}`;
    expect(await failed("kube-apiserver", [...own, `--secure-port=${await freePort()}`, unreadable])).toMatch(
      /^Error: .*missing\.crt.*\n$/,
    );
    taken.close();
  });
});
