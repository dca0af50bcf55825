import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { BUILTINS } from '../../internal/templates/gotemplate/builtins.ts';
import {
  DEFAULT_LIMITS,
  FUNCTION_CATEGORIES,
  SPRIG_FUNCTIONS,
} from '../../internal/templates/gotemplate/index.ts';

const page = await readFile(new URL('../../docs/service-operator/templates.md', import.meta.url), 'utf8');

test('the page lists all functions by category', () => {
  for (const { title, names } of FUNCTION_CATEGORIES) {
    expect(page).toContain(`| ${title} | ${names.map((name) => `\`${name}\``).join(', ')} |\n`);
  }
});

test('the page lists the functions of text/template that sprig does not replace', () => {
  const [, listed = ''] = /Functions of text\/template: ([^.]*)[.]/.exec(page) ?? [];
  const names = [...listed.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const own = Object.keys(BUILTINS).filter((name) => !(name in SPRIG_FUNCTIONS));
  expect(names).toEqual(own.sort());
});

test('the page has the limits of the code', () => {
  const { sourceBytes, outputBytes, memoryBytes, steps, timeMs, depth } = DEFAULT_LIMITS;
  const values = [outputBytes, sourceBytes, memoryBytes, steps, timeMs, depth].map((value) => `| ${value}`);
  for (const value of values) expect(page).toContain(value);
});
