// The EgressIPs of the bench and the requests that create them. All carry one label, which selects them for cleanup.
import { ADDRESS_MARK, NAME_MARK, SEQ_MARK } from "../load/requests.ts";
import type { Step } from "../measure.ts";
import { type HttpConnection, requestBytes } from "./http-connection.ts";
import { SEQ_LABEL, seqValue } from "./seq-mark.ts";
import { ask, askWell, readJson, type ServerAccess } from "./server-access.ts";

export const EGRESS_IPS = "/apis/k8s.ovn.org/v1/egressips";
export const OURS_LABEL = "egret-bench";
const OURS = `${OURS_LABEL}%3Dtrue`;
/** Its value is the last digit of the number, so a selector on it matches one object in ten. */
const DIGIT_LABEL = "egret-bench-digit";
export const ONE_IN_TEN = `${DIGIT_LABEL}%3D7`;

export const JSON_BODY = { "content-type": "application/json" };
export const MERGE_BODY = { "content-type": "application/merge-patch+json" };
const APPLY_BODY = { "content-type": "application/apply-patch+yaml" };

interface EgressIpOptions {
  readonly seq?: number;
}

interface EgressIpParts {
  readonly name: string;
  readonly address: string;
  /** The last digit of its number. */
  readonly digit: number;
  /** The value of the label that changes. */
  readonly mark?: string | undefined;
}

function egressIp(name: string, number: number, { seq }: EgressIpOptions = {}): object {
  const address = `10.1.${Math.floor(number / 250) % 250}.${(number % 250) + 1}`;
  const mark = seq === undefined ? undefined : seqValue(seq);
  return egressIpOf({ name, address, digit: number % 10, mark });
}

function egressIpOf({ name, address, digit, mark }: EgressIpParts): object {
  return {
    apiVersion: "k8s.ovn.org/v1",
    kind: "EgressIP",
    metadata: {
      name,
      labels: {
        [OURS_LABEL]: "true",
        [DIGIT_LABEL]: String(digit),
        ...(mark === undefined ? {} : { [SEQ_LABEL]: mark }),
      },
    },
    spec: {
      egressIPs: [address],
      namespaceSelector: { matchLabels: { team: "web" } },
    },
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

/** A merge patch that writes the number into a label. */
export const markRequest = (name: string, seq: number): string => markRequestOf(name, seqValue(seq));

function markRequestOf(name: string, mark: string): string {
  const patch = { metadata: { labels: { [SEQ_LABEL]: mark } } };
  return requestBytes("PATCH", `${EGRESS_IPS}/${name}`, MERGE_BODY, JSON.stringify(patch));
}

function applyRequestOf(name: string, object: object): string {
  const path = `${EGRESS_IPS}/${name}?fieldManager=egret-bench&force=true`;
  return requestBytes("PATCH", path, APPLY_BODY, JSON.stringify(object));
}

/**
 * An update with another status, as the EgressIP controller sends it (EgressIPs have no status subresource). `object` is
 * the object of the last answer.
 */
export function statusRequest(name: string, object: Record<string, unknown>, seq: number): string {
  const items = [{ node: `node-${seq}`, egressIP: "10.1.0.1" }];
  const body = JSON.stringify({ ...object, status: { items } });
  return requestBytes("PUT", `${EGRESS_IPS}/${name}`, JSON_BODY, body);
}

const LOAD_NAME = `bench-${NAME_MARK}`;

/** The name of the object with that number in the loads below. */
export const loadName = (number: number): string => `bench-${seqValue(number)}`;

/** Creates of many objects, each with an address of its own. */
export function createLoad(): string {
  const object = egressIpOf({ name: LOAD_NAME, address: `10.${ADDRESS_MARK}`, digit: 0 });
  return requestBytes("POST", EGRESS_IPS, JSON_BODY, JSON.stringify(object));
}

export const getLoad = (): string => getRequest(LOAD_NAME);

/** With resourceVersion=0 a server may answer from its watch cache. */
export const CACHED = "resourceVersion=0";
export const cachedGetLoad = (): string => getRequest(`${LOAD_NAME}?${CACHED}`);

/** Merge patches that write the number into a label. */
export const patchLoad = (): string => markRequestOf(LOAD_NAME, SEQ_MARK);

/** Full apply configurations that differ in that label. */
export const applyLoad = (): string =>
  applyRequestOf(LOAD_NAME, egressIpOf({ name: LOAD_NAME, address: "10.1.0.1", digit: 0, mark: SEQ_MARK }));

/** One worker per connection; an answer with another status ends the bench. */
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

/** The resourceVersion from which a new watch starts. */
export async function revisionOf(access: ServerAccess, path: string): Promise<string> {
  const { metadata } = (await readJson(access, `${path}?limit=1`)) as {
    metadata: { resourceVersion: string };
  };
  return metadata.resourceVersion; // a list has one
}

/** Removes what this or an earlier run has left below the path. */
export async function clear(access: ServerAccess, path: string = EGRESS_IPS): Promise<void> {
  await askWell(access, `${path}?labelSelector=${OURS}`, { method: "DELETE" });
}

/** Reports whether the server serves the kind. */
export async function servesEgressIps(access: ServerAccess): Promise<boolean> {
  const { status } = await ask(access, `${EGRESS_IPS}?limit=1`);
  if (status !== 200 && status !== 404) throw new Error(`a list of EgressIPs was answered with ${status}`);
  return status === 200;
}
