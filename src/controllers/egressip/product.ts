// In what the controllers of an older product behave otherwise (behaviour.md, section i and the rules marked 413).
import { DEFAULT_SETTINGS, type Profile } from "../kit/settings.ts";

export interface Product {
  /** Who says what is said in events. */
  readonly eventComponent: string;
  /** An EgressIP with a node carries a mark. */
  readonly marks: boolean;
  /** k8s.ovn.org/host-cidrs is read: it names secondary networks and all of a host's own addresses. */
  readonly hostCidrs: boolean;
  /** An address that cannot be had ends the search for the addresses behind it, and nothing is said in sum. */
  readonly conflictEndsSearch: boolean;
}

const PRODUCTS: Readonly<Record<Profile, Product>> = {
  "ovn-kubernetes-2026": {
    eventComponent: "ovnk-controlplane",
    marks: true,
    hostCidrs: true,
    conflictEndsSearch: false,
  },
  "openshift-4.13": {
    eventComponent: "controlplane",
    marks: false,
    hostCidrs: false,
    conflictEndsSearch: true,
  },
};

export const productOf = (profile: Profile = DEFAULT_SETTINGS.profile): Product => PRODUCTS[profile];
