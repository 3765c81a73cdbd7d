// Checks of a connection to a container, address or node, which upstream makes before it dials. There are no running
// containers or networks behind this server, so that a valid connection ends with an error of its own.

import { numberAt, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { type FieldError, forbidden, invalid } from "../../apimachinery/meta/field-error.ts";
import { isGlobalUnicast, parseIp } from "../../apimachinery/meta/ip.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { hasTime, readInteger } from "../../apimachinery/meta/query.ts";
import {
  badRequest,
  failure,
  invalidObject,
  notFound,
  plainError,
  StatusError,
} from "../../apimachinery/meta/status.ts";
import { decodeStored } from "../../apiserver/registry/codec/object-codec.ts";
import type { Connect, ConnectTarget } from "../../apiserver/registry/definition/resource-definition.ts";

const NO_PREFERRED_ADDRESS = "no preferred addresses found; known addresses: []";

/** Attach and exec: the container's pod needs a node with an address, and the client must request a streaming protocol. */
export const connectToContainer: Connect = (target) => {
  const pod = read(target, "pods", target.name);
  const container = containerOf(pod, textAt(target.options, "container"));
  demandHost(target, pod);
  demandUpgrade(target);
  throw nothingRuns(`container ${container} of pod ${target.name}`);
};

/** The log of a container; that of an unscheduled pod is empty. */
export const connectToLog: Connect = (target) => {
  const errors = validateLogOptions(target.query);
  if (errors.length > 0) throw invalidObject({ group: "", kind: "PodLogOptions" }, target.name, errors);
  const pod = read(target, "pods", target.name);
  const container = containerOf(pod, target.query.get("container"));
  if (hostOf(pod) === "") return;
  demandNode(target, hostOf(pod));
  throw nothingRuns(`container ${container} of pod ${target.name}`);
};

const POSITIVE = "must be greater than 0";

/** Findings about the options. Throws 400 for values that cannot be parsed. */
function validateLogOptions(query: ConnectTarget["query"]): FieldError[] {
  const sinceSeconds = readInteger(query, "sinceSeconds");
  const isSinceTime = hasTime(query, "sinceTime");
  const tailLines = readInteger(query, "tailLines") ?? 0;
  const limitBytes = readInteger(query, "limitBytes") ?? 1;
  const isTwice = sinceSeconds !== undefined && isSinceTime;
  const rule = "at most one of `sinceTime` or `sinceSeconds` may be specified";
  return [
    ...(tailLines < 0 ? [invalid("tailLines", tailLines, "must be greater than or equal to 0")] : []),
    ...(limitBytes < 1 ? [invalid("limitBytes", limitBytes, POSITIVE)] : []),
    ...(isTwice ? [forbidden("[]", rule)] : []),
    ...(!isTwice && (sinceSeconds ?? 1) < 1 ? [invalid("sinceSeconds", sinceSeconds, POSITIVE)] : []),
    ...(query.has("stream") ? [forbidden("stream", "may not be specified")] : []),
  ];
}

export const connectToPorts: Connect = (target) => {
  demandHost(target, read(target, "pods", target.name));
  demandUpgrade(target);
  throw nothingRuns(`pod ${target.name}`);
};

export const connectToPod: Connect = (target) => {
  const { name } = splitName(target.name, "pod");
  const pod = read(target, "pods", name);
  const ip = parseIp(textAt(objectAt(pod, "status"), "podIP"));
  if (ip === undefined || !isGlobalUnicast(ip)) throw badRequest("address not allowed");
  throw nothingRuns(`pod ${name}`);
};

export const connectToNode: Connect = (target) => {
  const { name } = splitName(target.name, "node");
  demandNode(target, name);
  throw nothingRuns(`node ${name}`);
};

/** A port number is mapped to its name; the backends are looked up in the Endpoints. */
export const connectToService: Connect = (target) => {
  const { name, port } = splitName(target.name, "service");
  const portName = /^[+-]?\d+$/.test(port) ? portNameOf(target, name, Number(port)) : port;
  const subsets = objectsAt(read(target, "endpoints", name), "subsets");
  if (subsets.length === 0) throw unavailable(`no endpoints available for service "${name}"`);
  const isReached = subsets.some(
    (subset) =>
      objectsAt(subset, "addresses").length > 0 &&
      objectsAt(subset, "ports").some((item) => textAt(item, "name") === portName),
  );
  if (!isReached) throw unavailable(`no endpoints available for service "${target.name}"`);
  throw nothingRuns(`service ${name}`);
};

function portNameOf(target: ConnectTarget, name: string, number: number): string {
  const ports = objectsAt(specOf(read(target, "services", name)), "ports");
  const found = ports.find((item) => numberAt(item, "port") === number);
  if (found !== undefined) return textAt(found, "name");
  throw unavailable(`no service port ${number} found for service "${name}"`);
}

/** "name", "name:port" or "scheme:name:port". */
function splitName(id: string, kind: string): { readonly name: string; readonly port: string } {
  const parts = id.split(":");
  const scheme = parts.length === 3 ? (parts.shift() ?? "") : "";
  const [name = "", port = ""] = parts;
  const isValid = parts.length <= 2 && name !== "" && ["", "http", "https"].includes(scheme);
  if (isValid) return { name, port };
  throw badRequest(`invalid ${kind} request ${JSON.stringify(id)}`);
}

function containerOf(pod: KubeObject, asked: string): string {
  const lists = ["initContainers", "containers", "ephemeralContainers"];
  const all = lists.flatMap((list) => objectsAt(specOf(pod), list).map((item) => textAt(item, "name")));
  const podName = pod.metadata.name ?? "";
  if (asked !== "") {
    if (all.includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${podName}`);
  }
  const [only, ...others] = objectsAt(specOf(pod), "containers");
  if (only !== undefined && others.length === 0) return textAt(only, "name");
  throw badRequest(
    `a container name must be specified for pod ${podName}, choose one of: [${all.join(" ")}]`,
  );
}

const hostOf = (pod: KubeObject): string => textAt(specOf(pod), "nodeName");

function demandHost(target: ConnectTarget, pod: KubeObject): void {
  if (hostOf(pod) === "") throw badRequest(`pod ${target.name} does not have a host assigned`);
  demandNode(target, hostOf(pod));
}

function demandUpgrade({ isUpgrade }: ConnectTarget): void {
  if (!isUpgrade) throw badRequest("Upgrade request required");
}

function demandNode(target: ConnectTarget, name: string): void {
  const node = read({ ...target, namespace: "" }, "nodes", name);
  const addresses = objectsAt(objectAt(node, "status"), "addresses");
  if (addresses.length === 0) throw plainError(NO_PREFERRED_ADDRESS);
}

/** Throws 404 for the resource of the request, as the stores of a kube-apiserver do. */
function read(target: ConnectTarget, resource: string, name: string): KubeObject {
  const { resources, namespace } = target;
  const view = resources.viewOf("", "v1", resource);
  if (view === undefined) throw new Error(`${resource} are always served`);
  try {
    return decodeStored(resources.get({ view, namespace, name }));
  } catch (error) {
    const isAbsent = error instanceof StatusError && error.reason === "NotFound";
    throw isAbsent ? notFound({ group: "", resource: target.resource }, name) : error;
  }
}

const unavailable = (message: string): StatusError =>
  failure({ code: 503, reason: "ServiceUnavailable", message });

const nothingRuns = (what: string): StatusError =>
  failure({
    code: 501,
    reason: "NotImplemented",
    message: `${what} cannot be reached: it is an object alone, nothing runs behind this server`,
  });
