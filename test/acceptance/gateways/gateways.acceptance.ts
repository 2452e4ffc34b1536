import { acceptRows } from "../accept.ts";
import { correctConfigurations } from "./correct.ts";
import { rowsOf } from "./row-of.ts";
import { wrongConfigurations } from "./wrong.ts";

// Real gateways and caches, correct and misconfigured, in front of a second implementation of the spec.

acceptRows([...correctConfigurations, ...wrongConfigurations].flatMap((one) => rowsOf(one)));
