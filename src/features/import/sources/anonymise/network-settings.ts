// Of ConfigMaps only the cluster's network configuration is kept: without it the role of an address is unknown.

import type { JsonObject } from "../../../../apimachinery/json/json.ts";
import { objectAt, setOwn, textAt } from "../../../../apimachinery/json/json.ts";
import type { KubeObject } from "../../../../apimachinery/meta/object-meta.ts";
import type { Texts } from "./texts.ts";

/** Where clusters store it: namespace, name, key, and the lines to keep, or the whole text. */
const SETTINGS: readonly (readonly [configMap: string, key: string, lines?: RegExp])[] = [
  ["openshift-ovn-kubernetes/ovnkube-config", "ovnkube.conf", /^\s*(cluster-subnets|service-cidrs)\s*=.*$/gm],
  ["ovn-kubernetes/ovn-config", "net_cidr"],
  ["ovn-kubernetes/ovn-config", "svc_cidr"],
  ["kube-system/kubeadm-config", "ClusterConfiguration", /^\s*(podSubnet|serviceSubnet):.*$/gm],
];
/** The name of a setting, and its value. */
const SETTING = /^(\s*[\w-]+\s*[=:])(.*)$/;

/** The data of a ConfigMap that is kept. */
export function networkSettings({ metadata, ...rest }: Readonly<KubeObject>, texts: Texts): JsonObject {
  const data: JsonObject = {};
  for (const [configMap, key, lines] of SETTINGS) {
    const text = textAt(objectAt(rest, "data"), key);
    if (configMap !== `${metadata.namespace}/${metadata.name}` || text === "") continue;
    const kept =
      lines === undefined
        ? texts.text(text)
        : (text.match(lines) ?? []).map((line) => settingUnder(line, texts));
    setOwn(data, key, typeof kept === "string" ? kept : kept.join("\n"));
  }
  return Object.keys(data).length === 0 ? {} : { data };
}

function settingUnder(line: string, texts: Texts): string {
  const [, name = "", value = ""] = SETTING.exec(line) ?? [];
  return `${name}${texts.text(value)}`;
}
