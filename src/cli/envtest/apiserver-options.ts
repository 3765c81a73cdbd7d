// Server options from the flags of a kube-apiserver. Most have the same name.

import { networkInterfaces } from "node:os";
import { isLoopback, parseIp } from "../../apimachinery/meta/ip.ts";
import { UsageError } from "../../server/errors.ts";
import type { Given } from "../../server/options/option.ts";
import { FLAGS, readOptions, type ServerOptions } from "../../server/options/options.ts";
import type { FlagValues } from "../../server/options/read-command-line.ts";
import { ownGates } from "./apiserver-features.ts";
import { APISERVER_FLAGS } from "./apiserver-flags.ts";
import { type GoValues, lastOf, listOf } from "./go-flags.ts";
import type { EnvtestStore } from "./store-folder.ts";

/** Plugins whose default differs between a kube-apiserver and Egret. */
const ON_UPSTREAM = "ServiceAccount";
const OFF_UPSTREAM = "NodeRestriction";
const DEFAULT_PORT = "6443";
const PORT_MAX = 65_535;

/** Options of the server in an envtest folder that no kube-apiserver flag sets. */
const OF_ENVTEST = {
  secure: true,
  kubeconfig: "",
  kinds: "none",
  "no-ui": true,
  "unsafe-no-fsync": true,
} as const;

/** kube-apiserver flags with an effect that are not options of the same name. */
export const READ_OTHERWISE: readonly string[] = [
  ...[
    "bind-address",
    "secure-port",
    "advertise-address",
    "endpoint-reconciler-type",
    "etcd-servers",
    "etcd-prefix",
    "v",
    "help",
  ],
  ...["version", "feature-gates", "runtime-config", "emulated-version"],
];

/** Controllers that are part of a kube-apiserver. */
const OWN_CONTROLLERS = ["flow-control", "nodeport-repair", "server-configmaps"];

/** `further` lists additional controllers, separated by commas. Throws UsageError. */
export function optionsOfFlags(values: GoValues, store: EnvtestStore, further = ""): ServerOptions {
  const same = FLAGS.flatMap(({ name, type, multiple }): [string, Given][] => {
    const last = lastOf(values, name);
    if (last === undefined || !isHonoured(name)) return [];
    if (type === "boolean") return [[name, last === "true"]];
    return [[name, multiple === true ? itemsOf(values, name) : last]];
  });
  const given: FlagValues = new Map<string, Given>([
    ...Object.entries(OF_ENVTEST),
    ["controllers", [...OWN_CONTROLLERS, ...further.split(",")].filter((name) => name !== "").join(",")],
    ["log-level", logLevel(values)],
    ["listen", listenAddress(values)],
    ["advertise-address", advertisedAddress(values)],
    ...storeFlags(values, store),
    ...same.filter(([name]) => !READ_OTHERWISE.includes(name)),
    ["feature-gates", ownGates(listOf(values, "feature-gates"))],
    ...pluginFlags(values),
  ]);
  return readOptions(given);
}

const isHonoured = (name: string): boolean =>
  APISERVER_FLAGS.some((flag) => flag.name === name && flag.effect === "honoured");

/** The items of a repeated flag. Items of a `stringArray` may contain commas. */
function itemsOf(values: GoValues, name: string): readonly string[] {
  const isArray = APISERVER_FLAGS.some((flag) => flag.name === name && flag.type === "stringArray");
  return isArray ? (values.get(name) ?? []) : listOf(values, name);
}

function listenAddress(values: GoValues): string {
  const host = lastOf(values, "bind-address") ?? "0.0.0.0";
  const port = lastOf(values, "secure-port") ?? DEFAULT_PORT;
  if (!(Number(port) >= 1 && Number(port) <= PORT_MAX))
    throw new UsageError(
      `--secure-port ${port} must be between 1 and ${PORT_MAX}, inclusive. It cannot be turned off with 0`,
    );
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/**
 * The address that a kube-apiserver would choose; "" where the host has only loopback addresses, which Endpoints
 * must not contain.
 */
function advertisedAddress(values: GoValues): string {
  if (lastOf(values, "endpoint-reconciler-type") === "none") return "";
  const given = [lastOf(values, "advertise-address"), lastOf(values, "bind-address")];
  const addresses = Object.values(networkInterfaces()).flatMap((list = []) => list);
  const ofMachine = addresses.filter(({ internal, family }) => !internal && family === "IPv4");
  const candidates = [...given, ...ofMachine.map(({ address }) => address)];
  return candidates.find((text) => text !== undefined && isReachable(text)) ?? "";
}

function isReachable(text: string): boolean {
  const address = parseIp(text);
  return address !== undefined && address.value !== 0n && !isLoopback(address);
}

function storeFlags(values: GoValues, store: EnvtestStore): [string, Given][] {
  if (store.type === "folder") return [["data-dir", store.path]];
  const prefix = lastOf(values, "etcd-prefix");
  return [
    ["store", store.store],
    ...(prefix === undefined ? [] : [["store-prefix", prefix] as [string, Given]]),
  ];
}

/** Without flags the enabled plugins are those of a kube-apiserver. */
function pluginFlags(values: GoValues): [string, Given][] {
  const enable = listOf(values, "enable-admission-plugins");
  const disable = listOf(values, "disable-admission-plugins");
  const isOff = disable.includes(ON_UPSTREAM);
  return [
    ["enable-admission-plugins", isOff || enable.includes(ON_UPSTREAM) ? enable : [...enable, ON_UPSTREAM]],
    ["disable-admission-plugins", enable.includes(OFF_UPSTREAM) ? disable : [...disable, OFF_UPSTREAM]],
  ];
}

function logLevel(values: GoValues): string {
  const verbosity = Number(lastOf(values, "v") ?? 0);
  if (verbosity < 2) return "warn";
  if (verbosity < 4) return "info";
  return verbosity < 6 ? "debug" : "trace";
}
