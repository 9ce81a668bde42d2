/** What a server's health says where it refuses a call for now: one that is up and cannot serve is its operator's to mend. */

import { refusedWith, UnavailableError } from "./errors.js";
import { Health, HealthCheckResponse_ServingStatus as Status } from "./gen/grpc/health/v1/health_pb.js";
import type { Line } from "./line.js";

const HEALTH_MS = 2000;

/** Return a line whose UnavailableError says what the server's health answers, unless that is SERVING or nothing. */
export function sayingHealth(line: Line): Line {
  return {
    async ask(method, request, timeoutMs) {
      try {
        return await line.ask(method, request, timeoutMs);
      } catch (error) {
        throw error instanceof UnavailableError ? await withHealth(line, error) : error;
      }
    },
    close: () => line.close(),
  };
}

async function withHealth(line: Line, error: UnavailableError): Promise<UnavailableError> {
  try {
    const { status } = await line.ask(Health.method.check, {}, HEALTH_MS);
    if (status !== Status.SERVING) {
      const words = `the server is up and its health says ${Status[status]}, that it cannot serve; ask its operator`;
      return refusedWith({ ...error, code: error.code, message: `${words} (${error.message})` });
    }
  } catch {
    // nobody answers: the error says all that is known
  }
  return error;
}
