import { expect, test } from '@jest/globals';
import { readCallback } from './read-callback.ts';

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
