import { STORIES } from "./arbitrary-steps.ts";
import { holdsAfterAny } from "./play.ts";

holdsAfterAny("the engine of OpenShift 4.13", STORIES.older, { histories: 800 });
