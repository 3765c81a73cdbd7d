// The addresses of a pod that serves as a gateway: its own on the network of its host, or those on another network that
// it is attached to.
import { parseIp } from "../../meta/ip.ts";
import { isObject, type JsonObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { Complaint, inWords, parseJson } from "./complaint.ts";

const NETWORK_STATUS = "k8s.v1.cni.cncf.io/network-status";

/** None for a pod that is not ready or about to go. Throws a Complaint for one that can be no gateway. */
export function gatewayPodAddresses(pod: KubeObject, network: string): string[] {
  const { name = "", deletionTimestamp } = pod.metadata;
  if (deletionTimestamp !== undefined || !isReady(memberOf(pod, "status"))) return [];
  if (network !== "") return attachedAddresses(pod, network);
  if (memberOf(pod, "spec")["hostNetwork"] !== true) {
    throw new Complaint(
      `ignoring pod ${name} as an external gateway candidate. Invalid combination of host network: false and routing-network annotation: `,
    );
  }
  const listed = memberOf(pod, "status")["podIPs"];
  return canonical((Array.isArray(listed) ? listed : []).map((item) => (isObject(item) ? item["ip"] : "")));
}

function attachedAddresses({ metadata }: KubeObject, network: string): string[] {
  const { name = "", namespace = "", annotations = {} } = metadata;
  const text = annotations[NETWORK_STATUS] ?? "";
  const where = `unable to unmarshall annotation on pod ${name} ${NETWORK_STATUS} '${text}'`;
  const networks = inWords(where, () => parseJson(text));
  const found = (Array.isArray(networks) ? networks : []).find(
    (status) => isObject(status) && status["name"] === network,
  );
  if (!isObject(found)) {
    throw new Complaint(`unable to find multus network ${network} in pod ${namespace}/${name}`);
  }
  return canonical(Array.isArray(found["ips"]) ? found["ips"] : []);
}

const memberOf = (pod: KubeObject, member: "spec" | "status"): JsonObject =>
  isObject(pod[member]) ? pod[member] : {};

function isReady({ conditions }: JsonObject): boolean {
  return (Array.isArray(conditions) ? conditions : []).some(
    (condition) => isObject(condition) && condition["type"] === "Ready" && condition["status"] === "True",
  );
}

const canonical = (texts: readonly unknown[]): string[] =>
  texts.flatMap((text) => parseIp(String(text))?.text ?? []);
