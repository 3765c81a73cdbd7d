// All flags of a kube-apiserver v1.36, with their effect here.
import { type EffectiveFlag, honoured, none, refused } from "./effective-flag.ts";

const SERVING: readonly EffectiveFlag[] = [
  honoured("bind-address", "ip", "address to listen on; all of them where none is given"),
  honoured("secure-port", "int", "port of HTTPS; 6443 where none is given"),
  honoured(
    "cert-dir",
    "string",
    "folder of `apiserver.crt` and `apiserver.key`, which are made where they are missing",
  ),
  honoured("tls-cert-file", "string", "certificate to present, and those above it"),
  honoured("tls-private-key-file", "string", "its key"),
  honoured("advertise-address", "ip", "address in the Endpoints of the Service `kubernetes`"),
  honoured("endpoint-reconciler-type", "string", "`none` leaves these Endpoints alone"),
  honoured("http2-max-streams-per-connection", "int", "requests at a time on one connection"),
  honoured("max-requests-inflight", "int", "requests that read, at a time; more get 429"),
  honoured("max-mutating-requests-inflight", "int", "requests that may write, at a time; more get 429"),
  honoured("request-timeout", "duration", "time in which a request that is no watch is answered"),
  honoured("min-request-timeout", "int", "seconds that a watch lasts at least"),
];

const AUTHENTICATION: readonly EffectiveFlag[] = [
  honoured(
    "client-ca-file",
    "string",
    "authorities of client certificates: CN is the user, O are the groups",
  ),
  honoured("token-auth-file", "string", 'users: a CSV file, `token,user,uid,"group1,group2"`'),
  honoured("anonymous-auth", "bool", "whether requests without credentials are those of system:anonymous"),
  honoured("service-account-issuer", "stringArray", "issuers of tokens; the first one is that of new tokens"),
  honoured("service-account-key-file", "stringArray", "keys that verify tokens of ServiceAccounts"),
  honoured("service-account-signing-key-file", "string", "key that signs them"),
  honoured("requestheader-client-ca-file", "string", "authorities of front proxies"),
  honoured("requestheader-allowed-names", "strings", "common names of front proxies"),
  honoured("requestheader-username-headers", "strings", "headers with the user of a front proxy"),
  honoured("requestheader-uid-headers", "strings", "headers with its uid"),
  honoured("requestheader-group-headers", "strings", "headers with its groups"),
  honoured("requestheader-extra-headers-prefix", "strings", "begin of headers with its extra values"),
];

const THE_REST: readonly EffectiveFlag[] = [
  honoured(
    "authorization-mode",
    "strings",
    "`RBAC`, `Node`, `AlwaysAllow`, `AlwaysDeny`, in the order of the list",
  ),
  honoured("enable-admission-plugins", "strings", "plugins besides those that are on"),
  honoured("disable-admission-plugins", "strings", "plugins to switch off"),
  honoured(
    "default-not-ready-toleration-seconds",
    "int",
    "seconds that Pods stay on nodes that are not ready",
  ),
  honoured("default-unreachable-toleration-seconds", "int", "seconds that Pods stay on unreachable nodes"),
  honoured("allow-privileged", "bool", "whether Pods may have privileged containers"),
  honoured("service-cluster-ip-range", "string", "networks of Services, at most one of each family"),
  honoured("service-node-port-range", "string", "node ports of Services"),
  honoured(
    "feature-gates",
    "strings",
    "checked as upstream checks them; a gate that differs from its default is named",
  ),
  honoured("runtime-config", "strings", "checked as upstream checks it; an API that is not there is named"),
  honoured("emulated-version", "strings", "1.36 alone"),
  honoured(
    "etcd-servers",
    "strings",
    "the `etcd` of this folder, or a real one, which then holds the objects",
  ),
  honoured("etcd-prefix", "string", "with a real etcd: what keys begin with"),
  honoured("etcd-cafile", "string", "with a real etcd: the authority of its certificates"),
  honoured("etcd-certfile", "string", "with a real etcd: a client certificate"),
  honoured("etcd-keyfile", "string", "with a real etcd: the key of that certificate"),
  honoured("etcd-compaction-interval", "duration", "with a real etcd: how often it is compacted"),
  honoured("encryption-provider-config", "string", "with a real etcd: which values are encrypted there"),
  honoured("v", "int", "verbosity of the log: 2 is info, 4 debug, 6 trace", "v"),
  honoured("help", "bool", "print this and exit", "h"),
  honoured("version", "bool", "print the version and exit"),
];

const CREDENTIALS = "no such credentials are checked";
const ONE_SERVER = "there is one server";

const REFUSED: readonly EffectiveFlag[] = [
  ...refused("string", "authentication-config authentication-token-webhook-config-file", CREDENTIALS),
  ...refused("string", "oidc-issuer-url oidc-client-id oidc-ca-file oidc-username-claim", CREDENTIALS),
  ...refused("string", "oidc-username-prefix oidc-groups-claim oidc-groups-prefix", CREDENTIALS),
  ...refused("strings", "oidc-signing-algs", CREDENTIALS),
  ...refused("mapStringString", "oidc-required-claim", CREDENTIALS),
  ...refused("bool", "enable-bootstrap-token-auth", CREDENTIALS),
  ...refused("string", "service-account-signing-endpoint", "no other process signs tokens"),
  ...refused("string", "service-account-jwks-uri", "the keys are served here"),
  ...refused("string", "authorization-config authorization-policy-file", "this authorizer is not there"),
  ...refused("string", "authorization-webhook-config-file", "this authorizer is not there"),
  ...refused("string", "admission-control-config-file", "plugins have their defaults"),
  ...refused("strings", "admission-control", "see enable-admission-plugins"),
  ...refused("string", "egress-selector-config-file", "webhooks are called directly"),
  ...refused("stringArray", "tls-sni-cert-key", "one certificate is presented"),
  ...refused("strings", "etcd-servers-overrides", "one store holds all"),
  ...refused("strings", "cors-allowed-origins", "browsers of other origins are kept away"),
  ...refused("string", "peer-advertise-ip peer-advertise-port peer-ca-file", ONE_SERVER),
];

