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
