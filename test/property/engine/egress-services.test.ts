import { STORIES } from "./arbitrary-steps.ts";
import { holdsAfterAny } from "./play.ts";

holdsAfterAny("the engine of EgressServices", STORIES.services, { histories: 200 });
