import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Loopback, listenOnLoopback } from '../../../../../framework/base/loopback.fixture.ts';

export interface HttpServerOfTest extends Loopback {
  /** `GET /path`, in the order of arrival. */
  readonly requests: string[];
}

/** An HTTP server of this machine. */
export async function startHttpServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<HttpServerOfTest> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    handle(request, response);
  });
  return { ...(await listenOnLoopback(server)), requests };
}
