import { expect, test } from '@jest/globals';
import { Dispatcher } from 'undici';
import { readOnlyConnections } from './connections.ts';

const sent: string[] = [];

class Recorder extends Dispatcher {
  override dispatch({ method, path }: Dispatcher.DispatchOptions): boolean {
    sent.push(`${method} ${path}`);
    return true;
  }
}

const own = 'https://login.example.com';

test.each<[string, Partial<Dispatcher.DispatchOptions>, boolean]>([
  ['a read', { method: 'GET', path: '/buckets', origin: 'https://api.example.com' }, true],
  ['the grant', {}, true],
  ['a write', { path: '/buckets', origin: 'https://api.example.com' }, false],
  ['a write below the endpoint of grants', { path: '/oauth/token/revoke' }, false],
  ['a grant with a query', { path: '/oauth/token?revoke=all' }, false],
  ['a grant with parameters', { query: { revoke: 'all' } }, false],
  ['a grant of another host', { origin: 'https://login.example.org' }, false],
  ['a delete', { method: 'DELETE' }, false],
])('of read-only connections, %s (%j) is sent: %j', (_, options, isSent) => {
  sent.length = 0;
  const inner = { dispatcherFor: () => new Recorder(), close: async () => undefined };
  const dispatcher = readOnlyConnections(inner, `${own}/oauth/token`).dispatcherFor(new URL(own));
  const dispatch = () =>
    dispatcher.dispatch({ origin: own, path: '/oauth/token', method: 'POST', ...options }, {});
  if (isSent) dispatch();
  else expect(dispatch).toThrow(expect.objectContaining({ name: 'ReadOnlyError' }));
  expect(sent).toHaveLength(isSent ? 1 : 0);
});
