// The flags of the server, as data. What is not said here is said nowhere: help, completion, the variables and the table
// in the README are made of this list.
import { controllerDescriptors } from "../../controllers/index.ts";
import { defaultControllers } from "../../controllers/runtime/controller-manager.ts";
import {
  CLOUDS,
  DEFAULT_SETTINGS,
  NETWORK_FEATURES,
  PLATFORMS,
  PROFILES,
  ZONES,
} from "../../controllers/runtime/settings.ts";
import { HTTP_LIMITS } from "../../http/limits/limits.ts";
import { LOG_LEVELS } from "../../http/log.ts";
import { REQUEST_BYTES_MAX } from "../../meta/etcd-limits.ts";
import { DEFAULT_CLUSTER_IP_RANGE, DEFAULT_NODE_PORT_RANGE } from "../../resources/core/service/network.ts";
import type { Flag } from "./flag.ts";

export const AUTHORIZATION_MODES = ["AlwaysAllow", "RBAC"] as const;

const TABLE: readonly Flag[] = [
  {
    name: "listen",
    type: "string",
    value: "HOST:PORT",
    default: "127.0.0.1:8080",
    text: "where to listen; port 0 takes a free one",
  },
  { name: "port", type: "string", value: "N", text: "the port alone, on 127.0.0.1" },
  {
    name: "ready-file",
    type: "string",
    value: "PATH",
    offers: "file",
    text: "file to write once ready, in JSON: `url`, `kubeconfig`, `pid`; it goes at the end",
  },
  {
    name: "data-dir",
    type: "string",
    value: "DIR",
    default: ".egret/data",
    offers: "folder",
    text: "folder of the store, one process at a time; with `--secure` also of keys and certificates",
  },
  { name: "in-memory", type: "boolean", text: "keep everything in memory and write no store" },
  {
    name: "kubeconfig",
    type: "string",
    value: "PATH",
    default: ".egret/kubeconfig",
    offers: "file",
    text: 'kubeconfig to write; `""` writes none',
  },
  {
    name: "controllers",
    type: "string",
    value: "LIST",
    default: defaultControllers(controllerDescriptors),
    text: "controllers to run: `*` all, `*,-egressip` all but one, `egressip` only that one; `egret controllers` lists them",
  },
  {
    name: "profile",
    type: "string",
    value: "NAME",
    default: DEFAULT_SETTINGS.profile,
    choices: PROFILES,
    text: "the product to play; `openshift-4.13` has the kinds and the behaviour of that one",
  },
  {
    name: "platform",
    type: "string",
    value: "NAME",
    default: DEFAULT_SETTINGS.platform,
    choices: PLATFORMS,
    text: "where the cluster stands: on a cloud, egress IPs are asked of it",
  },
  {
    name: "cloud",
    type: "string",
    value: "WHO",
    default: DEFAULT_SETTINGS.cloud,
    choices: CLOUDS,
    text: "who answers CloudPrivateIPConfigs: Egret, or with `external` somebody else",
  },
  {
    name: "zones",
    type: "string",
    value: "WHO",
    default: DEFAULT_SETTINGS.zones,
    choices: ZONES,
    text: "who reports what the nodes make of firewalls, QoS and routes: Egret, or with `external` somebody else",
  },
  {
    name: "cluster-subnets",
    type: "string",
    value: "LIST",
    default: DEFAULT_SETTINGS.clusterSubnets,
    text: "networks of pods, each with the prefix of a node's part",
  },
  {
    name: "network-features",
    type: "string",
    multiple: true,
    value: "LIST",
    choices: NETWORK_FEATURES,
    text: "what user-defined networks may ask for besides the usual",
  },
  {
    name: "event-uids",
    type: "boolean",
    text: "Events name their object with its uid also where ovn-kubernetes does not, so that `kubectl describe` finds them",
  },
  {
    name: "service-cluster-ip-range",
    type: "string",
    value: "LIST",
    default: DEFAULT_CLUSTER_IP_RANGE,
    text: "networks of Services, at most one of each family",
  },
  {
    name: "service-node-port-range",
    type: "string",
    value: "RANGE",
    default: DEFAULT_NODE_PORT_RANGE,
    text: "node ports of Services",
  },
  { name: "secure", type: "boolean", text: "serve HTTPS; authority and token are in the kubeconfig" },
  {
    name: "token-auth-file",
    type: "string",
    value: "PATH",
    offers: "file",
    text: 'users: a CSV file, `token,user,uid,"group1,group2"`',
  },
  {
    name: "authorization-mode",
    type: "string",
    value: "MODE",
    defaultText: "`RBAC` with `--secure` or tokens, else `AlwaysAllow`",
    choices: AUTHORIZATION_MODES,
    text: "who decides what a user may do",
  },
  {
    name: "allow-anonymous",
    type: "boolean",
    text: "listen on an address that other machines can reach, although nobody is asked who he is",
  },
  {
    name: "enable-admission-plugins",
    type: "string",
    multiple: true,
    value: "LIST",
    choices: ["EgressIPMark"],
    text: "with `EgressIPMark` nobody but the controller sets the mark of an EgressIP",
  },
  {
    name: "max-requests-inflight",
    type: "string",
    value: "N",
    default: "400",
    text: "requests that read, at a time; more get 429; 0 is no limit",
  },
  {
    name: "max-mutating-requests-inflight",
    type: "string",
    value: "N",
    default: "200",
    text: "requests that may change something, at a time; 0 is no limit",
  },
  {
    name: "request-timeout",
    type: "string",
    value: "DURATION",
    default: "1m0s",
    text: "time in which a request that is no watch is answered, and its answer read",
  },
  {
    name: "http2-max-streams-per-connection",
    type: "string",
    value: "N",
    default: "0",
    text: `requests at a time on one HTTP/2 connection; 0 is ${HTTP_LIMITS.streamsPerConnectionMax}`,
  },
  {
    name: "max-request-bytes",
    type: "string",
    value: "N",
    default: String(REQUEST_BYTES_MAX),
    text: "size of an object, as an etcd with this flag would take it; beyond 2 MiB a kube-apiserver would not send it",
  },
  {
    name: "schemas",
    type: "string",
    multiple: true,
    value: "DIR",
    offers: "folder",
    text: "folder with further CustomResourceDefinitions; may be repeated",
  },
  {
    name: "load",
    type: "string",
    multiple: true,
    value: "PATH",
    offers: "file",
    text: "file or folder of objects to apply at every start; may be repeated",
  },
  {
    name: "log-level",
    type: "string",
    value: "LEVEL",
    default: "warn",
    choices: LOG_LEVELS,
    text: "the least grave lines that are logged, as JSON on the standard error output",
  },
  { name: "compact-at-start", type: "boolean", text: "forget the history from before the start" },
  {
    name: "retain",
    type: "string",
    value: "DURATION",
    defaultText: "`5m`",
    text: "how long past states can be read and watched from; `all` keeps them as long as there is memory",
  },
  {
    name: "clock",
    type: "string",
    value: "WHAT",
    default: "real",
    text: "`frozen`, or a time to stand at (`2030-01-02T15:04:05Z`): time goes on when `egret clock` says so",
  },
  {
    name: "seed",
    type: "string",
    value: "TEXT",
    text: "what uids, generated names and other choices by chance are drawn from: with a frozen clock two runs are equal byte by byte",
  },
];

export const FLAGS: readonly Flag[] = TABLE.map((flag) => ({ ...flag, variable: true }));

/** Of that name. Throws where there is none, which is a mistake of ours. */
export function serverFlag(name: string): Flag {
  const flag = FLAGS.find((item) => item.name === name);
  if (flag === undefined) throw new Error(`there is no flag ${name}`);
  return flag;
}

/** What the flag is when nobody says. */
export const defaultOf = (name: string): string => serverFlag(name).default ?? "";
