import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CallbackMessage } from '../../../internal/systems/reconciler/components/model/task.ts';
import { eventually } from '../eventually.ts';

/** The callbacks of a mothership, and nothing else of it. */
export interface CallbackServer {
  readonly url: string;
  /** Of the operation in the URL, in their order. */
  reports(operation: string): readonly CallbackMessage[];
  urlOf(operation: string): string;
  /** Waits for the last report of an operation. */
  ended(operation: string): Promise<CallbackMessage>;
  close(): Promise<void>;
}

export async function startCallbackServer(
  answer: (operation: string, message: CallbackMessage) => number = () => 200,
): Promise<CallbackServer> {
  const received = new Map<string, CallbackMessage[]>();
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const operation = request.url?.split('/').at(-1) ?? '';
    const message: CallbackMessage = JSON.parse(Buffer.concat(chunks).toString());
    received.set(operation, [...(received.get(operation) ?? []), message]);
    response.writeHead(answer(operation, message)).end('{"error":"as the test wants"}');
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const reports = (operation: string) => received.get(operation) ?? [];
  return {
    url,
    reports,
    urlOf: (operation) => `${url}/v1/operations/scheduling/callback/${operation}`,
    ended: (operation) =>
      eventually(() => {
        const last = reports(operation).at(-1);
        if (last === undefined || last.status === 'running' || last.status === 'failed') {
          throw new Error(`operation ${operation} has not ended: ${JSON.stringify(reports(operation))}`);
        }
        return last;
      }),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
