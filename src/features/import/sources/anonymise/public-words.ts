// Words that are public because Kubernetes, OpenShift and ovn-kubernetes use them in every cluster, and the domains of
// their groups, labels and annotations. Unlisted words are changed, also below a public domain.
import { BARE_KEYS, KEYS } from "./key-words.ts";

/** Words of names and values that do not identify a cluster. */
const WORDS = new Set(
  `kube kubernetes system public node nodes lease default openshift ovn ovnkube config cluster version master worker control
  plane controlplane infra egress ingress gateway true false none null linux windows amd64 arm64 ppc64le s390x aws gce gcp azure openstack
  vsphere kind baremetalhost baremetal ibmcloud nutanix external eni nic br ex int shared local primary secondary
  layer2 layer3 localnet overlay tcp udp sctp http https svc apiserver controller manager scheduler proxy etcd coredns dns
  dnsname com org net io internal kubelet kubectl kubeadm before after server service account
  admin view edit monitoring operator operators cloud network networks ipv4 ipv6 ip ips mac all any docker containerd
  cri pod pods namespace namespaces serviceaccount mode interface bridge address addresses id mtu vlan port enable hop hops next
  capacity ifaddr role gateway gateways routes route dest tunnel name type subnets subnet host cidrs cidr zone region
  sha256 json yaml k8s cni exgw critical host device macvlan ipvlan sriov whereabouts static dhcp multus app labels label selector left out empty
  metadata annotations spec status containers`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** API versions; numbers of one or two digits, as in ordinals and short durations; names of network interfaces. */
const COUNTS = /^(\d{1,2}|(\d{1,2}(h|m|s|ms)){1,3}|v\d{1,2}((alpha|beta)\d{1,2})?|nic\d{1,2}|eth\d{1,2})$/;

/** A compound of public words is public, too: nextHop. */
export const isPublicWord = (word: string): boolean =>
  COUNTS.test(word) || WORDS.has(word) || (/[a-z][A-Z]/.test(word) && word.split(/(?=[A-Z])/).every(isPart));
const isPart = (part: string): boolean => WORDS.has(part.toLowerCase());

/** Suffixes of the products' groups and domains. */
const DOMAINS =
  /(?:^|\.)(k8s\.io|kubernetes\.io|x-k8s\.io|openshift\.io|openshift\.com|ovn\.org|cncf\.io|coreos\.com|egret\.dev|metallb\.io)$/;

/** Words in front of these suffixes. */
const DOMAIN_WORDS = new Set(
  `admission admissionregistration alpha apf apidiscovery apiextensions apiregistration app apps apparmor authentication
  authorization autoscaling batch beta certificates cloudprovider config console container coordination csi custom deployment
  discovery endpoints endpointslice events external failure domain flowcontrol frrk8s gateway helm imageregistry ingressclass
  internal ipaddress job policy kubectl kubelet machine machineconfiguration metrics networking oauth pod project quota rbac release
  resource restriction route samples scheduler scheduling seccomp security service statefulset storage storageclass target
  template topology tuned user volume volumes workload pv protection aggregator cronjob controller control plane credentials
  rbac node lease cluster operators deviceclass`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** Groups without a domain. */
const DOTLESS_GROUPS = new Set(["", "*", "apps", "batch", "autoscaling", "policy", "extensions"]);

function isPublicName(domain: string): boolean {
  const base = DOMAINS.exec(domain)?.[1];
  if (base === undefined) return false;
  const words = domain.slice(0, -base.length).split(/[.-]/).filter(Boolean);
  return words.every((word) => isPublicWord(word) || DOMAIN_WORDS.has(word));
}

/** Whether a group, or the domain of a key, is one of the products'. */
export const isPublicDomain = (domain: string): boolean =>
  domain.includes(".") ? isPublicName(domain) : DOTLESS_GROUPS.has(domain);

/** Keys that are public as a whole: listed ones, and those of public words below a public domain. */
export function isPublicKey(key: string): boolean {
  if (KEYS.has(key) || BARE_KEYS.has(key)) return true;
  const [domain = "", name, ...more] = key.split("/");
  return name !== undefined && more.length === 0 && isPublicName(domain) && wordsOf(name).every(isPublicWord);
}

const wordsOf = (name: string): string[] => name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);

/** Resource names without a domain, as in node capacities and quotas. */
const RESOURCE_NAME =
  /^((requests|limits)\.)?(cpu|memory|storage|ephemeral-storage|pods|hugepages-\d{1,4}[KMG]i)$|^(configmaps|persistentvolumeclaims|replicationcontrollers|resourcequotas|secrets|services|services\.(loadbalancers|nodeports))$/;

export const isResourceName = (name: string): boolean => RESOURCE_NAME.test(name);
