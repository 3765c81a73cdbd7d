// npm run dev: the server from its source, without a build. Node starts it again whenever a file that it has read changes.
import process from "node:process";
import { endProcess } from "../src/launch/end-process.ts";
import { main } from "../src/main.ts";

void main(process.argv.slice(2), process.env).then(endProcess);
