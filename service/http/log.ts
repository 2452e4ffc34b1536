import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * Logger settings that hand JSON lines to `write`. Neither the URL nor a header gets into the log: a client may
 * have put a key into either by mistake.
 */
export function logTo(write: (line: string) => void) {
  return {
    level: "info",
    stream: { write },
    serializers: {
      req: (request: FastifyRequest) => ({
        method: request.method,
        route: request.routeOptions.url ?? "none",
      }),
      res: (reply: Pick<FastifyReply, "statusCode">) => ({ statusCode: reply.statusCode }),
    },
  };
}
