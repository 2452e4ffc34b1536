import { createPrivateKey } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connectionSettings, settingNames } from "../../schemas/connection.ts";
import type { TargetConfig } from "../../schemas/contracts/config.ts";
import { makeCertificate } from "../../test/support/certificates.ts";
import { readConnection } from "./connection.ts";

test.each(settingNames)("%s and its variable are documented", async (name) => {
  const text = await readFile(new URL("../../docs/networks.md", import.meta.url), "utf8");
  expect(text).toContain(`\`${name}`);
  for (const variable of connectionSettings[name].variable.split(", ")) expect(text).toContain(variable);
});

test("the authorities of this machine's system are marked, since a pod has a system of its own", async () => {
  const folder = await mkdtemp(join(tmpdir(), "shelfcheck-authorities-"));
  const [own, system] = [makeCertificate().certificate, makeCertificate().certificate];
  await writeFile(join(folder, "own.pem"), own);
  await writeFile(join(folder, "system.pem"), system);
  const env = { SHELFCHECK_CA: "own.pem", SSL_CERT_FILE: "system.pem" };
  const sources = { own: undefined, env, place: "", folder, cwd: folder };
  const { ca, caOfSystem } = readConnection(sources, "https://catalog.example/v1");
  await rm(folder, { recursive: true });
  expect([ca, caOfSystem]).toEqual([[own, system], [system]]);
});

test("a message about certificates names what was given: variables, or fields of the config", async () => {
  const folder = await mkdtemp(join(tmpdir(), "shelfcheck-pair-"));
  const [one, other] = [makeCertificate(), makeCertificate()];
  await writeFile(join(folder, "one.pem"), one.certificate);
  await writeFile(join(folder, "other.key"), other.key);
  const read = (own: object | undefined, env: NodeJS.ProcessEnv) => () =>
    readConnection(
      { own: own as TargetConfig | undefined, env, place: "targets.qa", folder, cwd: folder },
      "https://catalog.example/v1",
    );
  const files = { clientCertificate: "one.pem", clientKey: "other.key" };
  expect(read(files, {})).toThrow("targets.qa.clientCertificate, targets.qa.clientKey");
  const variables = { SHELFCHECK_CLIENT_CERTIFICATE: "one.pem", SHELFCHECK_CLIENT_KEY: "other.key" };
  expect(read(undefined, variables)).toThrow("SHELFCHECK_CLIENT_CERTIFICATE, SHELFCHECK_CLIENT_KEY");
  expect(read(undefined, { SHELFCHECK_CLIENT_KEY: "other.key" })).toThrow("SHELFCHECK_CLIENT_KEY");
  await rm(folder, { recursive: true });
});

test("a client key with a passphrase is refused, with the command that removes it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "shelfcheck-encrypted-"));
  const { certificate, key } = makeCertificate();
  const cipher = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" } as const;
  await writeFile(join(folder, "own.pem"), certificate);
  await writeFile(join(folder, "own.key"), createPrivateKey(key).export(cipher));
  const env = { SHELFCHECK_CLIENT_CERTIFICATE: "own.pem", SHELFCHECK_CLIENT_KEY: "own.key" };
  const sources = { own: undefined, env, place: "", folder, cwd: folder };
  expect(() => readConnection(sources, "https://catalog.example/v1")).toThrow(
    /needs a passphrase: SHELFCHECK_CLIENT_CERTIFICATE, SHELFCHECK_CLIENT_KEY\. .*openssl pkey -in KEY -out NEW_KEY/,
  );
  await rm(folder, { recursive: true });
});
