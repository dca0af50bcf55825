import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listenOnLoopback } from '../../../internal/framework/base/loopback.fixture.ts';
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
  const server = createServer(async (request, response) => {
    const operation = request.url?.split('/').at(-1) ?? '';
    const message = (await json(request)) as CallbackMessage;
    received.set(operation, [...(received.get(operation) ?? []), message]);
    response.writeHead(answer(operation, message)).end('{"error":"as the test wants"}');
  });
  const { url, close } = await listenOnLoopback(server);
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
    close,
  };
}
