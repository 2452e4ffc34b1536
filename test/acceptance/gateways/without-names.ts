import { knownTexts } from "../../../schemas/gateway.ts";

// Loaded before a command: it then knows no name of a gateway, so that what it decides shows to rest on the data of its run.

(knownTexts as unknown[]).length = 0;
