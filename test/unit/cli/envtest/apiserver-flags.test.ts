import { describe, expect, test } from "vitest";
import { featureNotes } from "../../../../src/cli/envtest/apiserver-features.ts";
import { APISERVER_FLAGS } from "../../../../src/cli/envtest/apiserver-flags.ts";
import { optionsOfFlags, READ_OTHERWISE } from "../../../../src/cli/envtest/apiserver-options.ts";
import { ETCD_FLAGS } from "../../../../src/cli/envtest/etcd-flags.ts";
import { refuseFlags, withoutEffect } from "../../../../src/cli/envtest/flag-effects.ts";
import { readGoFlags } from "../../../../src/cli/envtest/go-flags.ts";
import { FLAGS } from "../../../../src/server/options/options.ts";

const read = (...args: readonly string[]) => readGoFlags(APISERVER_FLAGS, args, { oneDash: "letters" });
const options = (...args: readonly string[]) =>
  optionsOfFlags(read(...args), { type: "folder", path: "/tmp/store" });
const notes = (...args: readonly string[]) => featureNotes(read(...args));

describe("the tables", () => {
  test.each([
    ["kube-apiserver", APISERVER_FLAGS],
    ["etcd", ETCD_FLAGS],
  ])("of %s name each flag once", (_name, flags) => {
    const names = flags.map(({ name }) => name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  test("say why a flag is refused", () => {
    const refused = [...APISERVER_FLAGS, ...ETCD_FLAGS].filter(({ effect }) => effect === "refused");
    expect(refused.filter(({ text }) => text === "")).toEqual([]);
  });

  test("each flag that is honoured is an option of the server, or is read here", () => {
    const honoured = APISERVER_FLAGS.filter(({ effect }) => effect === "honoured").map(({ name }) => name);
    const known = [...FLAGS.map(({ name }) => name), ...READ_OTHERWISE];
    expect(honoured.filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe("options", () => {
  test("without flags they are those of a kube-apiserver", () => {
    expect(options()).toMatchObject({
      ...{ listen: "0.0.0.0:6443", secure: true, kinds: "none", noUi: true, kubeconfig: undefined },
      ...{ dataDir: "/tmp/store", unsafeNoFsync: true, allowPrivileged: false },
      ...{ enableAdmissionPlugins: ["ServiceAccount"], disableAdmissionPlugins: ["NodeRestriction"] },
      controllers: "flow-control,nodeport-repair,server-configmaps",
    });
  });

  test("a flag of the same name is the option", () => {
    const given = options(
      ...["--bind-address=127.0.0.1", "--secure-port", "7443", "--service-cluster-ip-range=10.0.0.0/24"],
      ...["--allow-privileged", "--max-requests-inflight=7", "--min-request-timeout=9", "--v=6"],
      ...["--default-not-ready-toleration-seconds=5", "--default-unreachable-toleration-seconds=-1"],
      ...[
        "--enable-admission-plugins=NodeRestriction,AlwaysAdmit",
        "--disable-admission-plugins=ServiceAccount",
      ],
    );
    expect(given).toMatchObject({
      ...{ listen: "127.0.0.1:7443", serviceClusterIpRange: "10.0.0.0/24", allowPrivileged: true },
      ...{ defaultNotReadyTolerationSeconds: 5, defaultUnreachableTolerationSeconds: -1 },
      ...{ maxRequestsInflight: 7, minRequestTimeout: 9, logLevel: "trace" },
      ...{
        enableAdmissionPlugins: ["NodeRestriction", "AlwaysAdmit"],
        disableAdmissionPlugins: ["ServiceAccount"],
      },
    });
  });

  test("IPv6, a real etcd with its prefix, and further controllers", () => {
    const values = read("--bind-address=::1", "--etcd-prefix=/other");
    const store = { type: "etcd", store: "etcd://127.0.0.1:1" } as const;
    expect(optionsOfFlags(values, store, "namespace,garbage-collector")).toMatchObject({
      ...{ listen: "[::1]:6443", store: "etcd://127.0.0.1:1", storePrefix: "/other" },
      controllers: "flow-control,nodeport-repair,server-configmaps,namespace,garbage-collector",
    });
  });

  test("an address for Endpoints is none of the loopback range, and none where it is not wanted", () => {
    expect(options("--advertise-address=192.0.2.7").advertiseAddress).toBe("192.0.2.7");
    expect(options("--advertise-address=127.0.0.1").advertiseAddress).not.toBe("127.0.0.1");
    const none = ["--advertise-address=192.0.2.7", "--endpoint-reconciler-type=none"];
    expect(options(...none).advertiseAddress).toBeUndefined();
  });

  test.each(["0", "-1", "65536"])("port %s is refused in the words of a kube-apiserver", (port) => {
    expect(() => options(`--secure-port=${port}`)).toThrow(
      `--secure-port ${port} must be between 1 and 65535, inclusive. It cannot be turned off with 0`,
    );
  });
});

describe("flags that are refused or change nothing", () => {
  test("a boolean that is off, and an empty text, ask for nothing", () => {
    expect(() =>
      refuseFlags(APISERVER_FLAGS, read("--enable-bootstrap-token-auth=false", "--oidc-ca-file=")),
    ).not.toThrow();
    expect(() => refuseFlags(APISERVER_FLAGS, read("--enable-bootstrap-token-auth"))).toThrow(
      "--enable-bootstrap-token-auth is not supported",
    );
  });

  test("those without effect are named", () => {
    expect(
      withoutEffect(APISERVER_FLAGS, read("--audit-log-path=-", "--secure-port=1", "--profiling")),
    ).toEqual(["--audit-log-path", "--profiling"]);
  });
});

describe("feature gates and APIs", () => {
  test("what is as it is without the flag needs no note", () => {
    expect(
      notes(
        "--feature-gates=WatchList=true,kube:AllAlpha=false",
        "--runtime-config=apps/v1=true,api/beta=false",
      ),
    ).toEqual([]);
  });

  test("what would be otherwise is named", () => {
    expect(notes("--feature-gates=APIServingWithRoutine=true,WatchList=false")).toEqual([
      "the alpha feature APIServingWithRoutine is not there: APIServingWithRoutine=true has no effect",
      "the beta feature WatchList is always on: WatchList=false has no effect",
    ]);
    expect(notes("--runtime-config=storage.k8s.io/v1beta1")).toEqual([
      "storage.k8s.io/v1beta1: not there are storage.k8s.io/v1beta1",
    ]);
    expect(notes("--runtime-config=api/all=true")).toHaveLength(1);
  });

  test.each([
    ["--feature-gates=Foo=true", "unrecognized feature gate: Foo"],
    ["--feature-gates=foo:Bar=true", "component not registered: foo"],
    ["--feature-gates=WatchList", "missing bool value for WatchList"],
    [
      "--feature-gates=WatchList=maybe",
      'invalid value of WatchList=maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    [
      "--feature-gates=APIServerTracing=false",
      "cannot set feature gate APIServerTracing to false, feature is locked to true",
    ],
    ["--runtime-config=foo=true", "runtime-config invalid key foo"],
    ["--runtime-config=a/b/c/d=true", "runtime-config invalid key a/b/c/d"],
    [
      "--runtime-config=apps/v1=maybe",
      'invalid value of apps/v1: maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    ["--runtime-config=api/all=maybe", "invalid value api/all=maybe"],
    ["--runtime-config=foo/v1=true", "unknown api groups foo/v1"],
    ["--runtime-config=apps/v9=true", "group version apps/v9 that has not been registered"],
    [
      "--runtime-config=apps/v1=false",
      "--runtime-config apps/v1=false is not supported: apps/v1 is always served",
    ],
    ["--emulated-version=1.35", "--emulated-version 1.35 is not supported: the behaviour is that of 1.36"],
  ])("%s is refused", (flag, message) => {
    expect(() => notes(flag)).toThrow(message);
  });
});
