import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface HttpServerOfTest extends AsyncDisposable {
  readonly url: string;
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
