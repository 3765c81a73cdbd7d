// Creates a large cluster without one request per pod. Controllers bring up one Deployment. All others are copies of
// its current state, with ReplicaSet and pods, on all nodes. The copies are imported with uid and status, and the
// controllers manage them after a resync.

import {
  cloneJson,
  objectAt,
  objectsAt,
  parsedObject,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { ipFromValue, parseCidr } from "../../apimachinery/meta/ip.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { podNetworksText, reachedNetworks } from "../../cluster/pod-agent/pod-networks.ts";
import type { Client } from "../../controller/client.ts";
import type { ControllerSettings } from "../../controller/settings.ts";

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
/** Host numbers below it belong to pods that exist already. */
const FIRST_HOST = 100n;

/** The Deployment in its current state, with its ReplicaSet and one pod; undefined: these do not exist yet. */
export async function readModel(client: Client, { namespace, name }: Place): Promise<Model | undefined> {
  const apps = (resource: string) => ({ group: "apps", version: "v1", resource });
  const deployment = await client.get(apps("deployments"), { namespace, name });
  const [replicaSet] = (await client.list(apps("replicasets"), { namespace })).items;
  const [pod] = (await client.list({ group: "", version: "v1", resource: "pods" }, { namespace })).items;
  return replicaSet && pod ? { deployment, replicaSet, pod } : undefined;
}

/** Copies a model to other namespaces and names, with a number of pods each. */
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

  /** Copies an object. Besides names and uid, only the label `app` of the object, its selector and its template differs. */
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
  /** Addresses of the node. */
  readonly addresses: readonly string[];
  /** Networks of its pods. */
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
