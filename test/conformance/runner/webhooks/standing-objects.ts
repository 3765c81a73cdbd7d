// The objects that the runner has created on the server and not removed yet: first those of a setup, then those of a case.
import { setTimeout as delay } from "node:timers/promises";
import type { Target } from "../target.ts";
import type { MadeObject } from "./case-book.ts";
import type { Hook } from "./hook.ts";

const TRIES = 20;
const TRY_AGAIN_MS = 100;
const NAMESPACE = /^\/api\/v1\/namespaces\/([^/]+)$/;
const MERGE_PATCH = { "content-type": "application/merge-patch+json" };

export class StandingObjects {
  readonly #target: Target;
  readonly #hook: Hook;
  #paths: string[] = [];

  constructor(target: Target, hook: Hook) {
    this.#target = target;
    this.#hook = hook;
  }

  get count(): number {
    return this.#paths.length;
  }

  add(path: string): void {
    this.#paths.push(path);
  }

  /** Rejects when the server does not create it. */
  async create({ path, body }: MadeObject): Promise<void> {
    const { status, raw } = await this.#target.send({ method: "POST", path, body });
    if (status !== 201) throw new Error(`${path} ${body.metadata.name} was not made: ${status} ${raw}`);
    this.add(`${path}/${body.metadata.name}`);
  }

  async removeLast(): Promise<void> {
    const path = this.#paths.pop();
    if (path !== undefined) await this.#remove(path);
  }

  /**
   * Removes the newest until so many are left. Objects that a webhook of the setup protects are removed after the webhook.
   */
  async removeDownTo(count: number): Promise<void> {
    for (const path of this.#paths.splice(count).reverse())
      if (!(await this.#remove(path))) this.#paths.splice(1, 0, path);
  }

  /** Gives up on an object after several attempts. */
  async removeAll(): Promise<void> {
    for (let tries = 0; this.#paths.length > 0; ) {
      const path = this.#paths.at(-1) ?? "";
      if ((await this.#remove(path)) || tries++ >= TRIES) this.#paths.pop();
      else await delay(TRY_AGAIN_MS);
    }
  }

  /** Returns whether the object is deleted; a webhook may have denied it. */
  async #remove(path: string): Promise<boolean> {
    this.#hook.answers = {};
    try {
      const { status } = await this.#target.send({ method: "DELETE", path: `${path}?gracePeriodSeconds=0` });
      if (status === 404 || status === 405) return true;
      const body = { metadata: { finalizers: null } };
      await this.#target.send({ method: "PATCH", path, headers: MERGE_PATCH, body });
      await this.#finalize(path);
      return status < 300;
    } catch {
      return false;
    }
  }

  /** Replaces the namespace controller, which does not run. */
  async #finalize(path: string): Promise<void> {
    const name = NAMESPACE.exec(path)?.[1];
    if (name === undefined) return;
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name }, spec: { finalizers: [] } };
    await this.#target.send({ method: "PUT", path: `${path}/finalize`, body });
  }
}
