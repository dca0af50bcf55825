import { expect, test } from '@jest/globals';
import type { AuditEvent } from '../../control-planes/access/access.ts';
import { countApiRequests, openWatches } from './api-requests.ts';

const event = (verb: string, resource: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
  verb,
  requestURI: `/api/v1/${resource}`,
  user: { username: 'provider' },
  objectRef: { resource },
  responseStatus: { code: 200 },
  stage: 'ResponseComplete',
  requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
  ...more,
});
const started = { stage: 'ResponseStarted' } as const;

test('gets and lists are reads, a watch is neither read nor write, everything else is a write', () => {
  const counts = countApiRequests([
    event('get', 'secrets'),
    event('list', 'samples'),
    event('watch', 'samples', started),
    event('create', 'events'),
    event('update', 'samples', { objectRef: { resource: 'samples', subresource: 'status' } }),
    event('patch', 'samples'),
    event('delete', 'samples'),
  ]);
  expect(counts).toMatchObject({ reads: 2, writes: 4, watches: 1 });
  expect(counts.byKind).toMatchObject({ 'get secrets': 1, 'update samples/status': 1 });
});

test('a watch counts once, when it begins', () => {
  const { watches, byKind } = countApiRequests([
    event('watch', 'samples', started),
    event('watch', 'samples'),
  ]);
  expect(watches).toBe(1);
  expect(byKind).toEqual({ 'watch samples': 1 });
});

test('a request that was refused counts', () => {
  expect(countApiRequests([event('update', 'samples', { responseStatus: { code: 409 } })]).writes).toBe(1);
});

test('a request for no object counts under its path, without the query', () => {
  const { objectRef: _, ...discovery } = event('get', 'x', { requestURI: '/version?timeout=32s' });
  expect(countApiRequests([discovery]).byKind).toEqual({ 'get /version': 1 });
});

test('open are the watches that were granted and have not ended', () => {
  const refused = { responseStatus: { code: 403 } };
  const open = openWatches([
    event('watch', 'samples', started),
    event('watch', 'secrets', started),
    event('watch', 'secrets'),
    event('watch', 'configmaps', { ...started, ...refused }),
    event('watch', 'configmaps', refused),
  ]);
  expect([...open]).toEqual([['samples', 1]]);
});

test('watches are distinguished by group and namespace, and those of one collection are counted', () => {
  const of = (objectRef: AuditEvent['objectRef']) =>
    event('watch', 'x', { ...started, ...(objectRef && { objectRef }) });
  const open = openWatches([
    of({ resource: 'secrets', namespace: 'a' }),
    of({ resource: 'secrets', namespace: 'b' }),
    of({ resource: 'secrets', namespace: 'b' }),
    of({ resource: 'samples', apiGroup: 'example.org' }),
  ]);
  expect([...open]).toEqual([
    ['secrets in a', 1],
    ['secrets in b', 2],
    ['samples.example.org', 1],
  ]);
});
