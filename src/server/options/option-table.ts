// The options of the server, as data. This list is the only source of their types, the parser of command lines and
// variables, help, completion and the list in src/cli/README.md. The flag of an option is its name with dashes:
// --data-dir.

import { systemClock } from "../../apimachinery/meta/clock.ts";
import { isLoopback, parseIp } from "../../apimachinery/meta/ip.ts";
import { REQUEST_BYTES_MAX } from "../../apimachinery/meta/status.ts";
import { QUERY_BYTES_PER_USER } from "../../apiserver/endpoints/request/long-queries.ts";
import { READ_SETTINGS } from "../../apiserver/endpoints/request/options.ts";
import { HTTP_LIMITS } from "../../apiserver/http/limits.ts";
import { LOG_LEVELS } from "../../apiserver/http/log.ts";
import { DEFAULT_ISSUER } from "../../apiserver/registry/definition/request-context.ts";
import { ClusterSubnetsError, parseClusterSubnets } from "../../cluster/cluster-subnets.ts";
import { defaultControllers } from "../../controller/controller-manager.ts";
import { PLATFORMS, PROFILES } from "../../controller/emulated-release.ts";
import { CLOUDS, DEFAULT_SETTINGS, NETWORK_FEATURES, ZONES } from "../../controller/settings.ts";
import { SOURCE_FORMS } from "../../features/import/sources/source.ts";
import { ASKED_PLUGINS, SECURE_PLUGINS, STANDING_PLUGINS } from "../../kube/admission/plugin-list.ts";
import { DEFAULT_CLUSTER_IP_RANGE, DEFAULT_NODE_PORT_RANGE } from "../../kube/core/service/network.ts";
import { controllerDescriptors } from "../controller-list.ts";
import { UsageError } from "../errors.ts";
import { readStorageBackend } from "../storage-backend.ts";
import { AUTHORIZATION_MODES, CERTIFICATE_OPTIONS } from "./certificate-options.ts";
import { IMPORT_OPTIONS } from "./import-options.ts";
import {
  choice,
  count,
  integer,
  onOff,
  onUnlessOff,
  optionalText,
  someOf,
  text,
  texts,
  words,
} from "./option.ts";
import { ALL_KINDS, checkKinds } from "./shipped-kinds.ts";
import {
  historyLimits,
  openClock,
  readCompactionInterval,
  readRequestTimeout,
  readShutdownTimeout,
} from "./time-and-chance.ts";

/** Where a server writes its kubeconfig, and where commands look for it. */
export const DEFAULT_KUBECONFIG = ".egret/kubeconfig";

