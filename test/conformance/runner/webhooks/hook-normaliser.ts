// Normalises what conforming servers answer differently about webhooks, in addition to the general differences: the
// address and the CA of the webhook, the peer of a connection, generated names, addresses of Services, the caller.
import { isObject, type JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { Normaliser } from "../normalise.ts";
import type { HookCall } from "./hook.ts";

const COMPARED_HEADERS = ["content-type", "accept", "accept-encoding", "user-agent"];
const TIME_INSIDE = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;
const REVISION_INSIDE = /"resourceVersion":"\d+"/g;
const CONNECTION = /127\.0\.0\.1:\d+->/g;
const GENERATED = /\bgen-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g;
const SERVICE_ADDRESS = /\b10\.96\.\d+\.\d+\b/g;

export interface HookFacts {
  readonly id: string;
  /** Base64, as in caBundle. */
  readonly ca: string;
  /** HOST:PORT of the webhook. */
  readonly address: string;
  /** The user name of the runner. */
  readonly caller: string;
}

export class HookNormaliser extends Normaliser {
  readonly #facts: HookFacts;

  constructor(facts: HookFacts) {
    super(facts.id);
    this.#facts = facts;
  }

  override text(text: string): string {
    const { ca, address, caller } = this.#facts;
    return super
      .text(text)
      .replaceAll(ca, "<ca>")
      .replace(TIME_INSIDE, (time) => super.text(time))
      .replace(REVISION_INSIDE, '"resourceVersion":"<rv>"')
      .replaceAll(address, "<hook>")
      .replace(CONNECTION, "<address>->")
      .replace(GENERATED, "gen-<random>")
      .replace(SERVICE_ADDRESS, "<service address>")
      .replaceAll(`User "${caller}"`, 'User "<caller>"');
  }

  /** The whole body of a call or of an answer. */
  body(body: unknown): unknown {
    return this.value(this.#withoutChance(body));
  }

  call({ method, path, body }: HookCall): JsonObject {
    return { method, path: this.text(path), body: this.body(body) };
  }

  /** Only the name of a user agent, without its version. */
  callHeaders({ headers }: HookCall): JsonObject {
    const shown = (name: string) => {
      const value = headers[name];
      return typeof value === "string" ? value.replace(/^(kube-apiserver[^/]*)\/.*/, "$1") : null;
    };
    return Object.fromEntries(COMPARED_HEADERS.map((name) => [name, shown(name)]));
  }

  /** A copy in which symbols replace what only the name of a member and its neighbors identify. */
  #withoutChance(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#withoutChance(item));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, this.#member(name, item, value)]),
    );
  }

  #member(name: string, item: unknown, parent: JsonObject): unknown {
    if (name === "userInfo" && isObject(item) && item["username"] === this.#facts.caller) return "<caller>";
    if (name === "uid" && parent["requestKind"]) return "<review>";
    // Their order depends on the second of a write.
    if (name === "managedFields" && Array.isArray(item))
      return [...item]
        .sort((a, b) => (writerOf(a) < writerOf(b) ? -1 : 1))
        .map((entry) => this.#withoutChance(entry));
    return this.#withoutChance(item);
  }
}

function writerOf(entry: unknown): string {
  const { manager, operation, apiVersion, subresource } = isObject(entry) ? entry : {};
  return [manager, operation, apiVersion, subresource].join();
}
