import { describe, expect, test } from '@jest/globals';
import { TemplateExecError, TemplateParseError } from './errors.ts';
import { parseTemplate } from './template.ts';
import { dict, FunctionError, fromJson, type GoFunctions, stringMap } from './values/value.ts';

const functions: GoFunctions = {
  boom: {
    parameters: ['string'],
    call: ([text]) => {
      throw new FunctionError(`cannot use "${text}"`);
    },
  },
};

function errorOf(text: string, data: unknown): TemplateExecError {
  try {
    parseTemplate('shop/db', text, { functions }).execute(fromJson(data));
  } catch (error) {
    if (error instanceof TemplateExecError) return error;
    throw error;
  }
  throw new Error('the template did not fail');
}

describe('errors of an execution', () => {
  test('have line, column in bytes, and the part of the template', () => {
    const error = errorOf('a\n  é{{ .credentials.x }}', { credentials: { user: 's3cr3t' } });
    expect(error.message).toBe(
      'template: shop/db:2:19: executing "shop/db" at <.credentials.x>: map has no entry for key "x"',
    );
    expect(error.location).toMatchObject({
      line: 2,
      column: 19,
      executing: 'shop/db',
      context: '.credentials.x',
    });
    expect(error.kind).toBe('terminal');
  });

  test('name the keys that there are, for hints', () => {
    expect(errorOf('{{ .usr }}', { user: 1, password: 2 }).missing).toEqual({
      name: 'usr',
      available: ['password', 'user'],
    });
  });

  test.each([
    ['an error of a function', '{{ boom .password }}'],
    ['an error of a comparison', '{{ eq .list .list }}'],
    ['a range over a text', '{{ range .password }}{{ end }}'],
    ['an error of a function in a pipeline', '{{ .password | printf "%s" | boom }}'],
  ])('%s has a message without data', (_reason, text) => {
    const error = errorOf(text, { password: 's3cr3t', list: ['s3cr3t'] });
    expect(error.message).toContain('s3cr3t');
    expect(error.quotesData).toBe(true);
    expect(error.safeMessage).not.toContain('s3cr3t');
    expect(error.safeMessage).toMatch(/^template: shop\/db:1:\d+: executing "shop\/db" at </);
  });

  test.each([
    '{{ .nothing }}',
    '{{ .password.x }}',
    '{{ index }}',
    '{{ printf .n }}',
    '{{ .password 1 }}',
    '{{ template "x" }}',
  ])('the message of %s quotes only the template', (text) => {
    const error = errorOf(text, { password: 's3cr3t', n: 1234567 });
    expect(error.quotesData).toBe(false);
    expect(error.safeMessage).toBe(error.message);
    expect(error.message).not.toMatch(/s3cr3t|1234567/);
  });
});

describe('errors of parsing', () => {
  function parseError(text: string): TemplateParseError {
    try {
      parseTemplate('t', text, { functions });
    } catch (error) {
      if (error instanceof TemplateParseError) return error;
      throw error;
    }
    throw new Error('the template was parsed');
  }

  test('have the line', () => {
    expect(parseError('\n\n{{ end }}')).toMatchObject({ line: 3, detail: 'unexpected {{end}}' });
  });

  test('name the functions that there are, for hints', () => {
    const { missing } = parseError('{{ bom }}');
    expect(missing?.name).toBe('bom');
    expect(missing?.available).toEqual(expect.arrayContaining(['boom', 'printf']));
  });

  test('no name of Object is a function or a field', () => {
    expect(parseError('{{ constructor }}').detail).toBe('function "constructor" not defined');
    expect(errorOf('{{ .toString }}', {}).detail).toBe('map has no entry for key "toString"');
    expect(parseTemplate('t', '{{ .__proto__ }}').execute(fromJson(JSON.parse('{"__proto__": "x"}')))).toBe(
      'x',
    );
  });
});

test('a function of the caller replaces a builtin', () => {
  const own: GoFunctions = { len: { parameters: ['interface {}'], call: () => 'own' } };
  expect(parseTemplate('t', '{{ len 1 }}', { functions: own }).execute(null)).toBe('own');
});

test('each command of a pipeline is traced with its value', () => {
  const steps: unknown[] = [];
  const data = dict([['instance', stringMap([['plan', 'x']])]]);
  parseTemplate('t', '{{ .instance.plan | len | printf "%d" }}').execute(data, {
    trace: ({ command, value }) => steps.push([command, value]),
  });
  expect(steps).toEqual([
    [0, 'x'],
    [1, expect.objectContaining({ value: 1n })],
    [2, '1'],
  ]);
});
