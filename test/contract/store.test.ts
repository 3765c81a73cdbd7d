import { storeContract } from "./store-contract.ts";
import { levelPlace, levelPlaceWithFailpoints, memoryPlace } from "./store-harness.ts";

storeContract("memory", memoryPlace);
storeContract("level", levelPlace);
storeContract("level behind failpoints that never fire", levelPlaceWithFailpoints);
