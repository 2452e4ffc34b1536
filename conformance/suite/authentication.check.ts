import { retailers } from "../requests.ts";
import { invalidKey } from "../stand-ins.ts";
import { hasStatus } from "./expectations.ts";
import { section } from "./section.ts";

/** Spec, Authentication. */
export default section("authentication", [
  {
    id: "authentication.required/no-header",
    requirement: "authentication.required",
    title: "A request with neither header gives 401",
    requests: 2,
    async run({ ask, control }) {
      const succeeds = await control(retailers());
      return hasStatus(await ask({ ...retailers(), caller: "nobody" }), 401, "no key was sent", succeeds);
    },
  },
  {
    id: "authentication.invalid-key/bearer",
    requirement: "authentication.invalid-key",
    title: "A key that was never issued, as Authorization: Bearer, gives 401",
    requests: 2,
    async run({ target, ask, control }) {
      const succeeds = await control(retailers());
      const headers = { Authorization: `Bearer ${invalidKey(target.keys.primary ?? "")}` };
      const answer = await ask({ ...retailers(), caller: "nobody", headers });
      return hasStatus(answer, 401, "the key was never issued", succeeds);
    },
  },
  {
    id: "authentication.invalid-key/x-api-key",
    requirement: "authentication.invalid-key",
    title: "A key that was never issued, as X-Api-Key, gives 401",
    requests: 2,
    async run({ target, ask, control }) {
      const succeeds = await control(retailers());
      const headers = { "X-Api-Key": invalidKey(target.keys.primary ?? "") };
      const answer = await ask({ ...retailers(), caller: "nobody", headers });
      return hasStatus(answer, 401, "the key was never issued", succeeds);
    },
  },
]);
