import { STORIES } from "./arbitrary-steps.ts";
import { holdsAfterAny } from "./play.ts";

holdsAfterAny("the engine on a cloud", STORIES.onCloud, { histories: 600 });
