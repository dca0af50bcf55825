import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createStringInterner, internAndFreeze, keepMarks } from './transform.ts';
import { objectText } from './transform-sample.fixture.ts';

test('objects take their texts from the pool, are frozen, and stay what they were', () => {
  const pool = createStringInterner();
  for (let index = 0; index < 3; index++) {
    const object = internAndFreeze(JSON.parse(objectText(index)), pool);
    expect(object).toEqual(JSON.parse(objectText(index)));
    expect(Object.isFrozen(object.status.conditions[0])).toBe(true);
  }
});

test('the nesting that an API server accepts does not overflow the stack', () => {
  const levels = 10_000;
  const object = JSON.parse(`${'{"a":['.repeat(levels / 2)}"x"${']}'.repeat(levels / 2)}`);
  expect(internAndFreeze(object, createStringInterner())).toBe(object);
  expect(Object.isFrozen(object.a[0].a)).toBe(true);
});

test('the pool returns equal texts, however many and long they are', () => {
  const pool = createStringInterner();
  const texts = Array.from({ length: 20_000 }, (_, n) => [`text ${n}`, 'common', 'x'.repeat(100)]).flat();
  expect(texts.filter((text) => pool(text) !== text)).toEqual([]);
});

test('what objects have in common is in memory once, and their managed fields not at all', () => {
  const program = join(import.meta.dirname, 'transform-memory.fixture.ts');
  const printed = execFileSync(process.execPath, ['--expose-gc', '--no-warnings', program], {
    encoding: 'utf8',
  });
  const { asSent, pooled, trimmed }: Record<string, number> = JSON.parse(printed);
  expect(pooled).toBeLessThan(0.8 * (asSent ?? 0));
  expect(trimmed).toBeLessThan(0.85 * (asSent ?? 0));
});

test('labels and annotations of others are not in memory where only own ones are read', () => {
  const others = Object.fromEntries(
    Array.from({ length: 1000 }, (_, n) => [`example.com/${n}`, 'x'.repeat(200)]),
  );
  const labels = { 'own.example.org/label': 'true' };
  const annotations = { 'own.example.org/mark': 'yes' };
  const metadata = { name: 'a', finalizers: ['example.com/keep'], managedFields: [{ manager: 'kubectl' }] };
  const type = { apiVersion: 'v1', kind: 'Secret' };
  const object = {
    ...type,
    metadata: { ...metadata, labels: { ...others, ...labels }, annotations: { ...others, ...annotations } },
  };
  const { managedFields: _, ...kept } = metadata;
  expect(keepMarks('own.example.org/')(object)).toEqual({
    ...type,
    metadata: { ...kept, labels, annotations },
  });
});
