import { createRequire } from "node:module";
import type * as Undici from "undici";

// Its index also loads fetch, caches and mocks: 40 ms of CPU and 10 MB that stay beside k6 for the whole run.
const require = createRequire(import.meta.url);
const part = (path: string) => require(`undici/lib/${path}.js`);

/** As exported by undici, without the rest of it. */
export const Agent: typeof Undici.Agent = part("dispatcher/agent");
/** As exported by undici. */
export const ProxyAgent: typeof Undici.ProxyAgent = part("dispatcher/proxy-agent");
/** As exported by undici. */
export const buildConnector: typeof Undici.buildConnector = part("core/connect");

// `request` and the other methods of a dispatcher, which its index adds too.
Object.assign(part("dispatcher/dispatcher").prototype, part("api/index"));
