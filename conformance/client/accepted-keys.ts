import { type KeyHeader, keyHeaders } from "../../schemas/api.ts";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import type { Exchange } from "./exchange.ts";
import type { Request } from "./requests.ts";

/** Distinguishes a key that is rejected from some moment on from a response with 401 to one request. */
export interface AcceptedKeys {
  /** Records a response. */
  responded(request: Request, exchange: Pick<Exchange, "request" | "response">): void;
  /** The headers in which the key was accepted before it got this 401, if a control is due. */
  doubted(request: Request): readonly KeyHeader[];
  /** Records that the control was accepted. */
  confirm(caller: Request["caller"]): void;
  /** Records that the control was rejected as well. */
  reject(caller: KeyCaller): FindingOf<"key-rejected-since">;
  /** Why no more requests are sent with this key. */
  rejected(caller: Request["caller"]): FindingOf<"key-rejected-since"> | undefined;
}

type KeyCaller = Exclude<Request["caller"], "nobody">;

interface KnownKey {
  readonly headers: Set<KeyHeader>;
  accepted: number;
  rejectedInARow: number;
  since: number;
  /** Controls that were accepted. */
  controls: number;
  finding?: FindingOf<"key-rejected-since">;
}

/** The first responses with 401 are checked one by one, so that no check fails for a key that is gone. */
const checkedAtOnce = 2;
/** Later only so many in a row: a service may give 401 to some requests, which is for the checks to judge. */
const inARow = 3;

/** Watches the keys of one run. `now` in milliseconds since 1970. */
export function watchKeys(now: () => number): AcceptedKeys {
  const keys = new Map<Request["caller"], KnownKey>();

  return {
    responded({ caller, headers }, { request, response: { status } }) {
      if (caller === "nobody" || status === 429 || status >= 500 || hasOwnKey(headers)) return;
      const key = keys.get(caller) ?? {
        headers: new Set(),
        accepted: 0,
        rejectedInARow: 0,
        since: 0,
        controls: 0,
      };
      keys.set(caller, key);
      if (status === 401) {
        if (key.rejectedInARow++ === 0) key.since = now();
        return;
      }
      key.rejectedInARow = 0;
      key.accepted++;
      for (const name of Object.values(keyHeaders)) if (name in request.headers) key.headers.add(name);
    },
    doubted({ caller, headers }) {
      const key = keys.get(caller);
      if (key === undefined || key.rejectedInARow === 0 || hasOwnKey(headers)) return [];
      return key.controls < checkedAtOnce || key.rejectedInARow >= inARow ? [...key.headers] : [];
    },
    confirm(caller) {
      const key = keys.get(caller);
      if (key === undefined) return;
      key.controls++;
      key.rejectedInARow = 0;
    },
    reject(caller) {
      const key = keys.get(caller);
      const finding: FindingOf<"key-rejected-since"> = {
        code: "key-rejected-since",
        subject: caller,
        seen: { count: key?.accepted ?? 0, of: "requests" },
        details: { since: new Date(key?.since ?? now()).toISOString() },
      };
      if (key !== undefined) key.finding ??= finding;
      return key?.finding ?? finding;
    },
    rejected: (caller) => keys.get(caller)?.finding,
  };
}

/** Whether a request says itself what is in the headers of the key. */
function hasOwnKey(headers: Request["headers"]): boolean {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return Object.values(keyHeaders).some((name) => names.includes(name.toLowerCase()));
}
