// What the cloud's answers mean for the status of an EgressIP. Only a change of a CloudPrivateIPConfig's status is an
// answer: an item that a user takes out does not come back until the cloud speaks again.
import { equalJson } from "../../../meta/json.ts";
import { type CloudPrivateIpConfig, isDone } from "../../cloud/cloud-private-ip-config.ts";
import type { StatusItem } from "../egress-ip.ts";

export interface Answer {
  readonly type: "granted" | "released";
  readonly egressIp: string;
  readonly item: StatusItem;
}

/** What a change says; nothing where the object does not tell whose the address is. */
export function answersTo(
  before: CloudPrivateIpConfig | undefined,
  now: CloudPrivateIpConfig | undefined,
): Answer[] {
  if (equalJson(before?.status ?? SILENCE, now?.status ?? SILENCE)) return [];
  const answers: Answer[] = [];
  const from = releasedNode(before, now);
  if (before && from !== undefined) {
    if (before.owner === undefined) return [];
    const item = { egressIP: before.address ?? "", node: from };
    answers.push({ type: "released", egressIp: before.owner, item });
  }
  if (now?.owner !== undefined && isGranted(now)) {
    const item = { egressIP: now.address ?? "", node: now.node };
    answers.push({ type: "granted", egressIp: now.owner, item });
  }
  return answers;
}

const SILENCE: CloudPrivateIpConfig["status"] = { node: "", conditions: [] };

const isGranted = (now: CloudPrivateIpConfig): boolean =>
  now.node !== "" && now.status.node === now.node && isDone(now);

/** The node that does not have the address any more. */
function releasedNode(
  before: CloudPrivateIpConfig | undefined,
  now: CloudPrivateIpConfig | undefined,
): string | undefined {
  if (!now) return before?.node;
  const from = before?.status.node;
  return from && from !== now.status.node && isDone(now) ? from : undefined;
}

/** Answers that have not been written yet, by EgressIP. Those about an EgressIP that does not exist yet wait for it. */
export class CloudAnswers {
  readonly #waiting = new Map<string, Answer[]>();

  note(answer: Answer): void {
    const { egressIp, item } = answer;
    const waiting = this.#waiting.get(egressIp) ?? [];
    const others = waiting.filter(
      (other) => other.item.egressIP !== item.egressIP || !isOvertaken(other, answer),
    );
    this.#waiting.set(egressIp, [...others, answer]);
  }

  /** The answers about the EgressIP, in their order; from now on they are the caller's. */
  take(egressIp: string): readonly Answer[] {
    const waiting = this.#waiting.get(egressIp) ?? [];
    this.#waiting.delete(egressIp);
    return waiting;
  }

  /** Puts back what could not be written, before what came since. */
  putBack(egressIp: string, answers: readonly Answer[]): void {
    const since = this.take(egressIp);
    for (const answer of [...answers, ...since]) this.note(answer);
  }

  /** The EgressIP is gone: what was given back does not concern anybody any more. */
  forgetReleases(egressIp: string): void {
    const granted = this.#waiting.get(egressIp)?.filter(({ type }) => type === "granted") ?? [];
    if (granted.length > 0) this.#waiting.set(egressIp, granted);
    else this.#waiting.delete(egressIp);
  }
}

/** A later answer about the same address on the same node takes the place of an earlier one. */
const isOvertaken = (earlier: Answer, later: Answer): boolean => earlier.item.node === later.item.node;

/** The items after the answers: those given back go, those granted come last, in the order of granting. */
export function applyAnswers(items: readonly StatusItem[], answers: readonly Answer[]): StatusItem[] {
  let after = [...items];
  for (const { type, item } of answers) {
    const has = (other: StatusItem): boolean => other.egressIP === item.egressIP && other.node === item.node;
    if (type === "released") after = after.filter((other) => !has(other));
    else if (!after.some(has)) after.push(item);
  }
  return after;
}
