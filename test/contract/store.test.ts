import { storeContract } from "./store-contract.ts";
import { storeFailureContract } from "./store-failure-contract.ts";
import { levelPlace, levelPlaceWithFailpoints, memoryPlace } from "./store-harness.ts";

storeContract("memory", memoryPlace);
storeContract("level", levelPlace);
storeContract("level behind failpoints that never fire", levelPlaceWithFailpoints);
storeFailureContract("memory", memoryPlace);
storeFailureContract("level", levelPlace);
