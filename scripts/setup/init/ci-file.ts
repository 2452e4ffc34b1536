import { renderGithubWorkflow } from "./github.ts";
import { renderGitlabJob } from "./gitlab.ts";
import type { CiKind } from "./project.ts";

/** What a CI file depends on. */
export interface CiFacts {
  /** Folder of the config seen from the repository's, with slashes; `.` when it is the same. */
  readonly folder: string;
  /** `npm ci` installs shelfcheck; else the file asks for this version of it. */
  readonly installed: boolean;
  readonly version: string;
}

/** A file to be written: its path seen from the repository's folder, and its text. */
export interface CiFile {
  readonly path: string;
  readonly text: string;
}

/** The files for a CI system, the first of them the one with the job. */
export function ciFilesFor(kind: CiKind, facts: CiFacts): readonly CiFile[] {
  switch (kind) {
    case "github":
      return [{ path: ".github/workflows/shelfcheck.yml", text: renderGithubWorkflow(facts) }];
    case "gitlab":
      return [
        { path: ".gitlab/shelfcheck.yml", text: renderGitlabJob(facts) },
        { path: ".gitlab-ci.yml", text: "include:\n  - local: .gitlab/shelfcheck.yml\n" },
      ];
    case "none":
      return [];
    default:
      return kind satisfies never;
  }
}
