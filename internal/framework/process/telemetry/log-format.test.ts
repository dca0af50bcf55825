import { expect, test } from '@jest/globals';
import { createLogger } from './json-logger.ts';

function lines(fields: 'kyma' | 'pino', write: (log: ReturnType<typeof createLogger>) => void): string {
  const written: string[] = [];
  const destination = { write: (line: string) => void written.push(line) };
  write(createLogger({ debug: false, format: 'text', fields, destination }));
  return written.join('').replace(/^\d\d:\d\d:\d\d/gm, 'TIME');
}

test.each(['kyma', 'pino'] as const)(
  'the text form of a line has level, message, error and fields (%s)',
  (fields) => {
    const text = lines(fields, (log) => {
      log.info('serving', { addresses: ['a:1', 'b:2'], host: 'x' });
      log.error('it ends', { error: 'no\u001b[31m file', 'runtime-id': 'r' });
    });
    expect(text).toBe(
      'TIME INFO  serving addresses=["a:1","b:2"] host=x\nTIME ERROR it ends: no\\e[31m file runtime-id=r\n',
    );
  },
);

test('several mistakes are lines of their own', () => {
  const text = lines('kyma', (log) =>
    log.error('it ends', { error: '2 mistakes: a; b', mistakes: ['a', 'b'] }),
  );
  expect(text).toBe('TIME ERROR it ends\n  a\n  b\n');
});
