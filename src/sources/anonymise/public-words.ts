// What may be told to everybody: words of Kubernetes, of OpenShift and of ovn-kubernetes, and the domains below which they name
// their groups, labels and annotations.

/** Words of names and values that say nothing of whose cluster it is. */
const WORDS = new Set(
  `kube kubernetes system public node nodes lease default openshift ovn ovnkube config cluster version master worker control
  plane controlplane infra egress ingress gateway true false none null linux windows amd64 arm64 ppc64le s390x aws gce gcp azure openstack
  vsphere kind baremetalhost baremetal ibmcloud nutanix external eni nic br ex int shared local primary secondary
  layer2 layer3 localnet overlay tcp udp sctp http https svc apiserver controller manager scheduler proxy etcd coredns dns
  dnsname com org net io internal kubelet kubectl kubeadm before after server service account
  admin view edit monitoring operator operators cloud network networks ipv4 ipv6 ip ips mac all any docker containerd
  cri pod pods namespace namespaces serviceaccount mode interface bridge address addresses id mtu vlan port enable hop hops next
  capacity ifaddr role gateway gateways routes route dest tunnel name type subnets subnet host cidrs cidr zone region
  sha256 json yaml k8s cni exgw critical host device macvlan ipvlan sriov whereabouts static dhcp multus app labels label selector left out empty`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** Versions of an API, and numbers that count or measure something. */
const COUNTS =
  /^(\d{1,5}([mkuns]|[KMGTPE]i?|h|ms|us|ns)?|(\d{1,4}(h|m|s|ms)){2,3}|v\d{1,3}((alpha|beta)\d{1,2})?|nic\d{1,3}|eth\d{1,3})$/;

/** A word that is put together of public ones is public, too: nextHop. */
export const isPublicWord = (word: string): boolean =>
  COUNTS.test(word) || WORDS.has(word) || (/[a-z][A-Z]/.test(word) && word.split(/(?=[A-Z])/).every(isPart));
const isPart = (part: string): boolean => WORDS.has(part.toLowerCase());

const DOMAINS =
  /(^|\.)(k8s\.io|kubernetes\.io|x-k8s\.io|openshift\.io|openshift\.com|ovn\.org|cncf\.io|coreos\.com|metal3\.io|kubevirt\.io|istio\.io|cert-manager\.io|projectcalico\.org|cilium\.io|helm\.sh|argoproj\.io|velero\.io|tigera\.io|knative\.dev|egret\.dev|metallb\.io|frrouting\.org)$/;

/** Groups without a domain are Kubernetes' own. */
export const isPublicDomain = (domain: string): boolean => !domain.includes(".") || DOMAINS.test(domain);

/** Below these what follows the slash is whatever people say. */
const OF_PEOPLE =
  /^(node-role\.kubernetes\.io|node-restriction\.kubernetes\.io|container\.(apparmor|seccomp)\.security\..*kubernetes\.io)$/;

/** Labels that Kubernetes gives, older than its domains. */
const BARE_KEYS = new Set(
  "job-name controller-uid pod-template-hash controller-revision-hash pod-template-generation".split(" "),
);

/** Keys of labels, annotations and finalizers that are public as a whole. */
export function isPublicKey(key: string): boolean {
  if (BARE_KEYS.has(key)) return true;
  const [domain = "", ...names] = key.split("/");
  return DOMAINS.test(domain) && !OF_PEOPLE.test(domain) && names.length <= 1;
}
