// The shared worker: one for all tabs of a browser, so that another tab costs the server nothing.
import { browserClock } from "../frame/browser-clock.ts";
import { httpTransport } from "./http-transport.ts";
import { servePort } from "./port-feed.ts";
import { ServerFeed } from "./server-feed.ts";

const feed = new ServerFeed(httpTransport, browserClock);

addEventListener("connect", (event) => {
  for (const port of (event as MessageEvent).ports) servePort(feed, port);
});