const NO_KUBELETS = "no kubelet is called";
const NO_AGGREGATION = "APIServices are stored, and no request is proxied";

const WITHOUT_EFFECT: readonly EffectiveFlag[] = [
  ...none("string", "external-hostname storage-backend storage-media-type kubeconfig"),
  ...none("string", "authentication-token-webhook-version authorization-webhook-version"),
  ...none("duration", "authentication-token-webhook-cache-ttl"),
  ...none(
    "duration",
    "authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl",
  ),
  ...none("strings", "api-audiences", "the audiences are the issuers"),
  ...none("bool", "service-account-lookup service-account-extend-token-expiration"),
  ...none("duration", "service-account-max-token-expiration"),
  ...none("bool", "enable-aggregator-routing aggregator-reject-forwarding-redirect", NO_AGGREGATION),
  ...none("string", "proxy-client-cert-file proxy-client-key-file", NO_AGGREGATION),
  ...none(
    "string",
    "kubelet-certificate-authority kubelet-client-certificate kubelet-client-key",
    NO_KUBELETS,
  ),
  ...none("int", "kubelet-port kubelet-read-only-port", NO_KUBELETS),
  ...none("strings", "kubelet-preferred-address-types", NO_KUBELETS),
  ...none("duration", "kubelet-timeout", NO_KUBELETS),
  ...none("string", "audit-policy-file audit-log-path audit-log-format audit-log-mode audit-log-version"),
  ...none("string", "audit-webhook-config-file audit-webhook-mode audit-webhook-version"),
  ...none("int", "audit-log-maxage audit-log-maxbackup audit-log-maxsize audit-log-batch-buffer-size"),
  ...none("int", "audit-log-batch-max-size audit-log-batch-throttle-burst audit-log-truncate-max-batch-size"),
  ...none(
    "int",
    "audit-log-truncate-max-event-size audit-webhook-batch-buffer-size audit-webhook-batch-max-size",
  ),
  ...none("int", "audit-webhook-batch-throttle-burst audit-webhook-truncate-max-batch-size"),
  ...none("int", "audit-webhook-truncate-max-event-size"),
  ...none("bool", "audit-log-compress audit-log-batch-throttle-enable audit-log-truncate-enabled"),
  ...none("bool", "audit-webhook-batch-throttle-enable audit-webhook-truncate-enabled"),
  ...none("float", "audit-log-batch-throttle-qps audit-webhook-batch-throttle-qps"),
  ...none("duration", "audit-log-batch-max-wait audit-webhook-batch-max-wait"),
  ...none("duration", "audit-webhook-batch-initial-backoff audit-webhook-initial-backoff"),
  ...none("bool", "watch-cache enable-garbage-collector enable-priority-and-fairness enable-logs-handler"),
  ...none("strings", "watch-cache-sizes"),
  ...none("int", "default-watch-cache-size delete-collection-workers apiserver-count"),
  ...none("int", "kubernetes-service-node-port lease-reuse-duration-seconds max-connection-bytes-per-sec"),
  ...none("duration", "etcd-count-metric-poll-period etcd-db-metric-poll-interval etcd-healthcheck-timeout"),
  ...none("duration", "etcd-readycheck-timeout storage-initialization-timeout"),
  ...none("duration", "event-ttl", "Events stay"),
  ...none("duration", "livez-grace-period shutdown-delay-duration shutdown-watch-termination-grace-period"),
  ...none("bool", "shutdown-send-retry-after permit-address-sharing permit-port-sharing"),
  ...none("duration", "coordinated-leadership-lease-duration coordinated-leadership-renew-deadline"),
  ...none("duration", "coordinated-leadership-retry-period"),
  ...none("float", "goaway-chance"),
  ...none("bool", "disable-http2-serving encryption-provider-config-automatic-reload"),
  ...none("strings", "strict-transport-security-directives tls-cipher-suites tls-curve-preferences"),
  ...none("string", "tls-min-version", "1.2"),
  ...none("strings", "min-compatibility-version"),
  ...none("bool", "emulation-forward-compatible runtime-config-emulation-forward-compatible"),
  ...none("bool", "profiling contention-profiling"),
  ...none("string", "debug-socket-path tracing-config-file logging-format vmodule"),
  ...none("duration", "log-flush-frequency"),
  ...none("string", "log-json-info-buffer-size log-text-info-buffer-size"),
  ...none("bool", "log-json-split-stream log-text-split-stream"),
  ...none("mapStringString", "allow-metric-labels"),
  ...none("string", "allow-metric-labels-manifest show-hidden-metrics-for-version"),
  ...none("strings", "disabled-metrics"),
];

/** In the order of the help. */
export const APISERVER_FLAGS: readonly EffectiveFlag[] = [
  ...SERVING,
  ...AUTHENTICATION,
  ...THE_REST,
  ...WITHOUT_EFFECT,
  ...REFUSED,
];
