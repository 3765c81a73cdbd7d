// Command line and environment: every flag is also an EGRET_… variable; a flag goes before it.

import {
  ClusterSubnetsError,
  parseClusterSubnets,
} from "../controllers/network-annotations/cluster-subnets.ts";
import {
  CLOUDS,
  type ControllerSettings,
  DEFAULT_SETTINGS,
  NETWORK_FEATURES,
  type NetworkFeature,
  PLATFORMS,
  PROFILES,
  ZONES,
} from "../controllers/runtime/settings.ts";
import { LOG_LEVELS } from "../http/log.ts";
import { systemClock } from "../meta/clock.ts";
import {
  DEFAULT_CLUSTER_IP_RANGE,
  DEFAULT_NODE_PORT_RANGE,
  readServiceNetwork,
  type ServiceNetwork,
  ServiceNetworkError,
} from "../resources/core/service/network.ts";
import { AUTHORIZATION_MODES, defaultOf } from "./command-line/flags.ts";
import { httpLimits } from "./command-line/limits.ts";
import { type FlagValues, textOf } from "./command-line/read-command-line.ts";
import { historyLimits, openClock } from "./command-line/time-and-chance.ts";
import { UsageError } from "./errors.ts";

export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number];

export interface ServerOptions extends ControllerSettings {
  /** HOST:PORT; port 0 takes a free one. */
  readonly listen: string;
  readonly dataDir: string;
  readonly inMemory: boolean;
  /** Where the kubeconfig is written; "" writes none. */
  readonly kubeconfig: string;
  /** Which controllers run: "*" all, "*,-egressip" all but one, "egressip" only that one. */
  readonly controllers: string;
  /** Folders with further CRD files. */
  readonly schemas: readonly string[];
  /** Files or folders of objects to apply at start. */
  readonly load: readonly string[];
  readonly logLevel: string;
  /** Listens on an address that others can reach, although nobody is asked who he is. */
  readonly allowAnonymous: boolean;
  /** Forgets the history that is older than the start, as a server that has been compacted. */
  readonly compactAtStart: boolean;
  /** CSV file of tokens (token,user,uid,"group1,group2"); "": nobody is asked who he is. */
  readonly tokenAuthFile: string;
  /** "": RBAC when people are asked who they are, else AlwaysAllow. */
  readonly authorizationMode: AuthorizationMode | "";
  /** Serves HTTPS with a certificate authority of its own; its token for the administrator is in the kubeconfig. */
  readonly secure: boolean;
  /** A file that is written once all is ready, and goes when the server stops; "" writes none. */
  readonly readyFile: string;
  /** So many requests that only read, and that may change something, are answered at a time; 0 is no limit. */
  readonly maxRequestsInflight: number;
  readonly maxMutatingRequestsInflight: number;
  /** The time for a request that is no watch: a duration as Go writes it. */
  readonly requestTimeout: string;
  /** Requests at a time on one HTTP/2 connection; 0: as many as a real server allows. */
  readonly http2MaxStreamsPerConnection: number;
  /** The size of an object, as etcd would have to take it. */
  readonly maxRequestBytes: number;
  /** "real", "frozen" (stands where it is at the start until it is told to go on), or a time (RFC 3339) to stand at. */
  readonly clock: string;
  /** What uids, generated names and other choices by chance are drawn from; "": they do not repeat. */
  readonly seed: string;
  /**
   * How long past states can be read (a duration as Go writes it), as far as they are not too many or too large, or
   * "all": none is forgotten by itself. "": as a real server, five minutes.
   */
  readonly retain: string;
  /** Admission plugins that are off unless named. */
  readonly enableAdmissionPlugins: readonly string[];
  /** Networks of the cluster IPs of Services, one or two: "10.96.0.0/16,fd00:10:96::/112". */
  readonly serviceClusterIpRange: string;
  /** Ports of the nodes that Services can have: "30000-32767". */
  readonly serviceNodePortRange: string;
}

export const DEFAULT_OPTIONS: ServerOptions = {
  listen: defaultOf("listen"),
  dataDir: defaultOf("data-dir"),
  inMemory: false,
  kubeconfig: defaultOf("kubeconfig"),
  controllers: defaultOf("controllers"),
  schemas: [],
  load: [],
  logLevel: defaultOf("log-level"),
  allowAnonymous: false,
  compactAtStart: false,
  tokenAuthFile: "",
  authorizationMode: "",
  secure: false,
  readyFile: "",
  clock: defaultOf("clock"),
  seed: "",
  retain: "",
  maxRequestsInflight: Number(defaultOf("max-requests-inflight")),
  maxMutatingRequestsInflight: Number(defaultOf("max-mutating-requests-inflight")),
  requestTimeout: defaultOf("request-timeout"),
  http2MaxStreamsPerConnection: Number(defaultOf("http2-max-streams-per-connection")),
  maxRequestBytes: Number(defaultOf("max-request-bytes")),
  enableAdmissionPlugins: [],
  serviceClusterIpRange: DEFAULT_CLUSTER_IP_RANGE,
  serviceNodePortRange: DEFAULT_NODE_PORT_RANGE,
  networkFeatures: [],
  eventUids: false,
  ...DEFAULT_SETTINGS,
};

