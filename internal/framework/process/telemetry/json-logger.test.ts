import { expect, test } from '@jest/globals';
import { ProviderError } from '../../base/errors/errors.ts';
import { createLogger } from './json-logger.ts';

function capture(debug: boolean) {
  const lines: string[] = [];
  const log = createLogger({ debug, destination: { write: (line) => lines.push(line) } });
  return { log, lines };
}

test('debug lines are shown with --debug only', () => {
  const quiet = capture(false);
  quiet.log.debug('chatter');
  quiet.log.info('news');
  expect(quiet.lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'info', msg: 'news' }]);
  const loud = capture(true);
  loud.log.debug('chatter');
  expect(loud.lines).toHaveLength(1);
});

test('a credential does not reach the log: neither in a message, nor in a field, nor in an error or its child', () => {
  const { log, lines } = capture(true);
  const token = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';
  const secret = '{"clientsecret":"s3cret-value"}';
  log.info(`got ${token}`);
  log.error('failed', {
    error: new ProviderError('auth', `refused: Bearer ${token}`),
    nested: { deep: [secret] },
  });
  log.child({ body: secret }).info('child');
  expect(lines).toHaveLength(3);
  expect(lines.join('')).not.toMatch(/c2lnbmF0dXJl|s3cret-value/);
});

test('fields of a child are those it was made with, of its parent as well, in every line', () => {
  const { log, lines } = capture(false);
  const child = log.child({ controller: 'c' }).child({ request: 'shop/x' });
  child.info('one');
  child.error('two');
  const both = { controller: 'c', request: 'shop/x' };
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { ...both, msg: 'one' },
    { ...both, msg: 'two' },
  ]);
});

test('a function for fields is called with the first line, once for a child, and never for a line that is not written', () => {
  const { log, lines } = capture(false);
  let calls = 0;
  const fields = () => ({ call: ++calls });
  const child = log.child(fields);
  log.debug('hidden', fields);
  child.debug('hidden');
  expect(calls).toBe(0);
  child.info('one');
  child.info('two');
  const loud = capture(true);
  loud.log.debug('shown', fields);
  expect([...lines, ...loud.lines].map((line) => JSON.parse(line))).toMatchObject([
    { call: 1, msg: 'one' },
    { call: 1, msg: 'two' },
    { call: 2, msg: 'shown' },
  ]);
});
