// The objects that the bench makes and the requests that make them. All carry one label, by which they are cleared away.
import { type HttpConnection, requestBytes } from "./http-connection.ts";
import type { Step } from "./measure.ts";
import { SEQ_LABEL, seqValue } from "./seq-mark.ts";

export const EGRESS_IPS = "/apis/k8s.ovn.org/v1/egressips";
const OURS_LABEL = "egret-bench";
const OURS = `${OURS_LABEL}%3Dtrue`;
/** Its value is the number's last digit, so a selector on it takes one in ten. */
const DIGIT_LABEL = "egret-bench-digit";
export const ONE_IN_TEN = `${DIGIT_LABEL}%3D7`;

const JSON_BODY = { "content-type": "application/json" };
const MERGE_BODY = { "content-type": "application/merge-patch+json" };

interface EgressIpOptions {
  readonly seq?: number;
}

function egressIp(name: string, number: number, { seq }: EgressIpOptions = {}): object {
  const address = `10.1.${Math.floor(number / 250) % 250}.${(number % 250) + 1}`;
  return {
    apiVersion: "k8s.ovn.org/v1",
    kind: "EgressIP",
    metadata: {
      name,
      labels: {
        [OURS_LABEL]: "true",
        [DIGIT_LABEL]: String(number % 10),
        ...(seq === undefined ? {} : { [SEQ_LABEL]: seqValue(seq) }),
      },
    },
    spec: { egressIPs: [address], namespaceSelector: { matchLabels: { team: "web" } } },
  };
}

export function createRequest(name: string, number: number, options: EgressIpOptions = {}): string {
  return requestBytes("POST", EGRESS_IPS, JSON_BODY, JSON.stringify(egressIp(name, number, options)));
}

export function getRequest(name: string): string {
  return requestBytes("GET", `${EGRESS_IPS}/${name}`);
}

export function deleteRequest(name: string): string {
  return requestBytes("DELETE", `${EGRESS_IPS}/${name}`);
}

/** A merge patch that leaves the number in a label. */
export function markRequest(name: string, seq: number): string {
  const patch = { metadata: { labels: { [SEQ_LABEL]: seqValue(seq) } } };
  return requestBytes("PATCH", `${EGRESS_IPS}/${name}`, MERGE_BODY, JSON.stringify(patch));
}

/** One worker per connection; an answer of another status ends the bench. */
export function workers(
  connections: readonly HttpConnection[],
  status: number,
  request: (number: number, worker: number) => string,
): Step[] {
  return connections.map((connection, worker) => async (number) => {
    const answer = await connection.send(request(number, worker));
    if (answer.status !== status) throw new Error(`answered with ${answer.status}, not ${status}`);
  });
}

export async function readJson(url: string, path: string, accept = "application/json"): Promise<unknown> {
  const response = await fetch(`${url}${path}`, { headers: { accept } });
  if (!response.ok)
    throw new Error(`GET ${path} was answered with ${response.status}: ${await response.text()}`);
  return await response.json();
}

/** Removes what this or an earlier run has left. */
export async function clear(url: string): Promise<void> {
  const response = await fetch(`${url}${EGRESS_IPS}?labelSelector=${OURS}`, { method: "DELETE" });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`the bench's EgressIPs could not be removed: ${response.status}`);
}
