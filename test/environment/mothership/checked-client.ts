import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { type Contract, loadContract } from '../../simulators/base/contract.ts';

/** A response whose form the OpenAPI document allows. */
export interface CheckedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; undefined without one. */
  readonly body: unknown;
}

export interface CheckedClient {
  /** @throws if the response is not one of the document, or there is no such path */
  call(
    method: string,
    path: string,
    options?: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<CheckedResponse>;
}

const documents = ['external', 'callback'].map(
  (name) => new URL(`../../../apis/reconciler/${name}.openapi.yaml`, import.meta.url),
);

async function contractOf(document: URL): Promise<Contract<string>> {
  const { paths }: { paths: Record<string, Record<string, { operationId?: string }>> } = parse(
    await readFile(document, 'utf8'),
  );
  const ids = Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ operationId }) => (operationId === undefined ? [] : [operationId])),
  );
  return loadContract(document, Object.fromEntries(ids.map((id) => [id, id])));
}

/** Calls the APIs of a mothership, and holds each answer to their documents. */
export async function createCheckedClient(baseUrl: string): Promise<CheckedClient> {
  const contracts = await Promise.all(documents.map(contractOf));
  return {
    call: async (method, path, { body, headers = {} } = {}) => {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const answer = { status: response.status, headers: Object.fromEntries(response.headers), body: text };
      const [pathname = ''] = path.split('?', 1);
      const found = contracts.flatMap((contract) => contract.find(method, pathname) ?? [])[0];
      if (found === undefined) throw new Error(`the documents have no ${method} ${pathname}`);
      const violation = found.operation.checkAnswer(answer);
      if (violation !== undefined) throw new Error(`${method} ${pathname}: ${violation}: ${text}`);
      return { ...answer, body: text === '' ? undefined : JSON.parse(text) };
    },
  };
}
