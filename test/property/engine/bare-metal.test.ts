import { STORIES } from "./arbitrary-steps.ts";
import { holdsAfterAny } from "./play.ts";

holdsAfterAny("the engine off the cloud", STORIES.bareMetal, { histories: 600 });
