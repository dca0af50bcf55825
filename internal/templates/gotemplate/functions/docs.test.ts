import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { FUNCTION_CATEGORIES } from './categories.ts';

describe('docs/service-operator/templates.md', () => {
  const page = readFileSync(
    new URL('../../../../docs/service-operator/templates.md', import.meta.url),
    'utf8',
  );

  test.each(FUNCTION_CATEGORIES)('lists the functions of the category $title', ({ title, names }) => {
    const row = page.split('\n').find((line) => line.startsWith(`| ${title} |`)) ?? '';
    const listed = [...(row.split('|')[2] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    expect(listed.sort()).toEqual([...names].sort());
  });
});
