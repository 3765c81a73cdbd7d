// A small controller: keeps the number of ConfigMaps of each namespace in an annotation of the namespace.
import {
  CoreV1Api,
  type Informer,
  type KubeConfig,
  makeInformer,
  type ObjectCache,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
} from "@kubernetes/client-node";

export const COUNT = "example.com/configmaps";
const RETRY_MS = 50;

export class ConfigMapCounter {
  readonly #core: CoreV1Api;
  readonly #informer: Informer<V1ConfigMap> & ObjectCache<V1ConfigMap>;
  readonly #pending = new Set<string>();
  #working: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(config: KubeConfig) {
    const core = config.makeApiClient(CoreV1Api);
    this.#core = core;
    this.#informer = makeInformer(config, "/api/v1/configmaps", () => core.listConfigMapForAllNamespaces());
    for (const verb of ["add", "delete"] as const) {
      this.#informer.on(verb, ({ metadata }: V1ConfigMap) => this.#enqueue(metadata?.namespace ?? ""));
    }
    // A failed watch is started again.
    this.#informer.on("error", () => void setTimeout(() => this.#restart(), RETRY_MS));
  }

  async start(): Promise<void> {
    await this.#informer.start();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#informer.stop();
    await this.#working;
  }

  #restart(): void {
    if (!this.#stopped) this.#informer.start().catch(() => setTimeout(() => this.#restart(), RETRY_MS));
  }

  /** A namespace is queued once, however often it is enqueued. */
  #enqueue(namespace: string): void {
    if (this.#pending.has(namespace) || this.#stopped) return;
    this.#pending.add(namespace);
    this.#working = this.#working.then(() => this.#work(namespace));
  }

  async #work(namespace: string): Promise<void> {
    this.#pending.delete(namespace);
    try {
      await this.#reconcile(namespace);
    } catch {
      setTimeout(() => this.#enqueue(namespace), RETRY_MS);
    }
  }

  async #reconcile(name: string): Promise<void> {
    const count = this.#informer.list(name).length;
    const body = { metadata: { annotations: { [COUNT]: String(count) } } };
    const merge = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
    await this.#core.patchNamespace({ name, body }, merge);
  }
}
