#!/usr/bin/env node
// The command of the package and, through the link shelfcheck.ts beside it, of a checkout. Uses only syntax and APIs from
// 2015, so that an old Node prints the message below and not a syntax error.
"use strict";

var least = 24;
var isCheckout;

if (Number.parseInt(process.versions.node, 10) < least) {
  process.stderr.write(
    "shelfcheck needs Node " +
      least +
      " or newer; this is Node " +
      process.versions.node +
      ".\n" +
      "Install a newer Node (https://nodejs.org), or one for this project only: npm install -D node@" +
      least +
      ", then start this program with npx. A clone of shelfcheck has its own Node in node_modules/.bin.\n",
  );
  process.exitCode = 3;
} else {
  // In a checkout the TypeScript sources, in the package the compiled JavaScript.
  isCheckout = require("node:fs").existsSync(`${__dirname}/entry.ts`);
  // Removing the types takes most of the time of a short command, so Node keeps the result.
  if (isCheckout) require("node:module").enableCompileCache(`${__dirname}/../../node_modules/.cache/node`);
  import(isCheckout ? "./entry.ts" : "../../dist/scripts/cli/entry.js");
}