/** What the flags of a server say. Throws UsageError. */
export function readOptions(values: FlagValues): ServerOptions {
  return checked({
    listen: values.has("port")
      ? `127.0.0.1:${textOf(values, "port", "")}`
      : textOf(values, "listen", DEFAULT_OPTIONS.listen),
    readyFile: textOf(values, "ready-file", ""),
    maxRequestsInflight: countOf(values, "max-requests-inflight"),
    maxMutatingRequestsInflight: countOf(values, "max-mutating-requests-inflight"),
    requestTimeout: textOf(values, "request-timeout", DEFAULT_OPTIONS.requestTimeout),
    http2MaxStreamsPerConnection: countOf(values, "http2-max-streams-per-connection"),
    maxRequestBytes: countOf(values, "max-request-bytes"),
    dataDir: textOf(values, "data-dir", DEFAULT_OPTIONS.dataDir),
    inMemory: values.get("in-memory") === true,
    kubeconfig: textOf(values, "kubeconfig", DEFAULT_OPTIONS.kubeconfig),
    controllers: textOf(values, "controllers", DEFAULT_OPTIONS.controllers),
    schemas: listOf(values, "schemas"),
    load: listOf(values, "load"),
    logLevel: textOf(values, "log-level", DEFAULT_OPTIONS.logLevel),
    allowAnonymous: values.get("allow-anonymous") === true,
    compactAtStart: values.get("compact-at-start") === true,
    tokenAuthFile: textOf(values, "token-auth-file", ""),
    clock: textOf(values, "clock", DEFAULT_OPTIONS.clock),
    seed: textOf(values, "seed", ""),
    retain: textOf(values, "retain", ""),
    secure: values.get("secure") === true,
    authorizationMode: authorizationModeOf(textOf(values, "authorization-mode", "")),
    enableAdmissionPlugins: listOf(values, "enable-admission-plugins").flatMap((text) => text.split(",")),
    profile: choiceOf(values, "profile", PROFILES),
    platform: choiceOf(values, "platform", PLATFORMS),
    cloud: choiceOf(values, "cloud", CLOUDS),
    zones: choiceOf(values, "zones", ZONES),
    clusterSubnets: textOf(values, "cluster-subnets", DEFAULT_SETTINGS.clusterSubnets),
    networkFeatures: networkFeaturesOf(listOf(values, "network-features")),
    eventUids: values.get("event-uids") === true,
    serviceClusterIpRange: textOf(values, "service-cluster-ip-range", DEFAULT_CLUSTER_IP_RANGE),
    serviceNodePortRange: textOf(values, "service-node-port-range", DEFAULT_NODE_PORT_RANGE),
  });
}

function countOf(values: FlagValues, name: string): number {
  const text = textOf(values, name, defaultOf(name));
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${name} ${text} is no whole number`);
  return Number(text);
}

/** One of the choices, of which the first is the default. */
function choiceOf<T extends string>(values: FlagValues, name: string, choices: readonly [T, ...T[]]): T {
  const text = textOf(values, name, choices[0]).toLowerCase();
  const choice = choices.find((item) => item === text);
  if (choice === undefined) throw new UsageError(`--${name} ${text} is none of ${choices.join(", ")}`);
  return choice;
}

function authorizationModeOf(text: string): AuthorizationMode | "" {
  const mode = AUTHORIZATION_MODES.find((item) => item === text);
  if (mode === undefined && text !== "")
    throw new UsageError(`--authorization-mode ${text} is none of ${AUTHORIZATION_MODES.join(", ")}`);
  return mode ?? "";
}

function networkFeaturesOf(texts: readonly string[]): NetworkFeature[] {
  const names = texts.flatMap((text) => text.split(",")).map((name) => name.trim());
  return names
    .filter((name) => name !== "")
    .map((name) => {
      const feature = NETWORK_FEATURES.find((item) => item === name);
      if (feature !== undefined) return feature;
      throw new UsageError(`--network-features ${name} is none of ${NETWORK_FEATURES.join(", ")}`);
    });
}

function listOf(values: FlagValues, name: string): readonly string[] {
  const value = values.get(name);
  return Array.isArray(value) ? value : [];
}

function checked(options: ServerOptions): ServerOptions {
  parseListen(options.listen);
  checkClusterSubnets(options.clusterSubnets);
  serviceNetworkOf(options);
  openClock(options.clock, systemClock);
  historyLimits(options.retain);
  httpLimits(options);
  if (!LOG_LEVELS.includes(options.logLevel)) {
    throw new UsageError(`--log-level ${options.logLevel} is none of ${LOG_LEVELS.join(", ")}`);
  }
  return options;
}

function checkClusterSubnets(text: string): void {
  try {
    parseClusterSubnets(text);
  } catch (error) {
    if (error instanceof ClusterSubnetsError) throw new UsageError(`--cluster-subnets: ${error.message}`);
    throw error;
  }
}

/** Throws UsageError. */
export function serviceNetworkOf(options: ServerOptions): ServiceNetwork {
  try {
    return readServiceNetwork(options.serviceClusterIpRange, options.serviceNodePortRange);
  } catch (error) {
    if (error instanceof ServiceNetworkError) throw new UsageError(error.message);
    throw error;
  }
}

/** Takes HOST:PORT apart; [::1]:8080 and :8080 are fine. Throws UsageError. */
export function parseListen(text: string): { host: string; port: number } {
  const match = /^(\[[^\]]+\]|[^:]*):(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (match === null || port > 65_535) throw new UsageError(`--listen ${text} is no HOST:PORT`);
  const host = (match[1] ?? "").replace(/^\[|\]$/g, "");
  return { host: host === "" ? "127.0.0.1" : host, port };
}
