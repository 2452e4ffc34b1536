import { setImmediate } from "node:timers/promises";
import type { WireChange, WireKeys, WireRequest, WireResponse } from "../../service/wire.ts";
import { always, isPage, nextOf, parameter, type When } from "./change.ts";

// Changes that remember requests and responses, from the start of a service.

/** Applies a change to every n-th request that matches. */
export const everySo =
  (often: number, change: WireChange, when: When = always): WireChange =>
  (send, keys) => {
    let count = 0;
    const changed = change(send, keys);
    return (request) => (when(request, keys) && ++count % often === 0 ? changed(request) : send(request));
  };

/** Applies a change to the requests that match, after a number of them. */
export const late =
  (requests: number, when: When, change: WireChange): WireChange =>
  (send, keys) => {
    let count = 0;
    const changed = change(send, keys);
    return (request) => (when(request, keys) && ++count > requests ? changed(request) : send(request));
  };

/** Applies a change to the requests that match while as many others of them are under way. */
export const whenBusy =
  (others: number, when: When, change: WireChange): WireChange =>
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
    when: When,
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
export interface PlaceOfValue {
  readonly of: (request: WireRequest) => string | undefined;
  readonly with: (request: WireRequest, value: string) => WireRequest;
}

/** Sends a request that got one of some statuses again, with the last known value that is like its own. */
export const takenFor =
  (when: When, place: PlaceOfValue, isLike: Likeness, refusals: readonly number[] = [400, 404]): WireChange =>
  (send, keys) => {
    const known = new Set<string>();
    return async (request) => {
      const response = await send(request);
      const asked = when(request, keys) ? place.of(request) : undefined;
      if (asked === undefined) return response;
      if (response.status === 200) known.add(asked);
      if (!refusals.includes(response.status)) return response;
      const match = [...known].findLast((one) => one !== asked && isLike(asked, one));
      return match === undefined ? response : await send(place.with(request, match));
    };
  };

/**
 * Remembers something of each page with its `next_cursor`, and changes the requests with this cursor by it. `note` gets
 * the request as it was sent.
 */
export const byCursor =
  <Noted>(
    note: (request: WireRequest, response: WireResponse, keys: WireKeys) => Noted,
    change: (request: WireRequest, noted: Noted, keys: WireKeys) => WireRequest,
  ): WireChange =>
  (send, keys) => {
    const noted = new Map<string | undefined, Noted>();
    return async (request) => {
      if (!isPage(request)) return await send(request);
      const before = noted.get(parameter(request, "cursor"));
      const sent = before === undefined ? request : change(request, before, keys);
      const response = await send(sent);
      const next = nextOf(response);
      if (next !== undefined) noted.set(next, note(sent, response, keys));
      return response;
    };
  };
