import { placeholderOf, type Secret, shortestKey } from "../../schemas/redaction.ts";

/** The values of all environment variables whose names say that they are secret. */
export function secretsIn(env: NodeJS.ProcessEnv): Secret[] {
  return Object.entries(env).flatMap(([name, key = ""]) =>
    /KEY|TOKEN|SECRET|PASS|AUTH|COOKIE|CREDENTIAL|PROXY/i.test(name) && key.length >= shortestKey
      ? [{ key, shownAs: placeholderOf(name) }]
      : [],
  );
}
