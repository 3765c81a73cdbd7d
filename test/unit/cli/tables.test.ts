// One table lists all flags and commands: the texts generated from it agree with it, and with what the command accepts.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { REFERENCE, withLists } from "../../../scripts/readme-lists.ts";
import { packageFile } from "../../../src/apimachinery/meta/package-files.ts";
import { bashCompletion, fishCompletion, zshCompletion } from "../../../src/cli/about.ts";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { controllerDescriptors } from "../../../src/server/controller-list.ts";
import { variableOf } from "../../../src/server/options/flag.ts";
import { DEFAULT_OPTIONS, FLAGS, readOptions } from "../../../src/server/options/options.ts";
import { readCommandLine } from "../../../src/server/options/read-command-line.ts";
import { printedBy } from "./printed.ts";

const optionsOf = (args: readonly string[], env = {}) =>
  readOptions(readCommandLine(FLAGS, args, env).values);

const printed = (...args: string[]) => printedBy(args, {});

/** A value of each flag that is not its default. */
const OTHER: Readonly<Record<string, string>> = {
  listen: "127.0.0.1:1",
  port: "2",
  profile: "openshift-4.13",
  kinds: "none",
  platform: "aws",
  cloud: "external",
  zones: "external",
  clock: "frozen",
  retain: "1h",
  store: "etcd://127.0.0.1",
  "etcd-compaction-interval": "1h",
  "cluster-subnets": "10.1.0.0/16/24",
  "network-features": "evpn",
  "service-cluster-ip-range": "10.97.0.0/16",
  "service-node-port-range": "30000-30100",
  "service-account-issuer": "https://issuer.example.com",
  "authorization-mode": "RBAC",
  "default-not-ready-toleration-seconds": "-7",
  "default-unreachable-toleration-seconds": "7",
  "max-requests-inflight": "7",
  "min-request-timeout": "7",
  "advertise-address": "192.0.2.7",
  "max-mutating-requests-inflight": "7",
  "max-query-bytes-per-user": "7",
  "feature-gates": "ShardedListAndWatch=true",
  "request-timeout": "30s",
  "shutdown-timeout": "30s",
  "http2-max-streams-per-connection": "7",
  "max-connections": "7",
  "max-connections-per-address": "7",
  "max-request-bytes": "1000000",
  "import-unpacked-mb": "7",
  "import-document-mb": "7",
  "import-entries": "7",
  "import-ratio": "7",
  "import-memory-mb": "7",
  "import-seconds": "7",
  "log-level": "info",
};

describe("a flag of the server", () => {
  test.each(FLAGS.map((flag) => [flag.name, flag] as const))("--%s changes an option", (name, flag) => {
    const isOn = flag.default === "true";
    const value = flag.type === "boolean" ? String(!isOn) : (OTHER[name] ?? "other");
    expect(optionsOf([`--${name}=${value}`])).not.toEqual(DEFAULT_OPTIONS);
    expect(optionsOf([], { [variableOf(flag)]: value })).toEqual(optionsOf([`--${name}=${value}`]));
  });

  test("is at its default what it is when nobody says it", () => {
    const said = FLAGS.filter((flag) => flag.default !== undefined);
    expect(optionsOf([])).toEqual(DEFAULT_OPTIONS);
    expect(optionsOf(said.map((flag) => `--${flag.name}=${flag.default}`))).toEqual(DEFAULT_OPTIONS);
  });
});

describe("help", () => {
  test("lists all commands, and each has its own with its flags, by --help and -h", async () => {
    const all = await printed("--help");
    expect(await printed("-h")).toBe(all);
    for (const { word, flags } of COMMANDS) {
      expect(all).toMatch(new RegExp(`^  ${word} `, "m"));
      const help = await printed(word, "--help");
      expect(help).toMatch(new RegExp(`^Usage: egret ${word}`));
      expect(await printed(word, "-h")).toBe(help);
      expect(await printed("help", word)).toBe(help);
      for (const { name } of flags) expect(help, word).toMatch(new RegExp(`--${name}\\b`));
      for (const line of help.split("\n")) expect(line.length, line).toBeLessThanOrEqual(120);
    }
  });

  test("names defaults", async () => {
    expect(await printed("serve", "-h")).toContain("(default 127.0.0.1:8080)");
    expect(await printed("apply", "-h")).toContain("(default $KUBECONFIG, a list as kubectl takes it, else");
  });
});

test("the reference lists the commands and flags as they are (npm run readme writes it)", () => {
  const reference = readFileSync(packageFile(REFERENCE), "utf8");
  expect(withLists(reference)).toBe(reference);
});

test.each([
  ["bash", bashCompletion(COMMANDS), (name: string) => `--${name}`],
  ["zsh", zshCompletion(COMMANDS), (name: string) => `--${name}`],
  ["fish", fishCompletion(COMMANDS), (name: string) => `-l ${name} `],
])("completion for %s knows every command and flag", (_shell, script, written) => {
  for (const { word, flags } of COMMANDS) {
    expect(script).toMatch(new RegExp(`\\b${word}\\b`));
    for (const { name } of flags) expect(script).toContain(written(name));
  }
});

test("egret controllers lists every controller with what it does", async () => {
  const lines = (await printed("controllers")).trimEnd().split("\n").slice(1);
  expect(lines.map((line) => line.split(" ")[0])).toEqual(controllerDescriptors.map(({ name }) => name));
  for (const line of lines) expect(line).toMatch(/^\S+ +(on|off|--cluster) +\S.{9,}$/);
});
