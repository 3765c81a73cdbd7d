// The store contract: call it once per implementation.
import type { StorageBackend } from "./store-harness.ts";
import { storeHistoryContract } from "./store-history-contract.ts";
import { storeAtomicContract, storeLargeContract } from "./store-large-contract.ts";
import { storeTransformContract } from "./store-transform-contract.ts";
import { storeWatchContract } from "./store-watch-contract.ts";
import { storeWriteContract } from "./store-write-contract.ts";

export interface ContractOptions {
  /**
   * Only this process writes. Then operations issued together get their revisions in that order. A transform of everything
   * is one revision for each commit of its plan, however large, and readers never observe a part of it.
   */
  readonly isSole?: boolean;
}

export function storeContract(
  name: string,
  newPlace: () => Promise<StorageBackend>,
  { isSole = true }: ContractOptions = {},
): void {
  storeWriteContract(name, newPlace, isSole);
  storeTransformContract(name, newPlace);
  storeLargeContract(name, newPlace);
  if (isSole) storeAtomicContract(name, newPlace);
  storeHistoryContract(name, newPlace);
  storeWatchContract(name, newPlace);
}
