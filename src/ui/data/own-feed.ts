// Feed of a tab that holds the watches itself.
import { browserClock } from "../frame/browser-clock.ts";
import { httpTransport } from "./http-transport.ts";
import { feedOf, ServerFeed } from "./server-feed.ts";

export const ownFeed = feedOf(new ServerFeed(httpTransport, browserClock));
