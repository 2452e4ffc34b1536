import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import {
  applyChanges,
  type WireChange,
  type WireKeys,
  type WireRequest,
  type WireResponse,
} from "../../service/wire.ts";
import * as is from "./conditions.ts";
import { nextOf, parameter, segmentOf, withParameters, withSegment } from "./messages.ts";

// How faults and variants are made of conditions on requests and of smaller changes.

/** Applies several changes, the first one innermost. */
export const inTurn =
  (...changes: readonly WireChange[]): WireChange =>
  (send, keys) =>
    applyChanges(send, changes, keys);

/** Applies a change to the requests that match. */
export const where =
  (when: is.When, change: WireChange): WireChange =>
  (send, keys) => {
    const changed = change(send, keys);
    return (request) => (when(request, keys) ? changed(request) : send(request));
  };

/** Sends the same kind of response to all requests that match, without passing them to the service. */
export const instead = (when: is.When, response: () => WireResponse): WireChange =>
  where(when, () => async () => response());

/** Repeats requests that got one status in another form, for its response. Undefined: no repetition. */
export const askAgain =
  (
    status: number,
    other: (request: WireRequest, keys: WireKeys) => WireRequest | undefined,
    when: is.When = is.always,
  ): WireChange =>
  (send, keys) =>
  async (request) => {
    const response = await send(request);
    const isIt = response.status === status && when(request, keys);
    const again = isIt ? other(request, keys) : undefined;
    return again === undefined ? response : await send(again);
  };

/** With another value of a parameter, for `on.request` and `askAgain`. Undefined removes it. */
export const reading =
  (name: string, change: (value: string) => string | undefined, when: is.When = is.always) =>
  (request: WireRequest, keys: WireKeys): WireRequest | undefined => {
    const value = parameter(request, name);
    if (value === undefined || !when(request, keys)) return undefined;
    const changed = change(value);
    return changed === value ? undefined : withParameters(request, { [name]: changed });
  };

// Changes that remember requests and responses, from the start of a service.

/** Applies a change to every n-th request that matches. */
export const everySo =
  (often: number, change: WireChange, when: is.When = is.always): WireChange =>
  (send, keys) => {
    let count = 0;
    const changed = change(send, keys);
    return (request) => (when(request, keys) && ++count % often === 0 ? changed(request) : send(request));
  };

/** Applies a change to the requests that match, after a number of them. */
export const late =
  (requests: number, when: is.When, change: WireChange): WireChange =>
  (send, keys) => {
    let count = 0;
    const changed = change(send, keys);
    return (request) => (when(request, keys) && ++count > requests ? changed(request) : send(request));
  };

/** Applies a change to the requests that match while as many others of them are under way. */
export const whenBusy =
  (others: number, when: is.When, change: WireChange): WireChange =>
  (send, keys) => {
    let underWay = 0;
    const changed = change(send, keys);
    return async (request) => {
      if (!when(request, keys)) return await send(request);
      const isBusy = underWay++ >= others;
      try {
        await setImmediate();
        return await (isBusy ? changed : send)(request);
      } finally {
        underWay--;
      }
    };
  };

/** A cache; `keyOf` returns the key of a request. */
export const cached =
  (
    when: is.When,
    keyOf: (request: WireRequest) => string | undefined,
    isKept = ({ status }: WireResponse) => status === 200,
  ): WireChange =>
  (send, keys) => {
    const kept = new Map<string | undefined, WireResponse>();
    return async (request) => {
      if (!when(request, keys)) return await send(request);
      const known = kept.get(keyOf(request));
      if (known !== undefined) return known;
      const response = await send(request);
      if (isKept(response)) kept.set(keyOf(request), response);
      return response;
    };
  };

/** Whether a value may be taken for another one, which was found before. */
export type Likeness = (asked: string, known: string) => boolean;

/** A value in a request. */
interface PlaceOfValue {
  readonly of: (request: WireRequest) => string | undefined;
  readonly with: (request: WireRequest, value: string) => WireRequest;
}

export const parameterAt = (name: string): PlaceOfValue => ({
  of: (request) => parameter(request, name),
  with: (request, value) => withParameters(request, { [name]: value }),
});

export const segmentAt = (place: 3 | 4): PlaceOfValue => ({
  of: (request) => segmentOf(request, place),
  with: (request, value) => withSegment(request, place, value),
});

/** A whole path, so that its last part is found wherever it was found before. */
export const wholePath: PlaceOfValue = {
  of: ({ path }) => path,
  with: (request, path) => ({ ...request, path }),
};

/** Sends a request that got one of some statuses again, with the first known value that is like its own. */
export const takenFor =
  (
    when: is.When,
    place: PlaceOfValue,
    isLike: Likeness,
    refusals: readonly number[] = [400, 404],
  ): WireChange =>
  (send, keys) => {
    const known = new Set<string>();
    return async (request) => {
      const response = await send(request);
      const asked = when(request, keys) ? place.of(request) : undefined;
      if (asked === undefined) return response;
      if (response.status === 200) known.add(asked);
      if (!refusals.includes(response.status)) return response;
      const match = known.values().find((one) => one !== asked && isLike(asked, one));
      return match === undefined ? response : await send(place.with(request, match));
    };
  };

/** Changes requests with a page's `next_cursor` by what `note` kept of that page; it gets the request as sent. */
export const byCursor =
  <Noted>(
    note: (request: WireRequest, response: WireResponse, keys: WireKeys) => Noted,
    change: (request: WireRequest, noted: Noted, keys: WireKeys) => WireRequest,
  ): WireChange =>
  (send, keys) => {
    const noted = new Map<string | undefined, Noted>();
    return async (request) => {
      if (!is.page(request)) return await send(request);
      const before = noted.get(parameter(request, "cursor"));
      const sent = before === undefined ? request : change(request, before, keys);
      const response = await send(sent);
      const next = nextOf(response);
      if (next !== undefined) noted.set(next, note(sent, response, keys));
      return response;
    };
  };

/** Calls `note` for the first response that is missing, or not the service's own to its request. */
export function noting(change: WireChange, note: () => void): WireChange {
  return (send, keys) => {
    let isNoted = false;
    const own: (readonly [WireRequest, WireResponse])[] = [];
    const changed = change(async (request) => {
      const response = await send(request);
      if (!isNoted) own.push([request, response]);
      return response;
    }, keys);
    return async (request) => {
      const outcome = changed(request);
      const response = await outcome.catch(() => "closed");
      if (!isNoted && !own.some((exchange) => isDeepStrictEqual(exchange, [request, response]))) {
        isNoted = true;
        own.length = 0;
        note();
      }
      return outcome;
    };
  };
}
