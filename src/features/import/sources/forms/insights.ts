// Archives of OpenShift's Insights operator: single objects in JSON. Most of them have no kind and apiVersion, which
// follow from the path.
import { isObject, type JsonObject, lookupTable, textAt } from "../../../../apimachinery/json/json.ts";
import type { Place } from "../source.ts";
import type { Entry, Layout } from "./entry.ts";

const BASE = "(?:^|\\/)config\\/";
const SINGLETON = new RegExp(
  `${BASE}(network|infrastructure|version|featuregate|proxy|ingress|apiserver|oauth|authentication|dns|scheduler|image)\\.json$`,
);
const OPERATOR = new RegExp(`${BASE}clusteroperator\\/([^/]+)\\.json$`);
/** {apiVersion, kind, name, spec}: the name is outside of metadata. */
const OPERATOR_CONFIG = new RegExp(`${BASE}clusteroperator\\/([^/]+)\\/([^/]+)\\/([^/]+)\\.json$`);
const NAMED = new RegExp(`${BASE}(node|crd|namespace|persistentvolumes)\\/(?:[^/]+\\/)*[^/]+\\.json$`);
const IN_NAMESPACE = new RegExp(`${BASE}(pod)\\/[^/]+\\/[^/]+\\.json$`);
const EVENTS = /(?:^|\/)events\/[^/]+\.json$/;

const CONFIG_KINDS = lookupTable<string>({
  network: "Network",
  infrastructure: "Infrastructure",
  version: "ClusterVersion",
  featuregate: "FeatureGate",
  proxy: "Proxy",
  ingress: "Ingress",
  apiserver: "APIServer",
  oauth: "OAuth",
  authentication: "Authentication",
  dns: "DNS",
  scheduler: "Scheduler",
  image: "Image",
});

const FOLDER_KINDS = lookupTable<Place>({
  node: { apiVersion: "v1", kind: "Node" },
  namespace: { apiVersion: "v1", kind: "Namespace" },
  persistentvolumes: { apiVersion: "v1", kind: "PersistentVolume" },
  crd: { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
  pod: { apiVersion: "v1", kind: "Pod" },
});

function placeOf(path: string): Place | undefined {
  const [, singleton = ""] = SINGLETON.exec(path) ?? [];
  if (singleton !== "") return ofConfig(CONFIG_KINDS[singleton] ?? "");
  if (OPERATOR.test(path)) return ofConfig("ClusterOperator");
  if (EVENTS.test(path)) return { apiVersion: "v1", kind: "Event" };
  const [, folder = ""] = NAMED.exec(path) ?? IN_NAMESPACE.exec(path) ?? [];
  return folder === "" ? undefined : FOLDER_KINDS[folder];
}

const ofConfig = (kind: string): Place => ({ apiVersion: "config.openshift.io/v1", kind });

/** Mutates. */
function withName(value: JsonObject): JsonObject {
  const name = textAt(value, "name");
  if (name !== "" && !isObject(value["metadata"])) {
    value["metadata"] = { name };
    delete value["name"];
  }
  return value;
}

export const insights: Layout = {
  mark: new RegExp(`${BASE}((version|infrastructure|featuregate)|(node|clusteroperator)\\/[^/]+)\\.json$`),
  notes: {
    form: "an Insights archive",
    lacks:
      "it has no egress objects and few pods, and the values of most annotations are gone: it tells networks, versions and the platform, not placements",
  },
  entryAt(path): Entry | undefined {
    if (OPERATOR_CONFIG.test(path)) return { mend: withName };
    const place = placeOf(path);
    return place && { place };
  },
};
