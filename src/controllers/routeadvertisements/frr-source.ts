// The FRRConfigurations of the cluster. Their kind is somebody else's: it is followed from the moment that it is served,
// and until then there are none.
import type { ResourceName } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { informerFor } from "../kit/informers.ts";
import type { ControllerDeps } from "../runtime/controller.ts";

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

export class FrrSource {
  /** Tells when the kind comes and goes. */
  readonly definitions: Informer;
  readonly #deps: ControllerDeps;
  readonly #controller: string;
  readonly #onChange: (configuration: KubeObject) => void;
  #informer: Informer | undefined;
  #stop = new AbortController();

  constructor(
    deps: ControllerDeps,
    controller: string,
    signal: () => AbortSignal,
    onChange: (configuration: KubeObject) => void,
  ) {
    this.#deps = deps;
    this.#controller = controller;
    this.#onChange = onChange;
    this.definitions = informerFor(deps, controller, CRDS, { fieldSelector: `metadata.name=${CRD_NAME}` });
    const look = (definition: KubeObject): void => this.#look(definition, signal());
    this.definitions.addHandlers({
      add: look,
      update: (_old, definition) => look(definition),
      delete: ({ metadata }) => {
        if (metadata.name === CRD_NAME) this.#forget();
      },
    });
  }

  list(): KubeObject[] {
    return [...(this.#informer?.list() ?? [])];
  }

  /** Resolves once all that is served was taken in. */
  async caughtUp(): Promise<void> {
    await this.#informer?.caughtUp();
  }

  #look({ metadata, ...rest }: KubeObject, signal: AbortSignal): void {
    if (metadata.name !== CRD_NAME || this.#informer || !isEstablished(rest) || signal.aborted) return;
    const informer = informerFor(this.#deps, this.#controller, FRR_CONFIGURATIONS);
    const changed = (configuration: KubeObject): void => this.#onChange(configuration);
    informer.addHandlers({
      add: changed,
      update: (_old, configuration) => changed(configuration),
      delete: changed,
    });
    this.#informer = informer;
    this.#stop = new AbortController();
    signal.addEventListener("abort", () => this.#stop.abort(), { once: true });
    informer.start(this.#stop.signal);
  }

  #forget(): void {
    const gone = this.list();
    this.#stop.abort();
    this.#informer = undefined;
    for (const configuration of gone) this.#onChange(configuration);
  }
}

function isEstablished({ status }: Record<string, unknown>): boolean {
  return JSON.stringify(status ?? {}).includes('"type":"Established"');
}
