// What stands in the way of a connection to a container, an address or a node: all that a real server looks at before it
// dials. Nothing runs behind Egret, so that what passes all of it is refused in the end, in words of Egret's own.
import { isGlobalUnicast, parseIp } from "../../meta/ip.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import { badRequest, failure, plainError, type StatusError } from "../../meta/status.ts";
import { decodeStored } from "../../registry/codec/object-codec.ts";
import type { Connect, ConnectTarget } from "../../registry/definition/resource-definition.ts";

const NO_PREFERRED_ADDRESS = "no preferred addresses found; known addresses: []";

/** Attach and exec: a container of a pod that has a node, which has an address. */
export const connectToContainer: Connect = (target) => {
  const pod = read(target, "pods", target.name);
  const container = containerOf(pod, target.query.get("container"));
  demandHost(target, pod);
  throw nothingRuns(`container ${container} of pod ${target.name}`);
};

/** The log of a container; that of a pod without a node is empty. */
export const connectToLog: Connect = (target) => {
  const pod = read(target, "pods", target.name);
  const container = containerOf(pod, target.query.get("container"));
  if (hostOf(pod) === "") return;
  demandNode(target.resources, hostOf(pod));
  throw nothingRuns(`container ${container} of pod ${target.name}`);
};

export const connectToPorts: Connect = (target) => {
  demandHost(target, read(target, "pods", target.name));
  throw nothingRuns(`pod ${target.name}`);
};

export const connectToPod: Connect = (target) => {
  const { name } = splitName(target.name, "pod");
  const pod = read(target, "pods", name);
  const ip = parseIp(textAt(objectAt(pod, "status"), "podIP"));
  if (ip === undefined || !isGlobalUnicast(ip)) throw badRequest("address not allowed");
  throw nothingRuns(`pod ${name}`);
};

export const connectToNode: Connect = ({ resources, name: asked }) => {
  const { name } = splitName(asked, "node");
  demandNode(resources, name);
  throw nothingRuns(`node ${name}`);
};

/** A port's number stands for its name; whoever is behind it is looked up in the Endpoints. */
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
  const namesIn = (member: string) => objectsAt(specOf(pod), member).map((item) => textAt(item, "name"));
  const [own, initial] = [namesIn("containers"), namesIn("initContainers")];
  const podName = pod.metadata.name ?? "";
  if (asked !== "") {
    if ([...own, ...initial, ...namesIn("ephemeralContainers")].includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${podName}`);
  }
  const [only = ""] = own;
  if (own.length === 1) return only;
  const more = initial.length > 0 ? ` or one of the init containers: [${initial.join(" ")}]` : "";
  const choice = `choose one of: [${own.join(" ")}]${more}`;
  throw badRequest(`a container name must be specified for pod ${podName}, ${choice}`);
}

const hostOf = (pod: KubeObject): string => textAt(specOf(pod), "nodeName");

function demandHost({ resources, name }: ConnectTarget, pod: KubeObject): void {
  if (hostOf(pod) === "") throw badRequest(`pod ${name} does not have a host assigned`);
  demandNode(resources, hostOf(pod));
}

function demandNode(resources: ConnectTarget["resources"], name: string): void {
  const node = read({ resources, namespace: "" }, "nodes", name);
  const addresses = objectsAt(objectAt(node, "status"), "addresses");
  if (addresses.length === 0) throw plainError(NO_PREFERRED_ADDRESS);
}

type Place = Pick<ConnectTarget, "resources" | "namespace">;

/** Throws 404. */
function read({ resources, namespace }: Place, resource: string, name: string): KubeObject {
  const view = resources.viewOf("", "v1", resource);
  if (view === undefined) throw new Error(`${resource} are always served`);
  return decodeStored(resources.get({ view, namespace, name }));
}

const unavailable = (message: string): StatusError =>
  failure({ code: 503, reason: "ServiceUnavailable", message });

const nothingRuns = (what: string): StatusError =>
  failure({
    code: 501,
    reason: "NotImplemented",
    message: `${what} cannot be reached: it is an object alone, nothing runs behind this server`,
  });
