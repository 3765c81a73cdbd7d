#!/bin/sh
# A suite in shell with kubectl. Run it with a server of its own:
#
#     egret run -- sh suite.sh
#
# kubectl finds the server by KUBECONFIG, which `egret run` sets. The suite ends with 0 when all is well.
set -eu
cd "$(dirname "$0")"

check() { # WHAT FOUND WANTED
  if [ "$2" != "$3" ]; then
    echo "not ok - $1: '$2' is not '$3'" >&2
    exit 1
  fi
  echo "ok - $1"
}

assigned() { kubectl get egressip web -o jsonpath='{.status.items[*].node}'; }

kubectl apply --server-side -f nodes.yaml >/dev/null
kubectl apply --server-side -f egress-ip.yaml >/dev/null
kubectl wait egressip/web --for=jsonpath='{.status.items[0].node}'=node-a --timeout=10s >/dev/null
check 'an egress IP goes to a node that may host it' "$(assigned)" node-a

kubectl label node node-a k8s.ovn.org/egress-assignable- >/dev/null
kubectl wait egressip/web --for=jsonpath='{.status.items[0].node}'=node-b --timeout=10s >/dev/null
check 'it moves when the node may no longer' "$(assigned)" node-b

if kubectl create -f wrong.yaml >/dev/null 2>&1; then created=yes; else created=no; fi
check 'an address that is none is refused' "$created" no
