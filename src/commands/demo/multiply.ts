// A large cluster is not made pod by pod: one Deployment is brought to life by the controllers, and all others are copies of it
// as it stands then, with their ReplicaSets and pods, on all nodes. They are laid in as an import is, and the controllers take
// them over.
import type { Client } from "../../client/client.ts";
import type { ControllerSettings } from "../../controllers/kit/settings.ts";
import { podNetworksText, reachedNetworks } from "../../controllers/pod-agent/pod-networks.ts";
import { ipFromValue, parseCidr } from "../../meta/ip.ts";
import { cloneJson, objectAt, objectsAt, parsedObject, textAt, textsAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";

export interface Model {
  readonly deployment: KubeObject;
  readonly replicaSet: KubeObject;
  readonly pod: KubeObject;
}

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

const POD_NETWORKS = "k8s.ovn.org/pod-networks";
const NODE_SUBNETS = "k8s.ovn.org/node-subnets";
/** Below it are the addresses of pods that are there already. */
const FIRST_HOST = 100n;

/** The Deployment of that place as it stands, with its set and one of its pods; undefined: it does not live yet. */
export async function readModel(client: Client, { namespace, name }: Place): Promise<Model | undefined> {
  const apps = (resource: string) => ({ group: "apps", version: "v1", resource });
  const deployment = await client.get(apps("deployments"), { namespace, name });
  const [replicaSet] = (await client.list(apps("replicasets"), { namespace })).items;
  const [pod] = (await client.list({ group: "", version: "v1", resource: "pods" }, { namespace })).items;
  return replicaSet && pod ? { deployment, replicaSet, pod } : undefined;
}

/** The copies of a model in these places, with so many pods each. */
export class Multiplier {
  readonly #model: Model;
  readonly #nodes: readonly NodeOfPods[];
  readonly #networks: ReturnType<typeof reachedNetworks>;
  #pods = 0;
  #uids = 0;

  constructor(model: Model, nodes: readonly KubeObject[], settings: ControllerSettings) {
    this.#model = model;
    this.#nodes = nodes.map(nodeOfPods);
    this.#networks = reachedNetworks(settings);
  }

  copies(place: Place, replicas: number): KubeObject[] {
    const { deployment, replicaSet, pod } = this.#model;
    const set = `${place.name}${(replicaSet.metadata.name ?? "").slice((deployment.metadata.name ?? "").length)}`;
    const uids = [this.#uid(), this.#uid()] as const;
    const pods = Array.from({ length: replicas }, (_, index) =>
      this.#podOf(pod, { ...place, name: `${set}-${index + 10000}` }, { set, uid: uids[1], app: place.name }),
    );
    return [
      this.#copy(deployment, place, uids[0], place.name),
      owned(this.#copy(replicaSet, { ...place, name: set }, uids[1], place.name), place.name, uids[0]),
      ...pods,
    ];
  }

  #podOf(
    model: KubeObject,
    place: Place,
    { set, uid, app }: { readonly set: string; readonly uid: string; readonly app: string },
  ): KubeObject {
    const number = this.#pods++;
    const node = this.#nodes[number % this.#nodes.length];
    if (node === undefined) throw new Error("there are no nodes");
    const host = FIRST_HOST + BigInt(Math.floor(number / this.#nodes.length));
    const addresses = node.networks.map(({ family, first, prefix }) => ({
      text: ipFromValue(family, first + host).text,
      prefix,
    }));
    const pod = owned(this.#copy(model, place, this.#uid(), app), set, uid);
    pod.metadata.generateName = `${set}-`;
    const written = addresses.map(({ text, prefix }) => `${text}/${prefix}`);
    pod.metadata.annotations = {
      ...pod.metadata.annotations,
      [POD_NETWORKS]: podNetworksText(written, this.#networks),
    };
    const podIPs = addresses.map(({ text }) => ({ ip: text }));
    const hostIPs = node.addresses.map((ip) => ({ ip }));
    Object.assign(objectAt(pod, "spec") ?? {}, { nodeName: node.name });
    Object.assign(objectAt(pod, "status") ?? {}, {
      ...{ podIPs, podIP: podIPs[0]?.ip, hostIPs, hostIP: hostIPs[0]?.ip },
    });
    return pod;
  }

  /** The label `app` of the object, of its selector and of its template is the only thing that differs. */
  #copy(model: KubeObject, { namespace, name }: Place, uid: string, app: string): KubeObject {
    const copy: KubeObject = cloneJson(model);
    const { resourceVersion: _version, managedFields: _fields, ...metadata } = copy.metadata;
    copy.metadata = { ...metadata, namespace, name, uid };
    const spec = objectAt(copy, "spec");
    const labels = [
      copy.metadata.labels,
      objectAt(objectAt(spec, "selector"), "matchLabels"),
      objectAt(objectAt(objectAt(spec, "template"), "metadata"), "labels"),
    ];
    for (const one of labels) if (one?.["app"] !== undefined) one["app"] = app;
    return copy;
  }

  #uid(): string {
    return `de300000-0000-4000-8000-${(++this.#uids).toString(16).padStart(12, "0")}`;
  }
}

function owned(object: KubeObject, name: string, uid: string): KubeObject {
  for (const owner of object.metadata.ownerReferences ?? []) Object.assign(owner, { name, uid });
  return object;
}

interface NodeOfPods {
  readonly name: string;
  /** Its own. */
  readonly addresses: readonly string[];
  /** Of its pods. */
  readonly networks: readonly NonNullable<ReturnType<typeof parseCidr>>[];
}

function nodeOfPods(node: KubeObject): NodeOfPods {
  const subnets = parsedObject(node.metadata.annotations?.[NODE_SUBNETS]);
  return {
    name: node.metadata.name ?? "",
    addresses: objectsAt(objectAt(node, "status"), "addresses")
      .filter((one) => textAt(one, "type") === "InternalIP")
      .map((one) => textAt(one, "address")),
    networks: textsAt(subnets, "default").flatMap((text) => parseCidr(text) ?? []),
  };
}
