// What the built package holds in one file: the command, the server for those who start it from code, and the API for
// tests.
import { main } from "./main.ts";
import { createServer } from "./server.ts";
import * as testing from "./testing/start-egret.ts";

export { createServer, main, testing };
