import { knownHeaders, knownTexts } from "../../../schemas/gateway.ts";

// Loaded before a command: it then knows no name of a gateway, so that what it decides shows to rest on the data of its run.

for (const list of [knownTexts, knownHeaders]) (list as unknown[]).length = 0;
