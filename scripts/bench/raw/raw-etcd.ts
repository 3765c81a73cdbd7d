// The raw write rate of an etcd with the given number of writers, in a process of its own: each writer puts one value
// after the other, through Egret's etcd client. Its argument is the etcd's host:port; each message is a turn.
import { EtcdClient } from "../../../src/storage/etcd/etcd-client.ts";
import { type Limits, measure, type Step } from "../measure.ts";

export interface RawPuts {
  readonly writers: number;
  readonly valueBytes: number;
  readonly limits: Limits;
}

const client = new EtcdClient({ endpoints: [process.argv[2] ?? ""] });
let puts = 0;

async function turn({ writers, valueBytes, limits }: RawPuts): Promise<void> {
  const value = Buffer.alloc(valueBytes, "x");
  const step: Step = () => {
    const key = `/registry/k8s.ovn.org/egressips/bench-${puts++}`;
    return client.txn({ compare: [], success: [{ type: "put", key, value }] });
  };
  process.send?.(await measure(new Array<Step>(writers).fill(step), limits));
}

process.on("message", (asked: RawPuts) => void turn(asked));
process.on("disconnect", () => process.exit(0)); // the bench has ended
