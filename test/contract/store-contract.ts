// The contract of a store, for whatever keeps it: call it once per implementation.
import type { StorePlace } from "./store-harness.ts";
import { storeHistoryContract } from "./store-history-contract.ts";
import { storeLargeContract } from "./store-large-contract.ts";
import { storeTransformContract } from "./store-transform-contract.ts";
import { storeWatchContract } from "./store-watch-contract.ts";
import { storeWriteContract } from "./store-write-contract.ts";

export function storeContract(name: string, newPlace: () => Promise<StorePlace>): void {
  storeWriteContract(name, newPlace);
  storeTransformContract(name, newPlace);
  storeLargeContract(name, newPlace);
  storeHistoryContract(name, newPlace);
  storeWatchContract(name, newPlace);
}
