// Labels, annotations, taints and finalizers that Kubernetes, OpenShift, ovn-kubernetes and Egret define.

/** Exactly these are public. Of other keys below a public domain the part behind the slash is changed. */
export const KEYS: ReadonlySet<string> = new Set(
  `apf.kubernetes.io/autoupdate-spec app.kubernetes.io/component app.kubernetes.io/instance
  app.kubernetes.io/managed-by app.kubernetes.io/name app.kubernetes.io/part-of app.kubernetes.io/version
  apps.kubernetes.io/pod-index authentication.kubernetes.io/credential-id batch.kubernetes.io/controller-uid
  batch.kubernetes.io/cronjob-scheduled-timestamp batch.kubernetes.io/job-name
  batch.kubernetes.io/job-tracking beta.kubernetes.io/arch beta.kubernetes.io/instance-type
  beta.kubernetes.io/os cloud.network.openshift.io/egress-ipconfig
  cloudprivateipconfig.cloud.network.openshift.io/finalizer cluster-autoscaler.kubernetes.io/safe-to-evict
  control-plane.alpha.kubernetes.io/leader controller.kubernetes.io/hash
  controller.kubernetes.io/pod-deletion-cost csi.volume.kubernetes.io/nodeid
  deployment.kubernetes.io/desired-replicas deployment.kubernetes.io/max-replicas
  deployment.kubernetes.io/revision deployment.kubernetes.io/revision-history egret.dev/failed
  endpoints.kubernetes.io/last-change-trigger-time endpoints.kubernetes.io/managed-by
  endpoints.kubernetes.io/over-capacity endpointslice.kubernetes.io/managed-by
  endpointslice.kubernetes.io/skip-mirror failure-domain.beta.kubernetes.io/region
  failure-domain.beta.kubernetes.io/zone helm.sh/chart ingressclass.kubernetes.io/is-default-class
  ipaddress.kubernetes.io/ip-family ipaddress.kubernetes.io/managed-by k8s.ovn.org/acl-logging
  k8s.ovn.org/bfd-enabled k8s.ovn.org/egress-assignable k8s.ovn.org/egressip-mark
  k8s.ovn.org/egressip-owner-ref k8s.ovn.org/gateway-mtu-support k8s.ovn.org/host-addresses
  k8s.ovn.org/host-cidrs k8s.ovn.org/hybrid-overlay-node-subnet k8s.ovn.org/l3-gateway-config
  k8s.ovn.org/layer2-topology-version k8s.ovn.org/multicast-enabled k8s.ovn.org/network-id
  k8s.ovn.org/network-ids k8s.ovn.org/network-name k8s.ovn.org/node-chassis-id k8s.ovn.org/node-encap-ips
  k8s.ovn.org/node-gateway-router-lrp-ifaddr k8s.ovn.org/node-id k8s.ovn.org/node-masquerade-subnet
  k8s.ovn.org/node-mgmt-port k8s.ovn.org/node-mgmt-port-mac-addresses k8s.ovn.org/node-primary-ifaddr
  k8s.ovn.org/node-subnets k8s.ovn.org/node-transit-switch-port-ifaddr k8s.ovn.org/open-default-ports
  k8s.ovn.org/pod-networks k8s.ovn.org/primary-udn-ipamclaim k8s.ovn.org/primary-user-defined-network
  k8s.ovn.org/remote-zone-migrated k8s.ovn.org/route-advertisements k8s.ovn.org/routing-external-gws
  k8s.ovn.org/routing-namespaces k8s.ovn.org/udn-layer2-node-gateway-router-lrp-tunnel-ids
  k8s.ovn.org/uplink-protection k8s.ovn.org/user-defined-network k8s.ovn.org/user-defined-network-protection
  k8s.ovn.org/vtep-protection k8s.ovn.org/vteps k8s.ovn.org/zone-name k8s.v1.cni.cncf.io/network-status
  k8s.v1.cni.cncf.io/networks kube-aggregator.kubernetes.io/automanaged kubeadm.alpha.kubernetes.io/cri-socket
  kubectl.kubernetes.io/last-applied-configuration kubernetes.io/arch kubernetes.io/config.hash
  kubernetes.io/config.mirror kubernetes.io/config.seen kubernetes.io/config.source kubernetes.io/hostname
  kubernetes.io/ingress.class kubernetes.io/metadata.name kubernetes.io/os kubernetes.io/pv-protection
  kubernetes.io/pvc-protection kubernetes.io/service-name machine.openshift.io/machine
  machineconfiguration.openshift.io/currentConfig machineconfiguration.openshift.io/desiredConfig
  machineconfiguration.openshift.io/state node-role.kubernetes.io/control-plane node-role.kubernetes.io/infra
  node-role.kubernetes.io/master node-role.kubernetes.io/worker node.cloudprovider.kubernetes.io/uninitialized
  node.kubernetes.io/disk-pressure node.kubernetes.io/exclude-from-external-load-balancers
  node.kubernetes.io/instance-type node.kubernetes.io/memory-pressure node.kubernetes.io/network-unavailable
  node.kubernetes.io/not-ready node.kubernetes.io/out-of-service node.kubernetes.io/pid-pressure
  node.kubernetes.io/unreachable node.kubernetes.io/unschedulable openshift.io/cluster-monitoring
  openshift.io/description openshift.io/display-name openshift.io/node-selector openshift.io/requester
  openshift.io/sa.scc.mcs openshift.io/sa.scc.supplemental-groups openshift.io/sa.scc.uid-range
  openshift.io/scc pod-security.kubernetes.io/enforce pod-security.kubernetes.io/enforce-version
  pod-security.kubernetes.io/warn projectcalico.org/IPv4Address rbac.authorization.kubernetes.io/autoupdate
  release.openshift.io/version resource.kubernetes.io/admin-access scheduler.alpha.kubernetes.io/critical-pod
  seccomp.security.alpha.kubernetes.io/pod security.alpha.kubernetes.io/sysctls
  security.alpha.kubernetes.io/unsafe-sysctls security.openshift.io/scc.podSecurityLabelSync
  service.beta.kubernetes.io/load-balancer-source-ranges service.kubernetes.io/headless
  service.kubernetes.io/load-balancer-cleanup service.kubernetes.io/topology-aware-hints
  service.kubernetes.io/topology-mode statefulset.kubernetes.io/pod-name
  storageclass.beta.kubernetes.io/is-default-class storageclass.kubernetes.io/is-default-class
  target.workload.openshift.io/management topology.kubernetes.io/region topology.kubernetes.io/zone
  v1.multus-cni.io/default-network volume.beta.kubernetes.io/mount-options
  volume.beta.kubernetes.io/storage-class volumes.kubernetes.io/controller-managed-attach-detach`
    .split(/\s+/)
    .filter((key) => key !== ""),
);

/** Labels and finalizers without a domain, older than domains. */
export const BARE_KEYS: ReadonlySet<string> = new Set(
  `job-name controller-uid pod-template-hash controller-revision-hash pod-template-generation foregroundDeletion orphan
  kubernetes`.split(/\s+/),
);
