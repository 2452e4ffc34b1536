#!/usr/bin/env node
// The command of the package and, by the link shelfcheck.ts beside it, of a checkout. Written for any Node, however
// old, so that one that is too old hears of it from us and not by a syntax error or a file that it cannot load: no
// syntax and no API here that is newer than 2015.
"use strict";

var least = 24;

if (Number.parseInt(process.versions.node, 10) < least) {
  process.stderr.write(
    "shelfcheck needs Node " +
      least +
      " or newer, and this is Node " +
      process.versions.node +
      ".\n" +
      "Install a newer one (https://nodejs.org), or only for this project: npm install -D node@" +
      least +
      "\n",
  );
  process.exitCode = 3;
} else {
  // Sources in a checkout, where Node strips their types; JavaScript in the package.
  import(require("node:fs").existsSync(`${__dirname}/entry.ts`) ? "./entry.ts" : "../dist/scripts/entry.js");
}
