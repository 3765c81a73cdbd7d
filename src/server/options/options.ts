// The options of a server, read from the command line and the variables EGRET_…. A flag takes precedence over its
// variable.

import type { ReadSettings } from "../../apiserver/endpoints/request/options.ts";
import {
  readServiceNetwork,
  type ServiceNetwork,
  ServiceNetworkError,
} from "../../kube/core/service/network.ts";
import { UsageError } from "../errors.ts";
import { CERTIFICATE_NAMES } from "./certificate-options.ts";
import type { Flag } from "./flag.ts";
import type { Option } from "./option.ts";
import { OPTIONS, parseListen } from "./option-table.ts";
import type { FlagValues } from "./read-command-line.ts";

type Table = typeof OPTIONS;

/** By flag name in camel case; undefined without a value and a default. */
export type ServerOptions = {
  readonly [Name in keyof Table]: Table[Name] extends Option<infer T> ? T : never;
};

const TABLE: readonly (readonly [name: string, option: Option<unknown>])[] = Object.entries(OPTIONS);

/** "dataDir" → "data-dir". */
export const flagNameOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A shorthand for --listen. */
const PORT: Flag = {
  name: "port",
  type: "string",
  value: "N",
  text: "the port alone, on 127.0.0.1",
  variable: true,
};

/** The flags of the server, in the order of its help. */
export const FLAGS: readonly Flag[] = TABLE.flatMap(([name, { flag }]) => {
  const ofOption = { ...flag, name: flagNameOf(name), variable: true };
  return name === "listen" ? [ofOption, PORT] : [ofOption];
});

const saidOnes = new WeakMap<object, ReadonlySet<string>>();

/** The names of the options that are set explicitly, also to their defaults. */
export const saidIn = (options: Partial<ServerOptions>): ReadonlySet<string> =>
  saidOnes.get(options) ?? new Set(Object.keys(options));

export const DEFAULT_OPTIONS = optionsOf(([, { unset }]) => unset);

/** The authorization modes, in their order. */
export const modesOf = ({ authorizationMode, secure, tokenAuthFile }: ServerOptions): readonly string[] =>
  authorizationMode?.split(",") ?? [secure || tokenAuthFile !== undefined ? "RBAC" : "AlwaysAllow"];

/** Whether requests are authorized by RBAC. */
export const isRbac = (options: ServerOptions): boolean => modesOf(options).includes("RBAC");

/** Parses the flags of a server. Throws UsageError. */
export function readOptions(values: FlagValues): ServerOptions {
  const port = values.get(PORT.name);
  const given = port === undefined ? values : new Map([...values, ["listen", `127.0.0.1:${port}`]]);
  const saidNames = new Set<string>();
  const options = optionsOf(([name, option]) => {
    const flagName = flagNameOf(name);
    const said = given.get(flagName);
    if (said === undefined) return option.unset;
    saidNames.add(name);
    return option.read(said, flagName);
  });
  const meant = withImplied(options, saidNames);
  saidOnes.set(meant, saidNames);
  serviceNetworkOf(meant);
  readSettingsOf(meant);
  if (meant.inMemory && meant.store !== undefined) {
    throw new UsageError(`--in-memory and --store ${meant.store} name two places`);
  }
  return meant;
}

/**
 * Tokens imply TLS: kubectl and all of client-go send none over plain HTTP. An explicit `--secure=false` is for
 * clients that do. Certificate options require TLS. Throws UsageError.
 */
export function withImplied(options: ServerOptions, said: ReadonlySet<string>): ServerOptions {
  const [needy] = CERTIFICATE_NAMES.filter((name) => options[name] !== undefined);
  if (needy !== undefined && said.has("secure") && !options.secure)
    throw new UsageError(`--${flagNameOf(needy)} needs HTTPS, and --secure=false switches it off`);
  const isImplied = needy !== undefined || (options.tokenAuthFile !== undefined && !said.has("secure"));
  return isImplied ? { ...options, secure: true } : options;
}

function optionsOf(of: (entry: (typeof TABLE)[number]) => unknown): ServerOptions {
  return Object.fromEntries(TABLE.map((entry) => [entry[0], of(entry)])) as ServerOptions; // one entry per option
}

export interface ApiAddress {
  readonly ip: string;
  readonly port: number;
}

/** The API address for clients in the cluster; undefined where --advertise-address or a fixed port is missing. */
export function apiAddressOf({ advertiseAddress, listen }: ServerOptions): ApiAddress | undefined {
  const { port } = parseListen(listen);
  return advertiseAddress === undefined || port === 0 ? undefined : { ip: advertiseAddress, port };
}

/** The supported alpha features, off unless --feature-gates enables them. */
export const ALPHA_FEATURES: readonly string[] = ["ShardedListAndWatch"];

/** Throws UsageError. */
export function readSettingsOf({ minRequestTimeout, featureGates }: ServerOptions): ReadSettings {
  let isSharded = false;
  for (const pair of featureGates) {
    const [name = "", value] = pair.split("=");
    if (!ALPHA_FEATURES.includes(name)) throw new UsageError(`unrecognized feature gate: ${name}`);
    if (value !== "true" && value !== "false")
      throw new UsageError(`--feature-gates ${pair} says neither true nor false`);
    isSharded = value === "true";
  }
  return { watchSeconds: minRequestTimeout, isSharded };
}

/** Returns the flag of that name. Throws for an unknown name, which is a bug. */
export function serverFlag(name: string): Flag {
  const flag = FLAGS.find((item) => item.name === name);
  if (flag === undefined) throw new Error(`there is no flag ${name}`);
  return flag;
}

/** Parses both ranges of Services. They must be valid and consistent. Throws UsageError. */
export function serviceNetworkOf(
  options: Pick<ServerOptions, "serviceClusterIpRange" | "serviceNodePortRange">,
): ServiceNetwork {
  try {
    return readServiceNetwork(options.serviceClusterIpRange, options.serviceNodePortRange);
  } catch (error) {
    if (error instanceof ServiceNetworkError) throw new UsageError(error.message);
    throw error;
  }
}
