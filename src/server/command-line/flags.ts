// The flags of the command line as data, and how they and their EGRET_… variables are read.
import { parseArgs } from "node:util";
import { controllerDescriptors } from "../../controllers/index.ts";
import { defaultControllers } from "../../controllers/runtime/controller-manager.ts";
import {
  DEFAULT_SETTINGS,
  NETWORK_FEATURES,
  PLATFORMS,
  PROFILES,
} from "../../controllers/runtime/settings.ts";
import { DEFAULT_CLUSTER_IP_RANGE, DEFAULT_NODE_PORT_RANGE } from "../../resources/core/service/network.ts";
import { UsageError } from "./usage-error.ts";

export const AUTHORIZATION_MODES = ["AlwaysAllow", "RBAC"] as const;

export interface Flag {
  readonly name: string;
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  readonly value?: string;
  readonly text: string;
}

export const FLAGS: readonly Flag[] = [
  { name: "listen", type: "string", value: "HOST:PORT", text: "where to listen; port 0 takes a free one" },
  { name: "port", type: "string", value: "N", text: "the port alone, on 127.0.0.1" },
  {
    name: "ready-file",
    type: "string",
    value: "PATH",
    text: "file to write when ready (JSON: url, kubeconfig, pid); it goes at the end",
  },
  { name: "data-dir", type: "string", value: "DIR", text: "folder of the store" },
  { name: "in-memory", type: "boolean", text: "keep everything in memory and write no store" },
  { name: "kubeconfig", type: "string", value: "PATH", text: 'kubeconfig to write; "" writes none' },
  {
    name: "controllers",
    type: "string",
    value: "LIST",
    text: `controllers to run ('*' all, '-NAME' not that one): ${defaultControllers(controllerDescriptors)}`,
  },
  {
    name: "schemas",
    type: "string",
    multiple: true,
    value: "DIR",
    text: "folder with further CRD files; may be repeated",
  },
  {
    name: "load",
    type: "string",
    multiple: true,
    value: "PATH",
    text: "file or folder of objects to apply at start; may be repeated",
  },
  { name: "log-level", type: "string", value: "LEVEL", text: "trace, debug, info, warn, error or silent" },
  { name: "allow-anonymous", type: "boolean", text: "allow an address that other machines can reach" },
  { name: "compact-at-start", type: "boolean", text: "forget the history from before the start" },
  {
    name: "token-auth-file",
    type: "string",
    value: "PATH",
    text: 'CSV file of tokens: token,user,uid,"group1,group2"',
  },
  {
    name: "authorization-mode",
    type: "string",
    value: "MODE",
    text: `${AUTHORIZATION_MODES.join(" or ")}; with tokens RBAC unless told otherwise`,
  },
  {
    name: "clock",
    type: "string",
    value: "TIME",
    text: "real, frozen (stands until told to go on), or a time to stand at: 2030-01-02T15:04:05Z",
  },
  {
    name: "seed",
    type: "string",
    value: "TEXT",
    text: "draw uids, generated names and the like from this, the same with each run",
  },
  {
    name: "retain",
    type: "string",
    value: "DURATION",
    text: "for how long past states can be read: 5m, 24h, or all",
  },
  { name: "secure", type: "boolean", text: "serve HTTPS; CA and token are in the kubeconfig" },
  {
    name: "enable-admission-plugins",
    type: "string",
    multiple: true,
    value: "LIST",
    text: "admission plugins to switch on: EgressIPMark",
  },
  {
    name: "max-requests-inflight",
    type: "string",
    value: "N",
    text: "requests that read, at a time; more get 429; 0 is no limit",
  },
  {
    name: "max-mutating-requests-inflight",
    type: "string",
    value: "N",
    text: "requests that may change something, at a time; 0 is no limit",
  },
  {
    name: "profile",
    type: "string",
    value: "NAME",
    text: `the product to play: ${PROFILES.join(", ")}`,
  },
  {
    name: "platform",
    type: "string",
    value: "NAME",
    text: `where the cluster stands: ${PLATFORMS.join(", ")}`,
  },
  {
    name: "cloud",
    type: "string",
    value: "WHO",
    text: "internal or external: who answers CloudPrivateIPConfigs on a cloud platform",
  },
  {
    name: "zones",
    type: "string",
    value: "WHO",
    text: "internal or external: who reports what the nodes make of firewalls, QoS and routes",
  },
  {
    name: "cluster-subnets",
    type: "string",
    value: "LIST",
    text: `networks of pods, with the part of a node: ${DEFAULT_SETTINGS.clusterSubnets}`,
  },
  {
    name: "network-features",
    type: "string",
    multiple: true,
    value: "LIST",
    text: `what user-defined networks may ask for: ${NETWORK_FEATURES.join(", ")}`,
  },
  {
    name: "service-cluster-ip-range",
    type: "string",
    value: "LIST",
    text: `networks of Services, at most one of each family: ${DEFAULT_CLUSTER_IP_RANGE}`,
  },
  {
    name: "service-node-port-range",
    type: "string",
    value: "RANGE",
    text: `node ports of Services: ${DEFAULT_NODE_PORT_RANGE}`,
  },
  { name: "help", type: "boolean", text: "print this and exit" },
];

export type FlagValues = ReadonlyMap<string, string | boolean | readonly string[]>;

/** A flag goes before its variable. Throws UsageError. */
export function readFlags(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): FlagValues {
  const values = new Map<string, string | boolean | readonly string[]>();
  for (const flag of FLAGS) {
    const text = env[`EGRET_${flag.name.toUpperCase().replaceAll("-", "_")}`];
    if (text !== undefined) values.set(flag.name, fromEnvironment(flag, text));
  }
  for (const [name, value] of Object.entries(parseFlags(args))) values.set(name, value);
  return values;
}

function parseFlags(args: readonly string[]): Record<string, string | boolean | string[]> {
  const options = Object.fromEntries(
    FLAGS.map(({ name, type, multiple }) => [name, { type, ...(multiple ? { multiple } : {}) }]),
  );
  try {
    const { values } = parseArgs({ args: [...args], options, strict: true, allowPositionals: false });
    return values as Record<string, string | boolean | string[]>; // the types that the flags declare
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function fromEnvironment({ type, multiple }: Flag, text: string): string | boolean | readonly string[] {
  if (type === "boolean") return ["1", "true", "yes"].includes(text.toLowerCase());
  return multiple ? text.split(",").filter((item) => item !== "") : text;
}

export function helpText(): string {
  const lines = FLAGS.map(
    ({ name, value, text }) => `  ${`--${name}${value ? ` ${value}` : ""}`.padEnd(34)}${text}`,
  );
  return `egret: a Kubernetes API server for the egress APIs of k8s.ovn.org

Usage: egret [serve] [flags]
       egret run [flags] -- COMMAND…    a fresh server for one command, which finds it by KUBECONFIG
       egret check [--data-dir DIR]     whether a store is sound
       egret backup [--kubeconfig PATH] FILE     the store of a running server as a file
       egret restore [--data-dir DIR] FILE       a store from such a file
       egret clock [freeze|advance|real …]       the clock of a running server
       egret history KIND NAME                   what became of an object of a running server
       egret compact REVISION                    a running server forgets what was before

${lines.join("\n")}

Each flag is also an environment variable: --data-dir is EGRET_DATA_DIR.
`;
}
