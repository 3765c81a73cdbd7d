// The FRRConfigurations of the cluster. Their kind is somebody else's: it is followed from the moment that it is served,
// and until then there are none.
import type { ResourceName } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { follow } from "../kit/define-controller.ts";
import type { Change, Kit } from "../kit/definition.ts";

export const FRR_CONFIGURATIONS: ResourceName = {
  group: "frrk8s.metallb.io",
  version: "v1beta1",
  resource: "frrconfigurations",
};
const CRDS: ResourceName = {
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
};
const CRD_NAME = `${FRR_CONFIGURATIONS.resource}.${FRR_CONFIGURATIONS.group}`;

/** Tells when the kind comes and goes. */
export const FRR_DEFINITION = { resource: CRDS, list: { fieldSelector: `metadata.name=${CRD_NAME}` } };

export class FrrSource {
  readonly #kit: Kit;
  readonly #onChange: (configuration: KubeObject) => void;
  #informer: Informer | undefined;
  #stop = new AbortController();

  constructor(kit: Kit, onChange: (configuration: KubeObject) => void) {
    this.#kit = kit;
    this.#onChange = onChange;
    kit.signal.addEventListener("abort", () => this.#stop.abort(), { once: true });
  }

  list(): KubeObject[] {
    return [...(this.#informer?.list() ?? [])];
  }

  /** Resolves once all that is served was taken in. */
  async caughtUp(): Promise<void> {
    await this.#informer?.caughtUp();
  }

  takeDefinition({ type, object }: Change): void {
    if (object.metadata.name !== CRD_NAME) return;
    if (type === "delete") this.#forget();
    else if (!this.#informer && isEstablished(object) && !this.#kit.signal.aborted) this.#follow();
  }

  #follow(): void {
    const changed = (configuration: KubeObject): void => this.#onChange(configuration);
    this.#stop = new AbortController();
    this.#informer = follow(this.#kit, FRR_CONFIGURATIONS, {
      signal: this.#stop.signal,
      add: changed,
      update: (_old, configuration) => changed(configuration),
      delete: changed,
    });
  }

  #forget(): void {
    const gone = this.list();
    this.#stop.abort();
    this.#informer = undefined;
    for (const configuration of gone) this.#onChange(configuration);
  }
}

function isEstablished({ status }: KubeObject): boolean {
  return JSON.stringify(status ?? {}).includes('"type":"Established"');
}
