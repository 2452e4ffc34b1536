import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunningService } from "../../../service/start.ts";
import { makeCertificate } from "../../support/certificates.ts";
import type { AcceptanceRow, Expectation } from "../row.ts";

/** A network in front of the reference service, with the settings of a target that fit it or do not. */
export interface Setup {
  readonly name: string;
  readonly needs?: AcceptanceRow["needs"];
  readonly open: (place: SetupPlace) => Promise<Opened>;
  /** Default: not run */
  readonly doctor?: Expectation;
  readonly conformance: Expectation;
  readonly load: Expectation;
  /** Whether CI sends load, too, as one network of each kind. Default: only conformance */
  readonly loadInCi?: true;
  /** Default: not run */
  readonly gate?: Expectation;
}

/** Where a setup is built. */
export interface SetupPlace {
  readonly service: RunningService;
  /** Folder for certificates and keys, which the run does not write to. */
  readonly folder: string;
  /** Servers and proxies that end with the cell. */
  readonly servers: AsyncDisposableStack;
}

interface Opened {
  /** The target's entry in the config. */
  readonly target: Readonly<Record<string, unknown>>;
  readonly env?: NodeJS.ProcessEnv;
  /** Secrets that must not appear anywhere, in addition to the API keys. */
  readonly secrets?: readonly string[] | undefined;
  /** What is wrong after the run, for example requests that did not go through the proxy; empty when nothing is. */
  readonly wrong?: (() => readonly string[]) | undefined;
}

/** The command succeeds. */
export const succeeds: Expectation = { exit: [0] };

/** Conformance and load end with 3, and this text is in the output. */
export function couldNotRun(says: RegExp): Pick<Setup, "conformance" | "load"> {
  return { conformance: { exit: [3], says }, load: { exit: [3], says } };
}

/** Conformance and load succeed. */
export const bothSucceed = { conformance: succeeds, load: succeeds };

/** The name of a target that has no address in the name service. */
export const internalName = "catalog.internal";
/** The authority that signs the certificates of all setups. */
export const authority = makeCertificate({ isAuthority: true });

/** Writes the certificate of the authority into a folder; returns its path. */
export async function caFile(folder: string): Promise<string> {
  const path = join(folder, "root.pem");
  await writeFile(path, authority.certificate);
  return path;
}