export const OPTIONS = {
  /** HOST:PORT; port 0 selects a free one. */
  listen: text(
    "127.0.0.1:8080",
    { value: "HOST:PORT", text: "where to listen; port 0 takes a free one" },
    parseListen,
  ),
  /** A file that is written once the server is ready, and removed when the server stops. */
  readyFile: optionalText({
    value: "PATH",
    offers: "file",
    text: "file to write once ready, in JSON: `url`, `kubeconfig`, `pid`; it goes at the end",
  }),
  dataDir: text(".egret/data", {
    value: "DIR",
    offers: "folder",
    text: "folder of the store, one process at a time; with `--secure` also of keys and certificates",
  }),
  /** undefined: dataDir and inMemory decide. */
  store: optionalText(
    {
      value: "PLACE",
      defaultText: "`level:` and the folder of `--data-dir`",
      text: "where everything is kept: `level:DIR`, `memory:`, or `etcd://HOST:PORT,…`, which several servers may share",
    },
    { check: readStorageBackend },
  ),
  storePrefix: text("/registry", {
    value: "PREFIX",
    text: "with etcd: what the keys of objects begin with, as `--etcd-prefix` of a kube-apiserver",
  }),
  etcdCafile: optionalText({
    value: "PATH",
    offers: "file",
    text: "with etcd: the authority of its certificates; this or a client certificate asks for TLS",
  }),
  etcdCertfile: optionalText({ value: "PATH", offers: "file", text: "with etcd: a client certificate" }),
  etcdKeyfile: optionalText({
    value: "PATH",
    offers: "file",
    text: "with etcd: the key of that certificate",
  }),
  etcdUser: optionalText({ value: "NAME", text: "with etcd: a user of it that may read all keys" }),
  etcdPasswordFile: optionalText({
    value: "PATH",
    offers: "file",
    text: "with etcd: a file with the password of that user",
  }),
  encryptionProviderConfig: optionalText({
    value: "PATH",
    offers: "file",
    text: "with etcd: which values are encrypted there and how, as for a kube-apiserver (`identity`, `aescbc`, `aesgcm`, `secretbox`)",
  }),
  /** A Go duration. */
  etcdCompactionInterval: text(
    "5m0s",
    {
      value: "DURATION",
      text: "with etcd: how often one of the servers makes it forget what is older; 0 is never",
    },
    readCompactionInterval,
  ),
  inMemory: onOff({ text: "keep everything in memory and write no store" }),
  unsafeNoFsync: onOff({
    text: "with a store in a folder: writes do not wait for the disk; they outlive the process, and not a failure of the machine",
  }),
  /** Path of the kubeconfig; undefined: none is written. */
  kubeconfig: optionalText(
    {
      value: "PATH",
      offers: "file",
      text: 'kubeconfig to write, which stays when the server stops; `""` writes none',
    },
    { unset: DEFAULT_KUBECONFIG },
  ),
  controllers: text(defaultControllers(controllerDescriptors), {
    value: "LIST",
    text: "controllers to run: `*` all, `*,-egressip` all but one, `egressip` only that one; `egret controllers` lists them",
  }),
  cluster: onOff({
    text: "a cluster that lives: nodes report, pods are scheduled, get addresses and run, workloads make pods",
  }),
  profile: choice(PROFILES, {
    value: "NAME",
    text: "the product to play; `openshift-4.13` has the kinds and the behaviour of that one",
  }),
  /** ALL_KINDS, NO_KINDS, or groups and kinds separated by commas. */
  kinds: text(
    ALL_KINDS,
    {
      value: "LIST",
      text: "shipped CustomResourceDefinitions to install: `all`, `none`, or groups and plural names (`k8s.ovn.org,ippools`); controllers of other kinds do not run",
    },
    checkKinds,
  ),
  platform: choice(PLATFORMS, {
    value: "NAME",
    text: "platform of the cluster: on a cloud, egress IPs are requested from it",
  }),
  cloud: choice(CLOUDS, {
    value: "MODE",
    text: "handles CloudPrivateIPConfigs: Egret, or with `external` another controller",
  }),
  zones: choice(ZONES, {
    value: "MODE",
    text: "writes the status that nodes report on firewalls, QoS and routes: Egret, or with `external` another controller",
  }),
  clusterSubnets: text(
    DEFAULT_SETTINGS.clusterSubnets,
    { value: "LIST", text: "networks of pods, each with the prefix of a node's part" },
    checkClusterSubnets,
  ),
  networkFeatures: someOf(NETWORK_FEATURES, {
    value: "LIST",
    text: "what user-defined networks may ask for besides the usual",
  }),
  eventUids: onOff({
    text: "Events name their object with its uid also where ovn-kubernetes does not, so that `kubectl describe` finds them",
  }),
  /** One or two: "10.96.0.0/16,fd00:10:96::/112". */
  serviceClusterIpRange: text(DEFAULT_CLUSTER_IP_RANGE, {
    value: "LIST",
    text: "networks of Services, at most one of each family",
  }),
  /** "30000-32767". */
  serviceNodePortRange: text(DEFAULT_NODE_PORT_RANGE, { value: "RANGE", text: "node ports of Services" }),
  /** undefined: the Service `kubernetes` has no endpoints. */
  advertiseAddress: optionalText(
    {
      value: "IP",
      text: "address of this server in the Endpoints and the EndpointSlice of the Service `kubernetes`; left out, or with port 0, it has none",
    },
    { check: checkAdvertised },
  ),
  secure: onOff({
    text: "serve HTTPS; authority and token are in the kubeconfig; on with `--token-auth-file` and `--client-ca-file`, unless `--secure=false` is given",
  }),
  /** undefined: no static tokens. */
  tokenAuthFile: optionalText({
    value: "PATH",
    offers: "file",
    text: 'users: a CSV file, `token,user,uid,"group1,group2"`; switches `--secure` on',
  }),
  ...CERTIFICATE_OPTIONS,
  serviceAccountIssuer: texts(
    {
      value: "URL",
      text: "issuer and default audience of the tokens of ServiceAccounts; discovery of its keys needs an https URL; may be repeated: the first one issues, all are accepted",
    },
    { unset: [DEFAULT_ISSUER], check: checkIssuer },
  ),
  serviceAccountSigningKeyFile: optionalText({
    value: "PATH",
    offers: "file",
    text: "private key (RSA or ECDSA, PEM) that signs the tokens of ServiceAccounts, in the place of Egret's own",
  }),
  serviceAccountKeyFile: texts({
    value: "PATH",
    offers: "file",
    text: "further keys of valid tokens of ServiceAccounts: public or private keys or certificates (PEM); may be repeated",
  }),
  authorizationMode: optionalText(
    {
      value: "LIST",
      defaultText: "`RBAC` with `--secure` or tokens, else `AlwaysAllow`",
      text: `authorizers of requests, in their order (\`Node,RBAC\`): ${AUTHORIZATION_MODES.map((mode) => `\`${mode}\``).join(", ")}`,
    },
    { check: checkModes },
  ),
  anonymousAuth: onUnlessOff({
    text: "with users: requests without credentials are of `system:anonymous`; `false` answers them with 401",
  }),
  noUi: onOff({ text: "leave the page out, `/egret/ui/`, and the logins for it" }),
  allowAnonymous: onOff({
    text: "listen on an address that other machines can reach, without authentication",
  }),
  allowPrivileged: onOff({
    text: "Pods may have privileged containers, as a kube-apiserver with this flag lets them",
  }),
  featureGates: words({
    value: "LIST",
    text: "alpha features to switch on: `ShardedListAndWatch=true` (the `shardSelector` of lists and watches)",
  }),
  enableAdmissionPlugins: words({
    value: "LIST",
    choices: ASKED_PLUGINS,
    text: "admission plugins besides those that are always on; with `EgressIPMark` only the controller sets the mark of an EgressIP",
  }),
  disableAdmissionPlugins: words({
    value: "LIST",
    choices: [...STANDING_PLUGINS, ...SECURE_PLUGINS],
    text: "admission plugins to switch off; with `--secure` NodeRestriction is on as well",
  }),
  defaultNotReadyTolerationSeconds: integer(300, {
    text: "seconds that a Pod stays on a node that is not ready, where it names none itself",
  }),
  defaultUnreachableTolerationSeconds: integer(300, { text: "the same for a node that is unreachable" }),
  maxRequestsInflight: count(400, {
    text: "requests that read, at a time; more get 429; 0 is no limit",
  }),
  maxMutatingRequestsInflight: count(200, {
    text: "requests that may change something, at a time; 0 is no limit",
  }),
  maxQueryBytesPerUser: count(QUERY_BYTES_PER_USER, {
    text: "memory that queries of more than 16 KiB (selectors) of one user's requests and watches may hold; more get 429; administrators share four times as much, and so do all other users; 0 is no limit",
  }),
  /** A Go duration. */
  requestTimeout: text(
    "1m0s",
    { value: "DURATION", text: "time in which a request that is no watch is answered, and its answer read" },
    readRequestTimeout,
  ),
  minRequestTimeout: count(READ_SETTINGS.watchSeconds, {
    text: "seconds that a watch lasts which names no time itself",
  }),
  /** A Go duration. */
  shutdownTimeout: text(
    "5s",
    {
      value: "DURATION",
      text: "time in which requests that are on their way at SIGTERM are answered and read; then all connections are closed; a second signal ends at once",
    },
    readShutdownTimeout,
  ),
  http2MaxStreamsPerConnection: count(0, {
    text: `requests at a time on one HTTP/2 connection; 0 is ${HTTP_LIMITS.streamsPerConnectionMax}`,
  }),
  maxConnections: count(0, {
    text: "open connections; a further one closes the one idle for the longest time; 0 derives the number from the limit of open files and the heap",
  }),
  maxConnectionsPerAddress: count(0, {
    text: "open connections of one address, or of one IPv6 /64 network; 0 is three quarters of all",
  }),
  maxRequestBytes: count(REQUEST_BYTES_MAX, {
    text: "size of an object, as an etcd with this flag would take it; beyond 2 MiB a kube-apiserver would not send it",
  }),
  schemas: texts({
    value: "DIR",
    offers: "folder",
    text: "folder with further CustomResourceDefinitions; may be repeated",
  }),
  load: texts({
    value: "PATH",
    offers: "file",
    text: "file or folder of objects to apply at every start; may be repeated",
  }),
  import: texts({
    value: "PATH",
    offers: "file",
    text: `cluster to import at the start: ${SOURCE_FORMS}; networks and platform are its own unless flags set them; a store that is not empty stays as it is; may be repeated`,
  }),
  ...IMPORT_OPTIONS,
  logLevel: text(
    "warn",
    {
      value: "LEVEL",
      choices: LOG_LEVELS,
      text: "the least grave lines that are logged, as JSON on the standard error output",
    },
    checkLogLevel,
  ),
  compactAtStart: onOff({ text: "forget the history from before the start" }),
  /** A Go duration, or "all"; undefined: five minutes, as in a kube-apiserver. */
  retain: optionalText(
    {
      value: "DURATION",
      defaultText: "`5m`",
      text: "how long past states can be read and watched from; `all` keeps them as long as there is memory",
    },
    { check: historyLimits },
  ),
  /** "real", "frozen" (stopped at the start until it is advanced), or a time (RFC 3339) at which the clock stops. */
  clock: text(
    "real",
    {
      value: "WHAT",
      text: "`frozen`, or a fixed time (`2030-01-02T15:04:05Z`): `egret clock` advances it",
    },
    (given) => openClock(given, systemClock),
  ),
  /** undefined: uids, generated names and other random choices are not reproducible. */
  seed: optionalText({
    value: "TEXT",
    text: "what uids, generated names and other choices by chance are drawn from: with a frozen clock two runs are equal byte by byte",
  }),
};

/** Splits HOST:PORT; [::1]:8080 and :8080 are accepted. Throws UsageError. */
export function parseListen(given: string): { host: string; port: number } {
  const match = /^(\[[^\]]+\]|[^:]*):(\d{1,5})$/.exec(given);
  const port = Number(match?.[2]);
  if (match === null || port > 65_535) throw new UsageError(`--listen ${given} is no HOST:PORT`);
  const host = (match[1] ?? "").replace(/^\[|\]$/g, "");
  return { host: host === "" ? "127.0.0.1" : host, port };
}

function checkClusterSubnets(given: string): void {
  try {
    parseClusterSubnets(given);
  } catch (error) {
    if (error instanceof ClusterSubnetsError) throw new UsageError(`--cluster-subnets: ${error.message}`);
    throw error;
  }
}

/** Throws UsageError. */
function checkModes(given: string): void {
  const modes = given.split(",");
  const known: readonly string[] = AUTHORIZATION_MODES;
  const unknown = modes.find((mode) => !known.includes(mode));
  if (unknown !== undefined)
    throw new UsageError(`--authorization-mode ${unknown} is none of ${known.join(", ")}`);
  if (new Set(modes).size < modes.length)
    throw new UsageError(`--authorization-mode ${given} has a mode that is specified more than once`);
}

/** As in a kube-apiserver: a text with a colon must be a URL. */
function checkIssuer(given: string): void {
  if (given === "" || (given.includes(":") && !URL.canParse(given)))
    throw new UsageError(`--service-account-issuer: ${JSON.stringify(given)} must be a valid URL`);
}

/** Validates the address with the rules of Endpoints. */
function checkAdvertised(given: string): void {
  const address = parseIp(given);
  if (address === undefined)
    throw new UsageError(`--advertise-address: failed to parse IP: ${JSON.stringify(given)}`);
  if (isLoopback(address)) throw new UsageError("--advertise-address may not be in the loopback range");
}

function checkLogLevel(given: string): void {
  if (!LOG_LEVELS.includes(given))
    throw new UsageError(`--log-level ${given} is none of ${LOG_LEVELS.join(", ")}`);
}
