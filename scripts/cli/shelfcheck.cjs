#!/usr/bin/env node
// The command of the package and of a checkout. With syntax and APIs of 2015, an old Node prints the message below
// and not a syntax error.
"use strict";

var least = 24;
var root;

if (Number.parseInt(process.versions.node, 10) >= least) {
  // In a checkout the TypeScript sources, in the package the compiled JavaScript.
  root = require("node:fs").existsSync(`${__dirname}/main.ts`) ? `${__dirname}/../..` : undefined;
  // Removing the types takes most of the time of a short command, so Node keeps the result.
  if (root !== undefined) require("node:module").enableCompileCache(`${root}/node_modules/.cache/node`);
  import(root === undefined ? "../../dist/scripts/cli/main.js" : "./main.ts").then(function run(main) {
    return main.start();
  });
} else {
  startWith(`node/bin/node${process.platform === "win32" ? ".exe" : ""}`);
}

/** Starts the same command with the npm package `node` of a checkout or of the project, and ends as it does. */
function startWith(file) {
  var node;
  var child;
  try {
    node = require.resolve(file);
  } catch (_missing) {
    return refuse();
  }
  // The project's own may be as old.
  if (node === process.execPath) return refuse();
  // biome-ignore lint/style/useNodejsImportProtocol: Node before 14 does not know it
  child = require("child_process").spawn(node, process.argv.slice(1), { stdio: "inherit" });
  ["SIGINT", "SIGTERM", "SIGHUP"].forEach(function forward(signal) {
    process.on(signal, function pass() {
      // A terminal sends Ctrl-C, and its end, to both. A second signal would end the run without its results.
      if (signal === "SIGTERM" || !process.stdin.isTTY) child.kill(signal);
    });
  });
  child.on("error", refuse);
  child.on("exit", function end(code) {
    process.exitCode = code === null ? 3 : code;
  });
}

function refuse() {
  process.stderr.write(
    "shelfcheck needs Node " +
      least +
      " or newer; this is Node " +
      process.versions.node +
      ".\n" +
      "Install a newer Node (https://nodejs.org), or one for this project only: npm install -D node@" +
      least +
      ", then start this program with npx. In a clone of shelfcheck, npm ci installs one.\n",
  );
  process.exitCode = 3;
}
