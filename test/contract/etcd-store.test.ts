// The contract of a store, kept by one whose data is in a real etcd.
import { describe } from "vitest";
import { etcdProblem } from "../support/etcd.ts";
import { storeContract } from "./store-contract.ts";
import { etcdPlace } from "./store-harness.ts";

const problem = etcdProblem();

describe.skipIf(problem !== undefined)(
  `etcd${problem === undefined ? "" : ` (left out: ${problem})`}`,
  () => {
    storeContract("etcd", etcdPlace, { isSole: false });
  },
);
