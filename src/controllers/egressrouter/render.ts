// What an EgressRouter is made of, as the cluster network operator makes it: a NetworkAttachmentDefinition for the CNI
// plugin and a Deployment of one pod. Their names are fixed, so that of two routers in a namespace the last one counts.
import { parseCidr, parseIp } from "../../meta/ip.ts";
import { isObject, type JsonObject, objectsOf, textAt, textOf } from "../../meta/json.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import type { Profile } from "../kit/settings.ts";

export interface RenderOptions {
  /** What the pod runs. */
  readonly image: string;
  /** The version of the platform that the objects are noted to come from. */
  readonly releaseVersion: string;
  /** 4.13 asked for no processor time, and spoke of errors twice. */
  readonly profile: Profile;
}

/** The spec asks for something that cannot be made. */
export class EgressRouterError extends Error {}

const NAD_NAME = "egress-router-cni-nad";
const DEPLOYMENT_NAME = "egress-router-cni-deployment";
const LABELS = { app: "egress-router-cni" };

interface Route {
  readonly address: string;
  readonly gateway: string;
  readonly destinations: readonly string[];
  readonly fallbackIp: string;
}

/** The NetworkAttachmentDefinition, then the Deployment. Throws EgressRouterError. */
export function renderEgressRouter(router: KubeObject, options: RenderOptions): KubeObject[] {
  const route = readRoute(router, options);
  return [renderNad(router, route, options), renderDeployment(router, route, options)];
}

/** Only the first address counts, and one that cannot be read is as good as none. */
function readRoute(router: KubeObject, { profile }: RenderOptions): Route {
  const { addresses, redirect } = specOf(router);
  const first: unknown = Array.isArray(addresses) ? addresses[0] : undefined;
  if (!isObject(first)) {
    throw new EgressRouterError(`${profile === "openshift-4.13" ? "Error: " : ""}router without addresses`);
  }
  const [address, gateway] = [textAt(first, "ip"), textAt(first, "gateway")];
  if (!parseCidr(address)) throw missing("Addresses");
  if (!parseIp(gateway)) throw missing("Gateway");
  const { redirectRules, fallbackIP } = isObject(redirect) ? redirect : {};
  const destinations = objectsOf(redirectRules).map(destination);
  return { address, gateway, destinations, fallbackIp: textOf(fallbackIP) };
}

const missing = (key: string): EgressRouterError =>
  new EgressRouterError(`error rendering manifests: map has no entry for key "${key}"`);

/** "PORT PROTOCOL IP TARGETPORT" as the plugin reads it; the last part and the first two may be missing. */
function destination(rule: JsonObject): string {
  const { port = 0, protocol = "", destinationIP = "", targetPort = 0 } = rule;
  if (port === 0 || protocol === "") return String(destinationIP);
  const parts = [port, protocol, destinationIP, ...(targetPort === 0 ? [] : [targetPort])];
  return parts.join(" ");
}

function renderNad(router: KubeObject, route: Route, options: RenderOptions): KubeObject {
  const { address, destinations, fallbackIp, gateway } = route;
  const config = {
    cniVersion: "0.4.0",
    type: "egress-router",
    name: NAD_NAME,
    ip: {
      addresses: [address],
      destinations,
      ...(fallbackIp === "" ? {} : { fallbackIP: fallbackIp }),
      gateway,
    },
    log_file: "/tmp/egress-router-log",
    log_level: "debug",
  };
  return {
    apiVersion: "k8s.cni.cncf.io/v1",
    kind: "NetworkAttachmentDefinition",
    metadata: metadataOf(router, NAD_NAME, options),
    spec: { config: JSON.stringify(config) },
  };
}

function renderDeployment(router: KubeObject, { gateway }: Route, options: RenderOptions): KubeObject {
  const networks = [{ name: NAD_NAME, "default-route": [gateway] }];
  const annotations = {
    "target.workload.openshift.io/management": '{"effect": "PreferredDuringScheduling"}',
    "k8s.v1.cni.cncf.io/networks": JSON.stringify(networks),
  };
  const container = {
    name: "egress-router-cni-pod",
    image: options.image,
    command: ["/bin/sh", "-c", "sleep infinity"],
    ...(options.profile === "openshift-4.13" ? {} : { resources: { requests: { cpu: "100m" } } }),
    terminationMessagePolicy: "FallbackToLogsOnError",
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { ...metadataOf(router, DEPLOYMENT_NAME, options), labels: LABELS },
    spec: {
      replicas: 1,
      selector: { matchLabels: LABELS },
      template: { metadata: { labels: LABELS, annotations }, spec: { containers: [container] } },
    },
  };
}

function metadataOf(router: KubeObject, name: string, { releaseVersion }: RenderOptions) {
  const { namespace = "", name: routerName = "", uid = "" } = router.metadata;
  const apiVersion = "network.operator.openshift.io/v1";
  return {
    name,
    namespace,
    annotations: { "release.openshift.io/version": releaseVersion },
    ownerReferences: [{ apiVersion, kind: "EgressRouter", name: routerName, uid, controller: true }],
  };
}
