// Conversion of Ingresses and EndpointSlices of removed versions to the current version, as servers with both
// versions converted them.
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";

type Converter = (object: Readonly<JsonObject>) => JsonObject;

/** By apiVersion and kind. */
const CONVERTERS: ReadonlyMap<string, Converter> = new Map([
  ["extensions/v1beta1 Ingress", ingressOfToday],
  ["networking.k8s.io/v1beta1 Ingress", ingressOfToday],
  ["discovery.k8s.io/v1beta1 EndpointSlice", sliceOfToday],
]);

/** undefined: no conversion is known for the version. */
export const ofToday = <T extends Readonly<JsonObject>>(object: T): T | undefined =>
  CONVERTERS.get(`${textAt(object, "apiVersion")} ${textAt(object, "kind")}`)?.(object) as T | undefined; // a copy, changed

function ingressOfToday(ingress: Readonly<JsonObject>): JsonObject {
  const { backend, ...spec } = objectAt(ingress, "spec") ?? {};
  const rules = objectsAt(spec, "rules").map((rule) => {
    const http = objectAt(rule, "http");
    return http === undefined
      ? rule
      : { ...rule, http: { ...http, paths: objectsAt(http, "paths").map(path) } };
  });
  return {
    ...ingress,
    apiVersion: "networking.k8s.io/v1",
    spec: {
      ...spec,
      ...(isObject(backend) ? { defaultBackend: backendOfToday(backend) } : {}),
      ...(rules.length > 0 ? { rules } : {}),
    },
  };
}

/** The default pathType of objects from before pathType existed. */
const path = ({ backend, ...rest }: JsonObject): JsonObject => ({
  pathType: "ImplementationSpecific",
  ...rest,
  ...(isObject(backend) ? { backend: backendOfToday(backend) } : {}),
});

function backendOfToday({ serviceName, servicePort, ...rest }: JsonObject): JsonObject {
  if (serviceName === undefined && servicePort === undefined) return rest;
  const port = typeof servicePort === "string" ? { name: servicePort } : { number: servicePort ?? 0 };
  return { ...rest, service: { name: serviceName ?? "", port } };
}

const ZONE = "topology.kubernetes.io/zone";
const HOST = "kubernetes.io/hostname";

function sliceOfToday(slice: Readonly<JsonObject>): JsonObject {
  const endpoints = objectsAt(slice, "endpoints").map(({ topology, ...endpoint }) => {
    if (!isObject(topology)) return endpoint;
    const { [ZONE]: zone, ...others } = topology;
    const { [HOST]: host, ...beside } = others;
    const deprecatedTopology = host === textAt(endpoint, "nodeName") ? beside : others;
    return {
      ...endpoint,
      ...(zone === undefined ? {} : { zone }),
      ...(Object.keys(deprecatedTopology).length > 0 ? { deprecatedTopology } : {}),
    };
  });
  return { ...slice, apiVersion: "discovery.k8s.io/v1", endpoints };
}
