import { expect, test } from '@jest/globals';
import { readCallback } from './read-bodies.ts';

test.each([
  ['a header', 'refused: Authorization: Bearer opaque-token-of-a-cluster'],
  ['a URL', 'cannot clone https://me:opaque-token-of-a-cluster@git.example/charts.git'],
  ['a kubeconfig', 'cannot parse\nusers:\n- user:\n    token: opaque-token-of-a-cluster\n'],
  ['a query of GitLab', 'GET https://git.example/a.tgz?private_token=opaque-token-of-a-cluster'],
  ['a URL that is signed', 'GET https://s3.example/a.tgz?X-Amz-Signature=opaque-token-of-a-cluster&x=1'],
  ['a shared access signature', 'https://a.blob.example/c/a.tgz?sv=1&sig=opaque-token-of-a-cluster'],
])('the reason and the progress that a component reconciler reports have no credentials of %s', (_, text) => {
  const body = {
    status: 'failed',
    error: text,
    retryID: 'r',
    progress: { attempt: 1, message: text, more: [text] },
  };
  const read = readCallback(body);
  expect(JSON.stringify(read)).not.toContain('opaque-token');
  expect(read.progress).toMatchObject({ attempt: 1, more: [expect.stringContaining('[redacted]')] });
});

/** As the Go program writes its reports: all fields, also those without a value. */
test.each([
  [
    '{"error":"","manifest":null,"processingDuration":0,"retryID":"r-1","status":"running"}',
    { status: 'running', error: '', processingDurationMs: 0 },
  ],
  [
    '{"error":"no image","processingDuration":0,"retryID":"r-1","status":"failed"}',
    { status: 'failed', error: 'no image', processingDurationMs: 0 },
  ],
  [
    '{"error":"","processingDuration":4200,"retryID":"r-1","status":"success"}',
    { status: 'success', error: '', processingDurationMs: 4200 },
  ],
])('a report of a component reconciler in Go is read: %s', (text, want) => {
  expect(readCallback(JSON.parse(text))).toEqual({ ...want, retryId: 'r-1', manifest: '' });
});
